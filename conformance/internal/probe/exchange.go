package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Exchange is one request and its outcome, as evidence. The key is redacted in every part, and
// bodies are cut to a bounded length.
type Exchange struct {
	Number    int                 `json:"number"` // 1, 2, 3, ... in the order of sending
	Endpoint  partnerapi.Endpoint `json:"endpoint"`
	Purpose   string              `json:"purpose"` // what the call was for, such as "reserve 2 seats"
	StartedAt time.Time           `json:"started_at"`
	Duration  time.Duration       `json:"duration_ns"` // until the last byte, or until the client gave up
	Limit     time.Duration       `json:"limit_ns"`    // the contract's limit (LIM-1); 0: none, because the marketplace sends no such call
	Request   Request             `json:"request"`
	Response  *Response           `json:"response,omitempty"` // nil: no answer was read
	Failure   *Failure            `json:"failure,omitempty"`  // nil: the complete answer was read
	Curl      string              `json:"curl"`               // the command that repeats the request
}

type Request struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header"`
	Body   Body        `json:"body"`
}

type Response struct {
	Status int         `json:"status"`
	Proto  string      `json:"proto"`
	Header http.Header `json:"header"`
	Body   Body        `json:"body"`
}

// Body is a body as evidence shows it.
type Body struct {
	Text    string `json:"text,omitempty"`    // the beginning, redacted; invalid UTF-8 is shown as U+FFFD
	Size    int64  `json:"size"`              // bytes in total, or as many as were read
	Cut     bool   `json:"cut,omitempty"`     // Text is not the complete body
	Excerpt string `json:"excerpt,omitempty"` // the relevant part of the body, as indented JSON
	Place   string `json:"place,omitempty"`   // the relevant value in Excerpt: a JSON pointer; for a missing value, where it should be
}

type FailureKind string

const (
	Timeout    FailureKind = "timeout"    // the deadline passed before the last byte
	Refused    FailureKind = "refused"    // no connection
	Unresolved FailureKind = "unresolved" // the name does not resolve
	TLS        FailureKind = "tls"        // the TLS handshake failed
	Reset      FailureKind = "reset"      // the connection broke, before or during the answer
	Protocol   FailureKind = "protocol"   // the answer was not HTTP
	TooLarge   FailureKind = "too_large"  // the body is larger than any answer may be
	Stopped    FailureKind = "stopped"    // the run ended before the answer arrived
)

type Failure struct {
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
}

func (b Body) Mentions(text string) bool { return strings.Contains(b.Text, text) }

// Abridge drops the bodies' text and most headers of an exchange that is not evidence. Keeping them
// for thousands of exchanges would take too much memory.
func (e *Exchange) Abridge() {
	abridge := func(header http.Header, body Body) (http.Header, Body) {
		return http.Header{"Content-Type": header["Content-Type"]}, Body{Size: body.Size, Cut: body.Size > 0}
	}
	e.Request.Header, e.Request.Body = abridge(e.Request.Header, e.Request.Body)
	if e.Response != nil {
		e.Response.Header, e.Response.Body = abridge(e.Response.Header, e.Response.Body)
	}
}

// KeyVariable is the environment variable from which the command reads the key. It also stands for
// the key in curl commands.
const KeyVariable = "CONFORMANCE_AUTH_KEY"

// longestCurlBody is the longest body in a curl command, in bytes.
const longestCurlBody = 4096

// curl returns the command that repeats a call; address and header are those of its request. If the
// call used the partner's key, the command takes the key from the environment.
func curl(call Call, address string, header http.Header, auth partnerapi.AuthType, redact func(string) string) string {
	line := []string{
		"curl", "-i", "--globoff", "--path-as-is", "--max-time", fmt.Sprintf("%.0f", max(1, cmp.Or(call.Limit, call.Deadline).Seconds())), "-X", call.Method,
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if name == "Authorization" && call.Key.inShell() != "" {
			line = append(line, "-H", `"Authorization: `+call.Key.authorization(auth, call.Key.inShell())+`"`)
			continue
		}
		if name == otherHeader {
			line = append(line, "-H", `"`+name+`: $`+KeyVariable+`"`)
			continue
		}
		if header.Get(name) == "" {
			line = append(line, "-H", quote(name+";")) // curl's syntax for an empty header
			continue
		}
		line = append(line, "-H", quote(name+": "+redact(header.Get(name))))
	}
	if len(call.Body) > 0 && header.Get("Content-Type") == "" {
		line = append(line, "-H", quote("Content-Type:")) // otherwise curl declares it as a form
	}
	switch {
	case len(call.Body) > longestCurlBody:
		line = append(line, "--data-raw", quote(fmt.Sprintf("(a body of %d bytes)", len(call.Body))))
	case len(call.Body) > 0:
		line = append(line, "--data-raw", quote(redact(string(call.Body))))
	}
	return strings.Join(append(line, quote(address)), " ")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// errTooLarge is returned for a body that is larger than any answer may be.
var errTooLarge = errors.New("the body exceeds the size limit")

// way is how far a request has come. Goroutines of the transport set it, even after the request has
// ended.
type way struct{ dialled, connected, reused, answered atomic.Bool }

// trace returns a context that records a request's progress in w.
func (w *way) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				w.dialled.Store(true)
			}
		},
		GotConn: func(got httptrace.GotConnInfo) {
			w.connected.Store(true)
			w.reused.Store(got.Reused)
		},
		GotFirstResponseByte: func() { w.answered.Store(true) },
	})
}

