package judge

import (
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

func releaseSpecs() []Spec {
	live := func(r rule.Rule) Spec { return spec(r, held, answersIn(r, join(optionChecks, holding))) }
	answers := func(r rule.Rule, of Stories) Spec { return spec(r, answersIn(r, of)) }
	seats := func(r rule.Rule, of Stories, gates ...Step) Spec {
		return spec(r, appendSteps(gates, seatsIn(r, of))...)
	}
	unknown := story(scenario.PlayUnknownRelease)
	return []Spec{
		live(rule.ReleaseStatus),
		live(rule.ReleaseJSON),
		live(rule.ReleaseSuccess),
		seats(rule.ReleaseVacanciesOne, optionChecks, appendSteps(seatsHeld, oneGuest)...),
		seats(rule.ReleaseVacanciesMany, holding, appendSteps(seatsHeld, severalGuests)...),
		spec(rule.ReleaseRebookable, appendSteps(seatsHeld, weighTries(scenario.PlaySellOut, judgeRebook))...),
		spec(rule.ReleaseWithoutBody, judgeOnce(scenario.PlayHolding, func(h *scenario.Holding) Finding {
			return expectAnswer(h.Release, h.Stop, Status(ok))
		})),
		answers(rule.ReleaseUnknown, unknown),
		answers(rule.ReleaseUnknownSuccess, unknown),
		answers(rule.ReleaseRepeatStatus, holding),
		answers(rule.ReleaseRepeatSuccess, holding),
		seats(rule.ReleaseRepeatVacancies, holding, seatsHeld...),
		answers(rule.ReleaseConfirmed, booking),
		seats(rule.ReleaseConfirmedKeeps, booking),
		spec(rule.ReleaseCancelled, cancellable, answersIn(rule.ReleaseCancelled, booking)),
		seats(rule.ReleaseCancelledVacancies, booking, cancellable),
		answers(rule.ReleaseWrongKey, wrongKeys),
		answers(rule.ReleaseMissingKey, wrongKeys),
		seats(rule.ReleaseAuthEffect, wrongKeys, seatsHeld...),
	}
}

func judgeRebook(t *scenario.SellOut) Try {
	if t.Released != nil && t.Released.Counted && t.Released.Last.Left < 1 {
		return Move{before: t.Full, after: t.Released, by: t.Taken, stop: t.Stop}.try()
	}
	return judgeReserve(t.Released, t.Again, t.Stop, 200, 201)
}
