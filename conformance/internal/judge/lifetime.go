package judge

import (
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// IsHoldLength reports whether a rule is about how long a hold lasts. Clocks that are moved make holds seem longer.
func IsHoldLength(of rule.Rule) bool { return of.ID == rule.ReserveExpiresWindow.ID }

// isOld reports whether most of the lifetime of a hold has passed when a call about it is answered, by the partner's clock.
func (h holdRecord) isOld(answer *probe.Answer) bool {
	return h.reserve != nil && h.life > 0 && 2*answer.PartnerTime().Sub(h.reserve.PartnerTime()) > h.life
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