// wasClosed reports whether a kept-alive connection ended before the first byte of an answer.
// net/http has several errors for that.
func (w *way) wasClosed(kind FailureKind) bool {
	return w.reused.Load() && !w.answered.Load() && (kind == Reset || kind == Protocol)
}

// attempt is a request without a complete answer.
type attempt struct {
	err      error
	deadline time.Duration // how long the client waited
	largest  int64         // maximum number of bytes read of the body
	way      *way
	reached  bool // the partner has answered before, so it is late, not absent
	began    bool // the answer had started to arrive
}

// failure returns why there is no complete answer; run is the context of the run.
func (a attempt) failure(run context.Context) *Failure {
	// The exchange has the address, so the one in url.Error adds nothing.
	if wrapped, ok := errors.AsType[*url.Error](a.err); ok {
		a.err = wrapped.Err
	}
	waited := a.deadline.Round(time.Millisecond)
	shakingHands := !a.reached && a.way.dialled.Load() && !a.way.connected.Load()
	switch {
	case run.Err() != nil:
		return &Failure{Stopped, "the run ended before the answer came"}
	case a.timedOut() && !a.reached && !a.way.dialled.Load():
		return &Failure{Refused, fmt.Sprintf("no connection within %s", waited)}
	case a.timedOut() && shakingHands:
		return &Failure{TLS, fmt.Sprintf("the TLS handshake was not finished within %s", waited)}
	case a.timedOut():
		return &Failure{Timeout, fmt.Sprintf("no complete answer within %s", waited)}
	case errors.Is(a.err, errTooLarge):
		return &Failure{TooLarge, fmt.Sprintf("the body is larger than %d MiB, the most that is read", a.largest>>20)}
	case errors.Is(a.err, http.ErrSchemeMismatch):
		return &Failure{TLS, "the server speaks plain HTTP where the base URL says https"}
	case a.handshakeFailed():
		return &Failure{TLS, fmt.Sprintf("the TLS handshake failed: %v", a.err)}
	case a.brokeOff() && shakingHands:
		return &Failure{TLS, "the connection was closed during the TLS handshake"}
	case a.brokeOff():
		return &Failure{Reset, "the connection was closed before the answer was complete"}
	case a.began:
		return &Failure{Protocol, fmt.Sprintf("the body cannot be read: %v", a.err)}
	}
	if resolve := (*net.DNSError)(nil); errors.As(a.err, &resolve) {
		return &Failure{Unresolved, fmt.Sprintf("the name %q has no address: %s", resolve.Name, resolve.Err)}
	}
	if dial := (*net.OpError)(nil); errors.As(a.err, &dial) && dial.Op == "dial" {
		return &Failure{Refused, fmt.Sprintf("no connection: %v", a.err)}
	}
	return &Failure{Protocol, fmt.Sprintf("the answer cannot be read as HTTP: %v", a.err)}
}

func (a attempt) timedOut() bool {
	return errors.Is(a.err, context.DeadlineExceeded) || errors.Is(a.err, os.ErrDeadlineExceeded)
}

func (a attempt) brokeOff() bool {
	return errors.Is(a.err, io.EOF) || errors.Is(a.err, io.ErrUnexpectedEOF) ||
		errors.Is(a.err, syscall.ECONNRESET) || errors.Is(a.err, syscall.EPIPE)
}

func (a attempt) handshakeFailed() bool {
	return is[*tls.CertificateVerificationError](a.err) || is[tls.RecordHeaderError](a.err) || is[tls.AlertError](a.err)
}

func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}
