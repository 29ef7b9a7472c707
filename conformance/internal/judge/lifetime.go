package judge

import (
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// IsHoldLength reports whether a rule is about how long a hold lasts. Clocks that are moved make holds seem longer.
func IsHoldLength(of rule.Rule) bool { return of.ID == rule.ReserveExpiresWindow.ID }

// lose returns the law of a live hold whose seats are free, in the slots of one day or of many (wide): there they may never
// have been taken.
func (h *holdRecord) lose(wide bool) rule.Rule {
	if wide {
		return h.takes
	}
	h.lost = true
	return rule.ReserveKeptUntilExpiry
}

// lawOfRefusal returns the law of a refused confirm of a live hold, and what it came after. freed: its seats are shown as free.
func (h *holdRecord) lawOfRefusal(freed bool) (of rule.Rule, after string) {
	if !h.lost && !freed {
		return StatusRule(partnerapi.Confirm), ""
	}
	return rule.ReserveKeptUntilExpiry, ", after its slot had as many seats as before the hold"
}

// keptSpec returns the spec of the rule that a hold keeps its seats until it expires.
func keptSpec() Spec {
	return spec(rule.ReserveKeptUntilExpiry, appendSteps(expires, weighSeats(scenario.PlayExpiry, keptUntilExpiry))...)
}

// keptUntilExpiry expects that the hold still has its seats shortly before it expires.
func keptUntilExpiry(e *scenario.Expiry) Move {
	m := Move{before: e.Held, after: e.Ending, stop: e.Stop, between: e.Reserve()}
	if e.Ending == nil && m.stop == nil {
		m.stop = partner.NewStop("the seats could not be counted shortly before the hold expired")
	}
	return m
}

// lifeFlaws returns what is wrong with the lifetime of a hold that keeps seats: that it is over, and that it is not from
// 15 to 30 minutes.
func lifeFlaws(life time.Duration) (later, within string) {
	const tolerance = time.Minute // the clocks of two machines differ slightly
	if life <= 0 {
		return fmt.Sprintf("Expected a time in the future, received one %s ago", (-life).Round(time.Second)), ""
	}
	if life < partnerapi.HoldAtLeast-tolerance || life > partnerapi.HoldAtMost+tolerance {
		within = fmt.Sprintf("Expected 15 to 30 minutes ahead, received %s", life.Round(time.Second))
	}
	return "", within
}

// takeLife judges when a hold expires.
func (l *Lifecycle) takeLife(j *trace.Judgement, act trace.Act) {
	if act.Life == 0 {
		return
	}
	later, within := lifeFlaws(act.Life)
	l.find(j, rule.ReserveExpiresLater, later)
	if act.Life <= partnerapi.HoldlessAfter {
		l.find(j, rule.ReserveExpiresWindow, within)
	}
}
