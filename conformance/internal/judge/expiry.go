package judge

import (
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// expires lists the steps that check whether the run can let a hold expire.
var expires = append([]Step{
	judgeOnce(scenario.PlayMeans, canExpire),
	held,
	judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding {
		if b.Hold.Expires.IsZero() {
			return blockedBy(rule.ReserveExpiresAt)
		}
		return Finding{}
	}),
}, append(seatsHeld[1:], judgeOnce(scenario.PlayUnexpirable, func(h *scenario.Hold) Finding {
	if h != nil {
		return Doubt("the run waits at most %s for a hold to expire, and the partner's expires after %s", scenario.LongestWait, h.Life.Round(time.Second)).
			withRemedy("Shorten the partner's holds, or run with --clock-url.")
	}
	return Finding{}
}))...)

// expirySpecs returns the specs that judge what happens to a hold that is not confirmed in time.
// They are judged late in the run, so that all other rules are judged while the run waits.
func expirySpecs() (specs []Spec) {
	specs = append(specs, keptSpec())
	for _, s := range ExpiringCaseSpecs() {
		specs = append(specs, spec(s.Rule, appendSteps(expires, s.Steps...)...))
	}
	return specs
}

// ExpiringCaseSpecs returns the same specs for a case that was left to expire. A rule that may
// cause another's breach comes first.
func ExpiringCaseSpecs() []Spec {
	expiry := story(scenario.PlayExpiry)
	return []Spec{
		spec(rule.ConfirmExpired, answersIn(rule.ConfirmExpired, expiry)),
		spec(rule.ConfirmExpiredNoEffect, seatsIn(rule.ConfirmExpiredNoEffect, expiry)),
		spec(rule.ReleaseExpiredByItself, weighSeats(scenario.PlayExpiry, returnedByItself)),
		spec(rule.ReleaseExpired, answersIn(rule.ReleaseExpired, expiry)),
		spec(rule.ReleaseExpiredVacancies, seatsIn(rule.ReleaseExpiredVacancies, expiry)),
	}
}

// expiryWithMeans plays a hold that expires, if the run can let one expire.
func expiryWithMeans(ctx context.Context, p *scenario.Player) []Play[scenario.Story] {
	if m := scenario.PlayMeans(ctx, p, 0); !m.Moves && !m.Waits {
		return nil
	}
	return story(scenario.PlayExpiry)(ctx, p)
}

func canExpire(m scenario.Means) Finding {
	switch {
	case m.ClockErr != nil:
		return Doubt("%v", m.ClockErr).withRemedy("Check --clock-url.")
	case !m.Moves && !m.Waits:
		return ends(report.Skipped, "the run did not wait for a hold to expire").withRemedy(waitRemedy(m.Life))
	default:
		return Finding{}
	}
}

// waitRemedy returns how a hold with that lifetime can expire in a run.
func waitRemedy(life time.Duration) string {
	switch {
	case life <= 0:
		return "Run with --clock-url, or with --include-slow, which waits."
	case life > scenario.LongestWait:
		return fmt.Sprintf("Run with --clock-url. The partner's holds expire after %.0f s, and --include-slow waits at most %.0f s.", life.Seconds(), scenario.LongestWait.Seconds())
	default:
		return fmt.Sprintf("Run with --include-slow, which waits about %.0f s for the holds to expire, or with --clock-url.", life.Seconds())
	}
}

// returnedByItself expects that the hold's seats are available again before it is released.
func returnedByItself(e *scenario.Expiry) Move {
	m := Move{before: e.Before, via: []*scenario.Reading{e.Held}, after: e.Expired, stop: e.Stop, between: e.Reserve()}
	if e.Ending != nil { // fewer customers can have changed seats since then
		m.before, m.via, m.by, m.infants = e.Ending, nil, e.Guests, e.Infants
	}
	return m
}
