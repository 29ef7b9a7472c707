package judge

import (
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
)

func releaseSpecs() []Spec {
	live := func(r rule.Rule, checks ...Check) Spec {
		return spec(r, held, judgeOnce(scenario.PlayReleases, func(all scenario.Releases) Finding { return releases(r, all, checks...) }))
	}
	unknown := func(r rule.Rule, check Check) Spec {
		return spec(r, judgeOnce(scenario.PlayUnknownRelease, func(h *scenario.RepeatedCall) Finding { return expectRepeated(*h, check) }))
	}
	fits := []Check{Status(ok), MatchesSchema(schemas.ReleaseAnswer)}
	return []Spec{
		live(rule.ReleaseStatus),
		live(rule.ReleaseJSON, scenario.NoObject),
		live(rule.ReleaseSuccess, MatchesSchema(schemas.ReleaseAnswer), Succeed),
		spec(rule.ReleaseVacanciesOne, appendSteps(seatsHeld, andOptionChecks(Step{}, func(v *scenario.OptionCheck) Move { return expectReturned(&v.Opening, v.Release) }))...),
		spec(rule.ReleaseVacanciesMany, appendSteps(seatsHeld, several, weighSeats(scenario.PlayHolding, func(h *scenario.Holding) Move {
			return expectReturned(&h.Opening, h.Release)
		}))...),
		spec(rule.ReleaseRebookable, appendSteps(seatsHeld, weighTries(1, scenario.PlaySellOut, judgeRebook))...),
		spec(rule.ReleaseWithoutBody, judgeOnce(scenario.PlayHolding, func(h *scenario.Holding) Finding {
			return expectAfter(h.Release, h.Stop, scenario.Act{}, Status(ok))
		})),
		unknown(rule.ReleaseUnknown, Status(ok)),
		unknown(rule.ReleaseUnknownSuccess, Succeed),
		spec(rule.ReleaseRepeatStatus, judgeOnce(scenario.PlayHolding, func(h *scenario.Holding) Finding {
			return afterEach(h.ReleasesAgain, h.Stop, h.Release, fits...)
		})),
		spec(rule.ReleaseRepeatSuccess, judgeOnce(scenario.PlayHolding, func(h *scenario.Holding) Finding {
			return afterEach(h.ReleasesAgain, h.Stop, scenario.Act{}, Succeed)
		})),
		spec(rule.ReleaseRepeatVacancies, appendSteps(seatsHeld, weighSeats(scenario.PlayHolding, func(h *scenario.Holding) Move {
			return expectReturned(&h.Opening, append([]scenario.Act{h.Release}, h.ReleasesAgain...)...)
		}))...),
		spec(rule.ReleaseConfirmed, judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding {
			return expectAfter(b.LateRelease, b.Stop, b.Confirm, fits...)
		})),
		spec(rule.ReleaseConfirmedKeeps, weighSeats(scenario.PlayBooking, func(b *scenario.Booking) Move {
			return expectUnchanged(lastAct(b.Repeats).After, b.Stop, b.Confirm, b.LateRelease)
		})),
		spec(rule.ReleaseCancelled, cancellable, judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding {
			return expectAfter(b.ReleaseCancelled, b.Stop, b.Cancel, fits...)
		})),
		spec(rule.ReleaseCancelledVacancies, cancellable, weighSeats(scenario.PlayBooking, func(b *scenario.Booking) Move {
			return expectUnchanged(b.ConfirmCancelled.After, b.Stop, b.ReleaseCancelled)
		})),
		spec(rule.ReleaseWrongKey, keyRefused(func(k *scenario.WrongKeys) scenario.Act { return k.ReleaseWrong })),
		spec(rule.ReleaseMissingKey, keyRefused(func(k *scenario.WrongKeys) scenario.Act { return k.ReleaseNone })),
		spec(rule.ReleaseAuthEffect, appendSteps(seatsHeld, weighSeats(scenario.PlayWrongKeys, func(k *scenario.WrongKeys) Move {
			return expectUnchanged(k.ReserveNone.After, k.Stop, k.ReleaseWrong, k.ReleaseNone)
		}))...),
	}
}

// releases checks the answers to releases of live holds, of all option checks and of the Holding.
func releases(r rule.Rule, all scenario.Releases, checks ...Check) Finding {
	var answers []*probe.Answer
	take := func(act scenario.Act) {
		if act.Answer != nil && act.Answer.HasStatus(200) {
			answers = append(answers, act.Answer)
		}
	}
	for _, v := range all.OptionChecks {
		if f := FromStop(v.Stop); f.Cause != nil && f.Cause.ID == r.ID {
			return f
		}
		take(v.Release)
	}
	take(all.Holding.Release)
	return requireFact(len(answers) > 0, all.Holding.Stop).or(func() Finding { return expectEach(answers, checks...) })
}

func judgeRebook(t *scenario.SellOut) Try {
	if t.Released != nil && t.Released.Counted && t.Released.Last.Left < 1 {
		return Move{before: t.Full, after: t.Released, by: t.Taken, stop: t.Stop}.try()
	}
	return judgeReserve(t.Released, t.Again, t.Stop, 200, 201)
}
