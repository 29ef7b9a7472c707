package judge

import (
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
	for _, s := range ExpiringCaseSpecs() {
		specs = append(specs, spec(s.Rule, appendSteps(expires, s.Steps...)...))
	}
	return specs
}

// ExpiringCaseSpecs returns the same specs for a case that was left to expire. A rule that may
// cause another's breach comes first.
func ExpiringCaseSpecs() []Spec {
	move := func(r rule.Rule, move func(*scenario.Expiry) Move) Spec {
		return spec(r, weighSeats(scenario.PlayExpiry, move))
	}
	expired := func(r rule.Rule, judge func(*scenario.Expiry) Finding) Spec {
		return spec(r, judgeOnce(scenario.PlayExpiry, judge))
	}
	return []Spec{
		expired(rule.ConfirmExpired, func(e *scenario.Expiry) Finding {
			return expectAfter(e.Confirm, e.Stop, reserveAct(e), Status(refusal))
		}),
		move(rule.ConfirmExpiredNoEffect, func(e *scenario.Expiry) Move {
			return expectUnchanged(e.Expired, e.Stop, e.Confirm)
		}),
		move(rule.ReleaseExpiredByItself, func(e *scenario.Expiry) Move { return returnedSeats(e, nil, e.Expired) }),
		expired(rule.ReleaseExpired, func(e *scenario.Expiry) Finding {
			return expectAfter(e.Release, e.Stop, reserveAct(e), Status(ok), Succeed)
		}),
		move(rule.ReleaseExpiredVacancies, func(e *scenario.Expiry) Move {
			return returnedSeats(e, []*scenario.Reading{e.Expired, e.Confirm.After}, e.Release.After, exchangesOf(e.Release)...)
		}),
	}
}

func canExpire(m scenario.Means) Finding {
	switch {
	case m.ClockErr != nil:
		return Doubt("%v", m.ClockErr).withRemedy("Check --clock-url.")
	case !m.Moves && !m.Waits:
		return ends(report.Skipped, "the run did not wait for a hold to expire").withRemedy("Run with --clock-url, or with --include-slow, which waits.")
	default:
		return Finding{}
	}
}

// returnedSeats expects that the hold's seats are available again in a later reading.
func returnedSeats(e *scenario.Expiry, via []*scenario.Reading, after *scenario.Reading, between ...*report.Exchange) Move {
	m := Move{before: e.Before, via: append([]*scenario.Reading{e.Held}, via...), after: after, stop: e.Stop, between: append(e.Reserve(), between...)}
	if e.Ending != nil { // fewer customers can have changed seats since then
		m.before, m.via, m.by, m.infants = e.Ending, via, e.Guests, e.Infants
	}
	return m
}

func reserveAct(e *scenario.Expiry) scenario.Act {
	if e.Hold == nil {
		return scenario.Act{}
	}
	return scenario.Act{Answer: e.Hold.Answer}
}
