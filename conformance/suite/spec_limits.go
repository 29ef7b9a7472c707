package suite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// describeLimits judges the limits, once all calls are made.
func (s *session) describeLimits() {
	for _, r := range []rule.Rule{
		rule.ProductsLimit, rule.ProbeLimit, rule.AvailabilityLimit, rule.ReserveLimit, rule.ConfirmLimit, rule.ReleaseLimit, rule.CancelLimit,
	} {
		s.judge(r, func(ctx context.Context, c *check) { c.inTime(ctx) })
	}
	s.describeAim()
}

// inTime judges one limit: two late answers of three break it, a single one is
// a warning (LIM-3).
func (c *check) inTime(ctx context.Context) {
	if c.rule.ID == rule.CancelLimit.ID {
		c.ifCancellable()
	}
	pace := c.paces[c.rule.ID]
	if broken := pace.broken(); broken != nil {
		c.past(broken)
	}
	times := pace.times()
	if len(times) == 0 {
		if stopped := c.surveyed(ctx).stopped; stopped != nil {
			c.past(stopped)
		}
		c.inconclusive("no call was answered")
	}
	if late := pace.lateCalls(); len(late) > 0 {
		c.show(late...)
		c.end(report.Warned, fmt.Sprintf("want the whole answer within %s: %d of %d calls took longer, the worst %s",
			pace.limit, len(late), len(times), slices.Max(times).Round(time.Millisecond)))
	}
}
