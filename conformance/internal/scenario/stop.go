package scenario

import (
	"fmt"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

type Kind int

const (
	NothingToTest Kind = iota // nothing is there to go on with
	Unsupported               // the partner lacks an optional feature
	OutOfBounds               // the run may not go on
	Late                      // the limit of the call is broken
	Unreachable               // there is no connection
	KeyRefused                // the registered key is not taken
	WrongStatus               // the answer has another status than the call needs
	Unreadable                // the body is cut short, or is not JSON of the kind that is wanted
	WrongShape                // the body is JSON of another shape
	Misfit                    // Problem says what of the body is not as its schema has it
	Refused                   // reserve was refused with 400, as it may be
	NoneAccepted              // no hold can be made, whatever the slot
)

// Form is how a call differs from the usual ones of its endpoint.
type Form int

const (
	Usual    Form = iota
	Probe         // a pull of the catalog with limit=1
	Minimal       // without what is optional: contact, reference, body
	NotFound      // an availability answered with 404, where others bring slots
	Unusual       // lawful, and not what is tried first
)

// Stop is why a scenario could not go on.
type Stop struct {
	Kind      Kind
	Endpoint  partnerapi.Endpoint // of the call that it was stopped by; "" where none was
	Form      Form
	Message   string
	Problem   schemas.Problem // of a Misfit
	Exchanges []*probe.Exchange
	Elsewhere bool   // another slot may do
	Remedy    string // what would let the scenario go on; "" where nothing more is known than Message says
}

// WithRemedy adds what would let the scenario go on: a flag, or something at the partner.
func (s *Stop) WithRemedy(remedy string) *Stop {
	s.Remedy = remedy
	return s
}

func Missing(format string, args ...any) *Stop {
	return &Stop{Message: fmt.Sprintf(format, args...)}
}

// NotHere is the stop of a test for which another slot may do.
func NotHere(format string, args ...any) *Stop {
	return &Stop{Message: fmt.Sprintf(format, args...), Elsewhere: true}
}

// Unplayed is why a part of a scenario was not played: what stopped it.
func Unplayed(stop *Stop) *Stop {
	if stop == nil {
		return Missing("the story of this rule was not played to its end")
	}
	return stop
}

func outOfBounds(format string, args ...any) *Stop {
	return &Stop{Kind: OutOfBounds, Message: fmt.Sprintf(format, args...)}
}

func unrecorded(err error) *Stop {
	return Missing("the ledger cannot be written: %v", err).WithRemedy("Name a file that can be written with --ledger.")
}

func stopAt(kind Kind, answer *probe.Answer, format string, args ...any) *Stop {
	return &Stop{Kind: kind, Endpoint: answer.Endpoint, Message: fmt.Sprintf(format, args...), Exchanges: []*probe.Exchange{answer.Exchange}}
}

func (s *Stop) in(form Form) *Stop {
	s.Form = form
	return s
}

// isBreach reports whether it was the partner that stopped the scenario, by an answer
// that the contract does not have.
func (s *Stop) isBreach() bool { return s.Kind >= Late && (s.Kind != Refused || s.Form == Minimal) }

// OnlyMissing reports whether nothing of the partner is known to be broken: there was
// nothing to go on with.
func (s *Stop) OnlyMissing() bool { return s != nil && !s.isBreach() }
