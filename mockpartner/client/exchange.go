package client

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

	"partnerkit.dev/schemas/partnerapi"
)

// Message is one half of an exchange.
type Message struct {
	Header    http.Header `json:"headers"`
	Body      Body        `json:"body"`
	Truncated bool        `json:"truncated,omitempty"` // only the body's beginning was kept
}

// Exchange is a request and its answer.
type Exchange struct {
	Number   uint64              `json:"number"`           // from 1, in the order of arrival
	At       time.Time           `json:"at"`               // by the sandbox's clock
	Arrived  time.Time           `json:"arrivedAt"`        // in real time
	Caller   string              `json:"caller,omitempty"` // address and port: the connection
	Endpoint partnerapi.Endpoint `json:"endpoint,omitempty"`
	Faults   []string            `json:"faults,omitempty"` // those that fired, by name, in order
	// Considered are the faults that were checked against the request, in order. It may be truncated.
	Considered []Considered `json:"considered,omitempty"`
	Method     string       `json:"method"`
	Target     string       `json:"target"` // escaped path, and query
	// Protocol is OCTO for a call of the mock as an OCTO supplier, and empty for one of the contract.
	Protocol Protocol `json:"protocol,omitempty"`
	// Authorized: the key was presented in the correct form (AUTH-1).
	Authorized bool    `json:"authorized"`
	Request    Message `json:"request"`
	Status     int     `json:"status,omitempty"` // 0 until the answer begins
	Answer     Message `json:"answer"`
	// Before and After are the platform's objects that the exchange concerned; nil if it concerned
	// none.
	Before   *Facts       `json:"before,omitempty"`
	After    *Facts       `json:"after,omitempty"`
	Done     bool         `json:"done"`       // the answer is complete or was aborted
	Duration Milliseconds `json:"durationMs"` // in real time, of a done exchange
	// Delivered: the complete answer was sent to a caller that, as far as the mock can tell, was
	// still connected.
	Delivered bool `json:"delivered"`
	// LeftAfter is when the caller disconnected before it had the complete answer, in real time
	// after the arrival. It is nil if the caller did not.
	LeftAfter *Milliseconds `json:"leftAfterMs,omitempty"`
}

// Protocol is the protocol of an exchange.
type Protocol string

// OCTO is the open standard for tours and activities (octo.travel).
const OCTO Protocol = "octo"

// Considered is a fault's decision about a request.
type Considered struct {
	Fault   string `json:"fault"`
	Matched bool   `json:"matched"` // it applies to the request
	Fired   bool   `json:"fired"`   // it fired for the request
}

// Milliseconds is a duration that JSON shows as a number of milliseconds.
type Milliseconds time.Duration

func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(m) / float64(time.Millisecond))
}

func (m *Milliseconds) UnmarshalJSON(text []byte) error {
	var number float64
	err := json.Unmarshal(text, &number)
	*m = Milliseconds(number * float64(time.Millisecond))
	return err
}

// Body is the body of a message. In JSON it is a string. Bytes that are not valid UTF-8 are an
// object {"base64": "…"}.
type Body []byte

func (b Body) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		return json.Marshal(string(b))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString(b)})
}

func (b *Body) UnmarshalJSON(text []byte) error {
	var bytes struct{ Base64 []byte }
	if len(text) > 0 && text[0] == '{' {
		err := json.Unmarshal(text, &bytes)
		*b = bytes.Base64
		return err
	}
	var plain string
	err := json.Unmarshal(text, &plain)
	*b = Body(plain)
	return err
}

// Testimony is a fact that only the test knows about the callers and that the judge of the journal
// needs. It says either that a process died, or that a confirm was ordered by hand.
type Testimony struct {
	// Died are the connections of a caller's process that ended abruptly, such as by SIGKILL. They
	// have the form of Exchange.Caller, such as "127.0.0.1:40112". An address without a port means
	// every connection from there, such as a container's.
	Died []string `json:"died,omitempty"`
	// At is when it died, in real time; zero means when the testimony is given.
	At time.Time `json:"at,omitzero"`
	// Since is the earliest time at which the process may have received answers that it lost before
	// writing them down. Zero means one second before At.
	Since time.Time `json:"since,omitzero"`
	// ByHand is the code of a hold that a person ordered to be confirmed once more, after a
	// refusal.
	ByHand string `json:"byHand,omitempty"`
}

// Filter selects exchanges; zero values match everything.
type Filter struct {
	Endpoint partnerapi.Endpoint
	Method   string
	Status   int
	// Class is a class of statuses such as 5xx, or NoAnswer.
	Class    string
	Contains string // in the target
	Text     string // in the target, or in the body of request or answer
	Body     string // in the body of request or answer
	Hold     string // code of the hold that the exchange concerned
	Slot     string // id of the slot that it concerned
	Booking  string // id of the booking that it concerned
	Fault    string // name of a fault that fired for it, or AnyFault
	NoProbes bool   // without probes, except failed ones
	Done     bool   // only complete ones
	After    uint64 // numbers above it
	Limit    int    // only the newest ones, at most this many
}

const (
	// NoAnswer is the Class of exchanges that ended without an answer.
	NoAnswer = "none"
	// AnyFault matches exchanges for which any fault fired.
	AnyFault = "*"
)
