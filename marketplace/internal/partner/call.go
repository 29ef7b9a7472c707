package partner

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// call is one request.
type call struct {
	endpoint     partnerapi.Endpoint
	trial        bool // tests settings: it does not affect the partner's health
	method, path string
	name         string // for people, if the path contains a code
	query        url.Values
	body         any           // nil: no body
	text         []byte        // the encoded body; by then the caller may have changed what body points to
	wait         time.Duration // the longest wait for a permit; 0: no limit
	stays        bool          // continues after its caller has gone, once it has a permit
	limit        time.Duration
	largest      int64
	only200      bool // for probes: no other 2xx is accepted
	by           SendBy
	once         bool // net/http must not send it again
	safe         bool // changes nothing, whatever its method
	// read reads the answer's body within the call's deadline.
	read     func(context.Context, []byte) error
	refusals map[int]Kind  // meanings of statuses other than a plain refusal
	late     func(Outcome) // receives an answer after the limit; nil: late answers are ignored
}

// what returns the call's name for people.
func (asked call) what() string {
	if asked.name != "" {
		return asked.name
	}
	return asked.method + " " + asked.path
}

var (
	errLate   = errors.New("the time limit for the partner has passed")
	errLarge  = errors.New("the answer is too large")
	errClosed = errors.New("the service is stopping")
)

// refusal returns the meaning of a status that is not 2xx.
func (asked call) refusal(status int) Kind {
	if kind, known := asked.refusals[status]; known {
		return kind
	}
	if status >= http.StatusInternalServerError {
		return Failed
	}
	return Refused
}

// tooLate returns the error for a partner that did not answer in time.
func tooLate(asked call) error {
	err := domain.Errorf(domain.PartnerLate, "the partner did not answer %s within %s", asked.what(), asked.limit)
	err.Cause = connection.NewFailure(context.Background(), context.DeadlineExceeded)
	return err
}

// Kind is the outcome of a call.
type Kind string

// The kinds.
const (
	Done        Kind = "done"        // 2xx with a valid body
	SlotRefused Kind = "slot"        // reserve: the slot cannot be booked
	Unsupported Kind = "unsupported" // cancel: the partner does not support it
	Refused     Kind = "refused"     // any other complete HTTP answer below 500
	Failed      Kind = "failed"      // 5xx: the call may still have taken effect
	Unreadable  Kind = "unreadable"  // 2xx with an invalid body
	Unstorable  Kind = "unstorable"  // confirm: 2xx whose booking id cannot be stored
	Unanswered  Kind = "unanswered"  // it was sent, and no complete answer arrived
	NotSent     Kind = "not sent"    // the partner received nothing
)

// IsAnswered reports whether the partner's complete answer was read.
func (k Kind) IsAnswered() bool { return k != Unanswered && k != NotSent }

// IsRefused reports whether the partner answered that it did not do it.
func (k Kind) IsRefused() bool {
	return k == SlotRefused || k == Unsupported || k == Refused || k == Failed
}

// Outcome is the result of a call.
type Outcome struct {
	Kind     Kind
	Status   int // of the answer; 0: no answer
	Took     time.Duration
	Message  string   // the partner's message of a refusal, in one short line; "": no message
	Breaches []string // of the contract, in a usable answer
	Err      error    // PartnerLate or PartnerFailed; nil if Kind is Done

	result Result // for the partner's health; "": no effect
}
