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

// age describes how old a hold is when a call about it is answered, by the partner's clock, if that is most of its lifetime; ""
// otherwise.
func (h holdRecord) age(answer *probe.Answer) string {
	if h.reserve == nil || h.life <= 0 {
		return ""
	}
	old := answer.PartnerTime().Sub(h.reserve.PartnerTime())
	if 2*old <= h.life {
		return ""
	}
	return fmt.Sprintf(", for a hold that is %s old and expires after %s", old.Round(time.Second), h.life.Round(time.Second))
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
