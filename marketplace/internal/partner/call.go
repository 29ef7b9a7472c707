package partner

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// call is one request.
type call struct {
	endpoint     partnerapi.Endpoint
	trial        bool // of settings that may be wrong: it does not count for the health
	method, path string
	name         string // for people, where the path holds a code
	query        url.Values
	body         any           // nil: none
	wait         time.Duration // the longest for a permit; 0: as long as the caller likes
	stays        bool          // once it has its permit, it outlives its caller
	limit        time.Duration
	largest      int64
	only200      bool // the probe's: no other 2xx will do
	by           SendBy
	once         bool // net/http must not send it again, whatever it thinks of the connection
	safe         bool // it changes nothing, whatever its method says
	// read reads the answer's body, until the call's time is over.
	read     func(context.Context, []byte) error
	refusals map[int]Kind  // what statuses mean that mean more than that it was refused
	late     func(Outcome) // is told what comes after the limit; nil: nothing is waited for
}

// what names the call for people.
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

// refusal is what a status means that is not 2xx.
func (asked call) refusal(status int) Kind {
	if kind, known := asked.refusals[status]; known {
		return kind
	}
	if status >= http.StatusInternalServerError {
		return Failed
	}
	return Refused
}

// tooLate says that the partner did not answer in time.
func tooLate(asked call) error {
	return marketplace.Errorf(marketplace.PartnerLate, "the partner did not answer %s within %s", asked.what(), asked.limit)
}

// Kind is what is known of a call when it is over.
type Kind string

// The kinds.
const (
	Done        Kind = "done"        // 2xx, read
	SlotRefused Kind = "slot"        // reserve: the slot cannot be booked
	Unsupported Kind = "unsupported" // cancel: the partner has no such call
	Refused     Kind = "refused"     // any other HTTP answer below 500, read whole
	Failed      Kind = "failed"      // 5xx: the call may still have taken effect
	Unreadable  Kind = "unreadable"  // 2xx whose body makes no sense
	Unstorable  Kind = "unstorable"  // confirm: 2xx whose booking id cannot be stored
	Unanswered  Kind = "unanswered"  // it was sent, and no whole answer came
	NotSent     Kind = "not sent"    // the partner has nothing of it
)

// Answered reports whether the partner's whole answer was read.
func (k Kind) Answered() bool { return k != Unanswered && k != NotSent }

// Refused reports whether the partner has answered that it did not do it.
func (k Kind) Refused() bool {
	return k == SlotRefused || k == Unsupported || k == Refused || k == Failed
}

// Outcome is what came of a call.
type Outcome struct {
	Kind     Kind
	Status   int // of the answer; 0 where none was read
	Took     time.Duration
	Message  string   // the partner's own words with a refusal, in one line that is not long; "" where it has none
	Breaches []string // of the contract, in an answer that is still usable
	Err      error    // PartnerLate or PartnerFailed; nil where Kind is Done

	result Result // for the partner's health; "": it says nothing of that
}
