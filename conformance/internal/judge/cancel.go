package judge

import (
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

var (
	// cancellable is the step that checks, on the booking, whether the partner takes cancellations
	// (CAN-6).
	cancellable = judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding { return takesCancels(*b.Traits) })
	// mayCancel is the same check, on what was observed so far.
	mayCancel = judgeOnce(scenario.PlayRecord, func(e scenario.Record) Finding { return takesCancels(e.Traits) })
	// cancelled lists the steps that check that the booking was cancelled.
	cancelled = []Step{cancellable, judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding {
		return requireFact(b.Cancel != nil, b.Stop).or(func() Finding {
			if !b.Cancel.HasStatus(200) {
				return FromStop(b.Stop)
			}
			return Finding{}
		})
	})}
)

func takesCancels(t scenario.Traits) Finding {
	if t.NoCancel {
		return notApplicable("the partner does not support cancellations")
	}
	return Finding{}
}

func cancelSpecs() []Spec {
	tell := func(r rule.Rule, of Subjects, gates ...Step) Spec {
		return spec(r, appendSteps(gates, tells(r, of))...)
	}
	seats := func(r rule.Rule, of Subjects) Spec { return spec(r, cancellable, tellsSeats(r, of)) }
	unknown := subject(scenario.PlayUnknownCancel)
	return []Spec{
		spec(rule.CancelSupported, cancelled...),
		spec(rule.CancelStatus, cancelled...),
		tell(rule.CancelJSON, booking, cancelled...),
		tell(rule.CancelSuccess, booking, cancelled...),
		spec(rule.CancelVacancies, cancellable, tellsSeats(rule.CancelVacancies, booking), optionalStep(tellsSeats(rule.CancelVacancies, secondBooking))),
		tell(rule.CancelUnknown, unknown, cancellable),
		tell(rule.CancelUnknownSuccess, unknown, cancellable),
		tell(rule.CancelRepeatStatus, booking, cancelled...),
		tell(rule.CancelRepeatSuccess, booking, cancelled...),
		seats(rule.CancelRepeatVacancies, booking),
		spec(rule.CancelWithoutBody, cancellable, judgeOnce(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Finding {
			return expectAnswer(b.Cancel, b.Stop, Status(ok))
		})),
		tell(rule.CancelWrongKey, secondBooking, cancellable),
		tell(rule.CancelMissingKey, secondBooking, cancellable),
		seats(rule.CancelAuthEffect, secondBooking),
	}
}
