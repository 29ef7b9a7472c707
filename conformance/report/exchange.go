package report

import (
	"net/http"
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
	Response  *Response           `json:"response,omitempty"`  // nil: no answer was read
	Failure   *Failure            `json:"failure,omitempty"`   // nil: the complete answer was read
	Curl      string              `json:"curl"`                // the command that repeats the request
	BadInput  bool                `json:"bad_input,omitempty"` // the marketplace never sends such a request
}

// Request is an HTTP request as it was sent, redacted.
type Request struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header"`
	Body   Body        `json:"body"`
}

// Response is an HTTP answer as it was received, redacted.
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
	Whole   string `json:"-"`                 // the complete body of an answer whose Text is cut, redacted, for run.har; "" if it is too long
}

// FailureKind is the reason why no complete answer was read.
type FailureKind string

// The kinds of failures.
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

// Failure says why no complete answer was read.
type Failure struct {
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
}
