package suite

import (
	"context"

	"partnerkit.dev/conformance/internal/rule"
)

// describeExploration judges lifecycles that nobody thought of.
func (s *session) describeExploration() {
	s.judge(rule.AvailabilityLifecycle, func(ctx context.Context, c *check) {
		c.booked(ctx) // so that it is known whether the partner keeps seats for holds, and takes cancellations
		e := s.exploration(ctx)
		if e.broken != nil {
			c.show(e.broken.shown...)
			c.fail("a story of %d steps breaks at its last, %s: %s", len(e.broken.steps), e.broken.steps[len(e.broken.steps)-1].Does, e.broken.flaw)
		}
		c.past(e.stopped)
		if 2*e.told.Disturbed > e.told.Played {
			c.inconclusive("other customers moved the seats in %d of the %d stories", e.told.Disturbed, e.told.Played)
		}
	})
}
