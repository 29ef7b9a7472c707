package probe

import (
	"net/http"
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
