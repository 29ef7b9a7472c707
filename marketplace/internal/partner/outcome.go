package partner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Kind is what is known of a call when it is over.
type Kind string

// The kinds.
const (
	Done        Kind = "done"        // 2xx, read
	SlotRefused Kind = "slot"        // reserve: the slot cannot be booked
	Unsupported Kind = "unsupported" // cancel: the partner has no such call
	Refused     Kind = "refused"     // any other HTTP answer below 500, read whole
	Failed      Kind = "failed"      // 5xx: the partner may have done it all the same
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
	Breaches []string // of the contract, in an answer that can be used all the same
	Err      error    // PartnerLate or PartnerFailed; nil where Kind is Done

	result Result // for the partner's health; "": it says nothing of that
}

// judge says what came of a call, for callers, for people and for health.
func judge(within context.Context, asked call, r reply) Outcome {
	answered, lost := Unreadable, NotSent
	if r.status/100 != 2 {
		answered = asked.refusal(r.status)
	}
	if r.sent {
		lost = Unanswered
	}
	failed := func(o Outcome, format string, values ...any) Outcome {
		o.Err = marketplace.Errorf(marketplace.PartnerFailed, format, values...)
		return o
	}
	what := asked.what()
	switch {
	case packedBadly(r.err):
		return failed(Outcome{Kind: answered, Status: r.status, result: ResultUnreadable}, "the partner's answer to %s makes no sense: it is not packed as its Content-Encoding, gzip, says", what)
	case errors.Is(r.err, errLarge):
		return failed(Outcome{Kind: answered, Status: r.status, result: ResultUnreadable}, "the partner's answer to %s has more than %d MiB", what, asked.largest>>20)
	case errors.Is(r.err, errOverdue):
		return Outcome{Kind: lost, Err: marketplace.Errorf(marketplace.PartnerLate, "%s was not sent: its time to be sent was over", what)}
	case errors.Is(r.err, errCrowded):
		return Outcome{Kind: lost, Err: marketplace.Errorf(marketplace.PartnerLate, "the partner's answer to %s is larger than %d MiB, and had to wait for other such answers until its %s were over", what, usualAnswer>>20, asked.limit)}
	case r.err != nil && errors.Is(context.Cause(within), errLate):
		return Outcome{Kind: lost, Err: tooLate(asked), result: ResultTimeout}
	case prohibited(r.err):
		return failed(Outcome{Kind: lost, result: ResultTransport}, "the partner's name leads to an address that is not public")
	case r.err != nil:
		return Outcome{Kind: lost, result: ResultTransport, Err: &marketplace.Error{
			Code: marketplace.PartnerFailed, Message: fmt.Sprintf("the partner could not be reached for %s, or the connection broke", what), Cause: withoutAddress(r.err),
		}}
	case r.status/100 != 2 || asked.only200 && r.status != http.StatusOK:
		return failed(Outcome{Kind: answered, Status: r.status, Message: words(r.body), result: ResultStatus}, "the partner answered %s with %d", what, r.status)
	}
	if asked.read != nil {
		if err := asked.read(r.body); err != nil {
			kind := Unreadable
			if errors.As(err, new(*unstorable)) {
				kind = Unstorable
			}
			return failed(Outcome{Kind: kind, Status: r.status, result: ResultUnreadable}, "the partner's answer to %s makes no sense: %w", what, err)
		}
	}
	return Outcome{Kind: Done, Status: r.status, result: ResultOK}
}

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

// withoutAddress drops the address from a client error: its query is nobody's
// business, and the log names the integration.
func withoutAddress(err error) error {
	if inURL := (*url.Error)(nil); errors.As(err, &inURL) {
		return inURL.Err
	}
	return err
}
