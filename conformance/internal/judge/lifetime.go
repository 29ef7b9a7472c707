package judge

import (
	"fmt"
	"time"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// IsHoldLength reports whether a rule is about how long a hold lasts. Clocks that are moved make holds seem longer.
func IsHoldLength(of rule.Rule) bool { return of.ID == rule.ReserveExpiresWindow.ID }

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
