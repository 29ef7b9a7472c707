package probe

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// Call is a request that a Client sends.
type Call struct {
	Endpoint partnerapi.Endpoint
	Purpose  string // what the call is for, in a few words
	Method   string
	Path     string // escaped, as package partnerapi returns it
	Query    url.Values
	Body     []byte // nil: no body
	BodyType string // its content type; "": application/json
	Key      Key
	Limit    time.Duration // the contract's limit, for the curl command and the evidence; 0: none
	Deadline time.Duration // how long to wait for the answer
	BadInput bool          // the marketplace never sends such a call
}

// NoType is the content type of a body that is sent without a Content-Type header.
const NoType = "none"

// Answer is an exchange with the complete body of its answer.
type Answer struct {
	*report.Exchange
	Raw []byte // as received, uncompressed; nil if Failure is set
	Key Key    // that the call presented
	// Closed means that the partner closed a kept-alive connection before the first byte of an
	// answer. That is lawful, and it is unknown whether the call arrived.
	Closed bool
	// NoHTTP means that the server closed the connection without a byte, or speaks another protocol.
	NoHTTP bool
}

// IsUnsent reports whether the call did not arrive: there was no connection, or none with TLS.
func (a *Answer) IsUnsent() bool {
	return a.Failure != nil && slices.Contains([]report.FailureKind{report.Refused, report.Unresolved, report.TLS}, a.Failure.Kind)
}

// EndTime returns when the call had ended, by this machine's clock.
func (a *Answer) EndTime() time.Time { return a.StartedAt.Add(a.Duration) }

// PartnerTime returns when the call was answered by the partner's clock, from the Date header of its answer.
func (a *Answer) PartnerTime() time.Time {
	if a.Response != nil {
		if date, err := http.ParseTime(a.Response.Header.Get("Date")); err == nil {
			return date
		}
	}
	return a.EndTime()
}

// HasStatus reports whether the complete answer was read, with one of the statuses.
func (a *Answer) HasStatus(statuses ...int) bool {
	return a.Failure == nil && slices.Contains(statuses, a.Response.Status)
}

// BrokeOff reports whether an answer with one of these statuses started to arrive, but its body
// could not be read to the end. Timeouts and interrupted runs do not count.
func (a *Answer) BrokeOff(statuses ...int) bool {
	return a.Failure != nil && a.Failure.Kind != report.Timeout && a.Failure.Kind != report.Stopped &&
		a.Response != nil && slices.Contains(statuses, a.Response.Status)
}

// Words returns the outcome of the call, for messages after "received".
func (a *Answer) Words() string {
	if a.Failure != nil {
		return "no complete answer: " + a.Failure.Message
	}
	words := strings.TrimSpace(fmt.Sprintf("%d %s", a.Response.Status, http.StatusText(a.Response.Status)))
	if location := a.Response.Header.Get("Location"); location != "" {
		return fmt.Sprintf("%s to %s; redirects are not followed", words, location)
	}
	return words
}

// IsRepeatable reports whether a call whose answer was lost can be sent again as if the first call
// had never been sent.
func IsRepeatable(endpoint partnerapi.Endpoint) bool {
	return endpoint != partnerapi.Reserve && endpoint != partnerapi.Confirm
}
