// Package partner sends a run's calls to the partner: each within the limit of its endpoint and the
// time of the run, and again after a 429. A Stop is the reason why a call could not be made, or why
// its answer cannot be used.
package partner

import (
	"fmt"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Kind is the kind of reason for which a scenario stops.
type Kind int

const (
	NothingToTest Kind = iota // there is nothing to continue with
	Unsupported               // the partner lacks an optional feature
	OutOfBounds               // a bound of the run, such as --max-holds, was reached
	SeatsWrong                // the seats are wrong already, so that what follows would not show more about them
	Late                      // the limit of the call is broken
	Unreachable               // no connection could be made
	KeyRefused                // the partner does not accept the registered key
	WrongStatus               // the answer has a status that the scenario cannot continue with
	Unreadable                // the body is cut short, or is not valid JSON
	WrongShape                // the body is JSON of another shape
	Misfit                    // the body breaks its schema; see Problem
	Refused                   // reserve was refused with 400, which is lawful
	NoneAccepted              // no hold can be made, in any slot
)

// Form is how a call differs from the usual calls to its endpoint.
type Form int

// The forms of calls.
const (
	Usual    Form = iota
	Probe         // a pull of the catalog with limit=1
	Changes       // a pull of what changed since a time
	Minimal       // without optional fields: contact, reference, body
	NotFound      // availability answered 404, or one day without a list, although it returns slots for other windows
	Unusual       // lawful, but not what is tried first
)

// Stop is the reason why a scenario could not continue.
type Stop struct {
	Kind      Kind
	Endpoint  partnerapi.Endpoint // of the call that failed; "" if there was none
	Form      Form
	Message   string
	Problem   schemas.Problem // set for a Misfit
	Exchanges []*report.Exchange
	Elsewhere bool   // another slot may work
	Remedy    string // what would let the scenario continue; "" if Message already says it
}

// WithRemedy adds what would let the scenario continue: a flag, or a change at the partner.
func (s *Stop) WithRemedy(remedy string) *Stop {
	s.Remedy = remedy
	return s
}

// NewStop returns the stop of a scenario that has nothing to continue with.
func NewStop(format string, args ...any) *Stop {
	return &Stop{Message: fmt.Sprintf(format, args...)}
}

// NotHere returns the stop of a test that may work on another slot.
func NotHere(format string, args ...any) *Stop {
	return &Stop{Message: fmt.Sprintf(format, args...), Elsewhere: true}
}

// StopOrDefault returns why a part of a scenario was not played: the given stop, if any.
func StopOrDefault(stop *Stop) *Stop {
	if stop == nil {
		return NewStop("the calls that this rule needs were not completed")
	}
	return stop
}

// NewBoundStop returns the stop of a call that a bound of the run does not allow.
func NewBoundStop(format string, args ...any) *Stop {
	return &Stop{Kind: OutOfBounds, Message: fmt.Sprintf(format, args...)}
}

// StopAt returns the stop of an answer that the scenario cannot continue with.
func StopAt(kind Kind, answer *probe.Answer, format string, args ...any) *Stop {
	return &Stop{Kind: kind, Endpoint: answer.Endpoint, Message: fmt.Sprintf(format, args...), Exchanges: []*report.Exchange{answer.Exchange}}
}

// WithForm sets how the call differs from the usual ones.
func (s *Stop) WithForm(form Form) *Stop {
	s.Form = form
	return s
}

// IsBreach reports whether the scenario stopped because of an answer of the partner that the
// contract does not allow.
func (s *Stop) IsBreach() bool { return s.Kind >= Late && (s.Kind != Refused || s.Form == Minimal) }

// OnlyMissing reports whether the scenario stopped without a breach: it only had nothing to
// continue with.
func (s *Stop) OnlyMissing() bool { return s != nil && !s.IsBreach() }
