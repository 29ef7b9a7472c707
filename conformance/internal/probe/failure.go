package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
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

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/connection"
)

// errTooLarge is returned for a body that is larger than any answer may be.
var errTooLarge = errors.New("the body exceeds the size limit")

// requestProgress is how far a request has come. Goroutines of the transport set it, even after the request has
// ended.
type requestProgress struct{ dialled, connected, reused, answered atomic.Bool }

// trace returns a context that records a request's progress in w.
func (w *requestProgress) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				w.dialled.Store(true)
			}
		},
		GotConn: func(got httptrace.GotConnInfo) {
			w.dialled.Store(true)
			w.connected.Store(true)
			w.reused.Store(got.Reused)
		},
		GotFirstResponseByte: func() { w.answered.Store(true) },
	})
}

// wasClosed reports whether a kept-alive connection ended before the first byte of an answer.
// net/http has several errors for that.
func (w *requestProgress) wasClosed(kind report.FailureKind) bool {
	return w.reused.Load() && !w.answered.Load() && (kind == report.Reset || kind == report.Protocol)
}

// attempt is a request without a complete answer.
type attempt struct {
	err      error
	deadline time.Duration // how long the client waited
	largest  int64         // maximum number of bytes read of the body
	way      *requestProgress
	reached  bool // the partner has answered before, so it is late, not absent
	began    bool // the answer had started to arrive
}

// belowHTTP are the failures of connections. Their messages begin with the cause, in the words that the
// marketplace uses.
var belowHTTP = []report.FailureKind{report.Refused, report.TLS, report.Unresolved, report.Timeout, report.Reset}

// failure returns why there is no complete answer; call is its context, and run that of the run.
func (a attempt) failure(run, call context.Context) *report.Failure {
	failed := a.describe(run)
	if slices.Contains(belowHTTP, failed.Kind) {
		failed.Message = string(connection.NewFailure(call, a.err).Cause) + ": " + failed.Message
	}
	return failed
}

func (a attempt) describe(run context.Context) *report.Failure {
	// The exchange has the address, so the one in url.Error adds nothing.
	if wrapped, ok := errors.AsType[*url.Error](a.err); ok {
		a.err = wrapped.Err
	}
	waited := a.deadline.Round(time.Millisecond)
	shakingHands := a.way.dialled.Load() && !a.way.connected.Load()
	switch {
	case run.Err() != nil:
		return &report.Failure{Kind: report.Stopped, Message: "the run ended before the answer came"}
	case a.timedOut() && !a.reached && !a.way.dialled.Load():
		return &report.Failure{Kind: report.Refused, Message: fmt.Sprintf("no connection within %s", waited)}
	case a.timedOut() && !a.reached && shakingHands:
		return &report.Failure{Kind: report.TLS, Message: fmt.Sprintf("the TLS handshake was not finished within %s", waited)}
	case a.timedOut():
		return &report.Failure{Kind: report.Timeout, Message: fmt.Sprintf("no complete answer within %s", waited)}
	case errors.Is(a.err, errTooLarge):
		return &report.Failure{Kind: report.TooLarge, Message: fmt.Sprintf("the body is larger than %d MiB, the most that is read", a.largest>>20)}
	case errors.Is(a.err, http.ErrSchemeMismatch):
		return &report.Failure{Kind: report.TLS, Message: "the server speaks plain HTTP where the base URL says https"}
	case a.handshakeFailed():
		return &report.Failure{Kind: report.TLS, Message: fmt.Sprintf("the TLS handshake failed: %v", a.err)}
	case a.brokeOff() && shakingHands:
		return &report.Failure{Kind: report.TLS, Message: "the connection was closed during the TLS handshake"}
	case shakingHands && !is[*net.OpError](a.err):
		return &report.Failure{Kind: report.TLS, Message: fmt.Sprintf("the TLS handshake failed: %v", a.err)}
	case a.brokeOff() && !a.way.answered.Load():
		return &report.Failure{Kind: report.Reset, Message: "the connection was closed before an answer began"}
	case a.brokeOff():
		return &report.Failure{Kind: report.Reset, Message: "the connection was closed before the answer was complete"}
	case a.began:
		return &report.Failure{Kind: report.Protocol, Message: fmt.Sprintf("the body cannot be read: %v", a.err)}
	}
	if resolve := (*net.DNSError)(nil); errors.As(a.err, &resolve) {
		return &report.Failure{Kind: report.Unresolved, Message: fmt.Sprintf("the name %q has no address: %s", resolve.Name, resolve.Err)}
	}
	if dial := (*net.OpError)(nil); errors.As(a.err, &dial) && dial.Op == "dial" {
		return &report.Failure{Kind: report.Refused, Message: fmt.Sprintf("no connection: %v", a.err)}
	}
	if a.isNoHTTP() {
		return &report.Failure{Kind: report.Protocol, Message: fmt.Sprintf("the server does not speak HTTP where the base URL leads to: %v", a.err)}
	}
	return &report.Failure{Kind: report.Protocol, Message: fmt.Sprintf("the answer cannot be read as HTTP: %v", a.err)}
}

// isNoHTTP reports whether the answer does not begin as HTTP does. The error of net/http has no type.
func (a attempt) isNoHTTP() bool {
	return !a.began && strings.Contains(a.err.Error(), "malformed HTTP ")
}

func (a attempt) timedOut() bool {
	return errors.Is(a.err, context.DeadlineExceeded) || errors.Is(a.err, os.ErrDeadlineExceeded)
}

func (a attempt) brokeOff() bool {
	return errors.Is(a.err, io.EOF) || errors.Is(a.err, io.ErrUnexpectedEOF) ||
		errors.Is(a.err, syscall.ECONNRESET) || errors.Is(a.err, syscall.EPIPE)
}

func (a attempt) handshakeFailed() bool {
	// crypto/tls has no type for the alerts of TCP. A server that wants the client's certificate sends one after the
	// handshake.
	alert := (*net.OpError)(nil)
	return is[*tls.CertificateVerificationError](a.err) || is[tls.RecordHeaderError](a.err) ||
		errors.As(a.err, &alert) && (alert.Op == "remote error" || alert.Op == "local error")
}

func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}
