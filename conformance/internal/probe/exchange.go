package probe

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Exchange is one request and what came of it, as evidence: the key is
// redacted in every part of it, and bodies are cut to a bounded length.
type Exchange struct {
	Number    int                 `json:"number"` // 1, 2, 3, ... in the order of sending
	Endpoint  partnerapi.Endpoint `json:"endpoint"`
	Purpose   string              `json:"purpose"` // what the call was for, such as "reserve 2 seats"
	StartedAt time.Time           `json:"started_at"`
	Duration  time.Duration       `json:"duration_ns"` // until the last byte, or until it was given up
	Limit     time.Duration       `json:"limit_ns"`    // that the contract sets it (LIM-1); 0: none, the marketplace sends no such call
	Request   Request             `json:"request"`
	Response  *Response           `json:"response,omitempty"` // nil: no answer was read
	Failure   *Failure            `json:"failure,omitempty"`  // nil: the whole answer was read
	Curl      string              `json:"curl"`               // the command line that repeats the request
}

// Request is what was sent.
type Request struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header"`
	Body   Body        `json:"body"`
}

// Response is what came back.
type Response struct {
	Status int         `json:"status"`
	Proto  string      `json:"proto"`
	Header http.Header `json:"header"`
	Body   Body        `json:"body"`
}

// Body is a body as evidence shows it.
type Body struct {
	Text    string `json:"text,omitempty"`    // the beginning, redacted; invalid UTF-8 shows as U+FFFD
	Size    int64  `json:"size"`              // bytes in all, or as many as were read
	Cut     bool   `json:"cut,omitempty"`     // Text is not the whole
	Excerpt string `json:"excerpt,omitempty"` // the part of the body in question, as indented JSON
	Place   string `json:"place,omitempty"`   // what in the excerpt it is: a JSON pointer; of what is missing, where it should be
}

// FailureKind says why no whole answer was read.
type FailureKind string

// The kinds of failure.
const (
	Timeout    FailureKind = "timeout"    // the deadline passed before the last byte
	Refused    FailureKind = "refused"    // no connection
	Unresolved FailureKind = "unresolved" // the name has no address
	TLS        FailureKind = "tls"        // the TLS handshake failed
	Reset      FailureKind = "reset"      // the connection broke, before or in the answer
	Protocol   FailureKind = "protocol"   // what came was not HTTP
	TooLarge   FailureKind = "too_large"  // the body is larger than any answer may be
	Stopped    FailureKind = "stopped"    // the run ended before the answer came
)

// Failure is a request that got no whole answer.
type Failure struct {
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
}

// Mentions reports whether the body, as far as it is kept, contains text.
func (b Body) Mentions(text string) bool { return strings.Contains(b.Text, text) }

// Abridge drops the bodies' text and most headers of an exchange that is no
// evidence: of thousands there would be too much to keep.
func (e *Exchange) Abridge() {
	abridge := func(header http.Header, body Body) (http.Header, Body) {
		return http.Header{"Content-Type": header["Content-Type"]}, Body{Size: body.Size, Cut: body.Size > 0}
	}
	e.Request.Header, e.Request.Body = abridge(e.Request.Header, e.Request.Body)
	if e.Response != nil {
		e.Response.Header, e.Response.Body = abridge(e.Response.Header, e.Response.Body)
	}
}

// KeyVariable is the environment variable that stands for the key in curl
// lines and that the command reads it from.
const KeyVariable = "CONFORMANCE_AUTH_KEY"

// longestCurlBody bounds the body in a curl line, in bytes.
const longestCurlBody = 4096

// curl returns the command line that repeats a call; address and header are
// those of its request. Where the call bore the partner's key the line takes it
// from the environment.
func curl(call Call, address string, header http.Header, auth partnerapi.AuthType, redact func(string) string) string {
	line := []string{
		"curl", "-i", "--globoff", "--path-as-is", "--max-time", fmt.Sprintf("%.0f", max(1, cmp.Or(call.Limit, call.Deadline).Seconds())), "-X", call.Method,
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if name == "Authorization" && call.Key == GoodKey {
			line = append(line, "-H", `"Authorization: `+auth.Authorization("$"+KeyVariable)+`"`)
			continue
		}
		line = append(line, "-H", quote(name+": "+redact(header.Get(name))))
	}
	if len(call.Body) > 0 && header.Get("Content-Type") == "" {
		line = append(line, "-H", quote("Content-Type:")) // else curl declares it as a form
	}
	switch {
	case len(call.Body) > longestCurlBody:
		line = append(line, "--data-raw", quote(fmt.Sprintf("(a body of %d bytes)", len(call.Body))))
	case len(call.Body) > 0:
		line = append(line, "--data-raw", quote(redact(string(call.Body))))
	}
	return strings.Join(append(line, quote(address)), " ")
}

// quote makes one word of a POSIX shell of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
