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
	answers := func(r rule.Rule, of Subjects, gates ...Step) Spec {
		return spec(r, appendSteps(gates, answersIn(r, of))...)
	}
	seats := func(r rule.Rule, of Subjects) Spec { return spec(r, cancellable, seatsIn(r, of)) }
	unknown := subject(scenario.PlayUnknownCancel)
	return []Spec{
		spec(rule.CancelSupported, cancelled...),
		spec(rule.CancelStatus, cancelled...),
		answers(rule.CancelJSON, booking, cancelled...),
		answers(rule.CancelSuccess, booking, cancelled...),
		spec(rule.CancelVacancies, cancellable, seatsIn(rule.CancelVacancies, booking), optionalStep(seatsIn(rule.CancelVacancies, secondBooking))),
		answers(rule.CancelUnknown, unknown, cancellable),
		answers(rule.CancelUnknownSuccess, unknown, cancellable),
		answers(rule.CancelRepeatStatus, booking, cancelled...),
		answers(rule.CancelRepeatSuccess, booking, cancelled...),
		seats(rule.CancelRepeatVacancies, booking),
		spec(rule.CancelWithoutBody, cancellable, judgeOnce(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Finding {
			return expectAnswer(b.Cancel, b.Stop, Status(ok))
		})),
		answers(rule.CancelWrongKey, secondBooking, cancellable),
		answers(rule.CancelMissingKey, secondBooking, cancellable),
		seats(rule.CancelAuthEffect, secondBooking),
	}
}
