package judge

import (
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

func cancelSpecs() []Spec {
	answers := func(r rule.Rule, of Stories, gates ...Step) Spec {
		return spec(r, appendSteps(gates, answersIn(r, of))...)
	}
	seats := func(r rule.Rule, of Stories) Spec { return spec(r, cancellable, seatsIn(r, of)) }
	unknown := story(scenario.PlayUnknownCancel)
	return []Spec{
		spec(rule.CancelSupported, cancelled...),
		spec(rule.CancelStatus, cancelled...),
		answers(rule.CancelJSON, booking, cancelled...),
		answers(rule.CancelSuccess, booking, cancelled...),
		spec(rule.CancelVacancies, cancellable, seatsIn(rule.CancelVacancies, booking), seatsIn(rule.CancelVacancies, secondBooking).withNeed(Further)),
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
