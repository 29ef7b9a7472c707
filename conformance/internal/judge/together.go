package judge

import (
	"context"

	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
)

// TogetherSpecs returns the specs that judge rules again while several holds and bookings of one
// slot are live: none of them may change what becomes of another.
func TogetherSpecs(given Given) (specs []Spec) {
	for _, r := range []rule.Rule{
		rule.ReserveStatus, rule.ReserveAccepts, rule.ReserveRefusalMessage, rule.ReserveVacanciesOne, rule.ReserveVacanciesMany, rule.ReserveTooMany, rule.ReserveRefusalNoEffect, rule.ReserveCodeUnique,
		rule.ConfirmStatus, rule.ConfirmVacancies, rule.ConfirmRepeatBooking, rule.ConfirmRepeatVacancies, rule.ConfirmIDUnique,
		rule.ConfirmUnknown, rule.ConfirmReleased, rule.ConfirmReleasedNoEffect, rule.ConfirmCancelled, rule.ConfirmCancelledNoEffect, rule.ConfirmRefusalMessage,
		rule.ReleaseStatus, rule.ReleaseSuccess, rule.ReleaseRepeatSuccess, rule.ReleaseVacanciesOne, rule.ReleaseVacanciesMany, rule.ReleaseUnknown, rule.ReleaseRepeatStatus, rule.ReleaseRepeatVacancies,
		rule.ReleaseConfirmed, rule.ReleaseConfirmedKeeps, rule.ReleaseCancelled, rule.ReleaseCancelledVacancies,
		rule.CancelStatus, rule.CancelSuccess, rule.CancelRepeatSuccess, rule.CancelVacancies, rule.CancelUnknown, rule.CancelRepeatStatus, rule.CancelRepeatVacancies,
	} {
		specs = append(specs, spec(r, judgeOnce(playTogether(given), func(t *explore.Together) Finding {
			if t.Broken == nil || t.Rule.ID != r.ID {
				return Finding{}
			}
			return Breach("with other holds or bookings of the slot, a lifecycle of %d steps fails at the last one, %s: %s", len(t.Broken.Steps), t.Does, t.Flaw).WithEvidence(t.Shown...)
		})))
	}
	return specs
}

// playTogether returns a function that plays lifecycles of several holds and bookings of one slot.
func playTogether(given Given) play[*explore.Together] {
	return func(ctx context.Context, p *scenario.Player, _ int) *explore.Together {
		return explore.PlayTogether(ctx, p, func() trace.Judge { return NewLifecycle(given, nil, map[string]bool{}) })
	}
}
