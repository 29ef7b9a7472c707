package suite

import (
	"context"
	"net/http"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
)

func (s *session) describeCancel() {
	ok := haveStatus(http.StatusOK)
	s.judge(rule.CancelSupported, func(ctx context.Context, c *check) { c.cancelled(ctx) })
	s.judge(rule.CancelStatus, func(ctx context.Context, c *check) { c.cancelled(ctx) })
	s.judge(rule.CancelJSON, func(ctx context.Context, c *check) { c.expect(c.cancelled(ctx).cancel).To(beObject()) })
	s.judge(rule.CancelSuccess, func(ctx context.Context, c *check) {
		b := c.cancelled(ctx)
		c.expect(b.cancel).To(fit(schemas.CancelAnswer))
		c.expect(b.cancel).To(succeed())
	})
	s.judge(rule.CancelVacancies, func(ctx context.Context, c *check) {
		c.cancellable(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			b := s.booking(ctx, attempt)
			return change{before: b.before, via: []*reading{b.scene.held, b.confirmed, b.repeated, b.lateReleased}, after: b.cancelled,
				stopped: b.stopped, between: append(b.reserveCall(), sent(b.confirm, b.cancel)...)}
		})
		if b := s.second(ctx, 0); b.cancelled != nil {
			_, o := c.seatsCounted(ctx, func(attempt int) change {
				b := s.second(ctx, attempt)
				return change{before: b.before, via: []*reading{b.scene.held, b.confirmed, b.afterNoKey}, after: b.cancelled,
					stopped: b.stopped, between: append(b.reserveCall(), sent(b.confirm, b.cancel)...)}
			})
			c.past(o)
		}
	})
	s.judge(rule.CancelUnknown, func(ctx context.Context, c *check) { c.expect(c.cancelUnknown(ctx)).To(ok) })
	s.judge(rule.CancelUnknownSuccess, func(ctx context.Context, c *check) { c.expect(c.cancelUnknown(ctx)).To(succeed()) })
	s.judge(rule.CancelRepeatStatus, func(ctx context.Context, c *check) {
		b := c.cancelled(ctx)
		c.reached(b.cancelAgain != nil, b.stopped)
		c.show(b.cancel.Exchange)
		c.expect(b.cancelAgain).To(ok)
		c.expect(b.cancelAgain).To(fit(schemas.CancelAnswer))
	})
	s.judge(rule.CancelRepeatSuccess, func(ctx context.Context, c *check) {
		b := c.cancelled(ctx)
		c.reached(b.cancelAgain != nil, b.stopped)
		c.show(b.cancel.Exchange)
		c.expect(b.cancelAgain).To(succeed())
	})
	s.judge(rule.CancelRepeatVacancies, func(ctx context.Context, c *check) {
		c.cancellable(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			b := s.booking(ctx, attempt)
			return change{before: b.cancelled, after: b.cancelledAgain, stopped: b.stopped, between: sent(b.cancel, b.cancelAgain)}
		})
	})
	s.judge(rule.CancelWithoutBody, func(ctx context.Context, c *check) {
		b := c.secondCancellable(ctx)
		c.reached(b.cancel != nil, b.stopped)
		c.expect(b.cancel).To(ok)
	})
	s.describeCancelKeys()
}

func (s *session) describeCancelKeys() {
	s.judge(rule.CancelWrongKey, func(ctx context.Context, c *check) {
		b := c.secondCancellable(ctx)
		c.reached(b.wrongKey != nil, b.stopped)
		c.expect(b.wrongKey).To(haveStatus(http.StatusUnauthorized))
	})
	s.judge(rule.CancelMissingKey, func(ctx context.Context, c *check) {
		b := c.secondCancellable(ctx)
		c.reached(b.noKey != nil, b.stopped)
		c.expect(b.noKey).To(haveStatus(http.StatusUnauthorized))
	})
	s.judge(rule.CancelAuthEffect, func(ctx context.Context, c *check) {
		c.secondCancellable(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			b := s.second(ctx, attempt)
			return change{before: b.confirmed, after: b.afterNoKey, stopped: b.stopped, between: sent(b.wrongKey, b.noKey)}
		})
	})
}

// cancellable ends the judging where the partner takes no cancellations (CAN-6),
// as the booking story shows.
func (c *check) cancellable(ctx context.Context) {
	c.booking(ctx, 0)
	c.ifCancellable()
}

// ifCancellable is cancellable as far as it is known already.
func (c *check) ifCancellable() {
	if c.noCancel {
		c.notApplicable("the partner takes no cancellations")
	}
}

// cancelled returns the booking story once its booking was cancelled.
func (c *check) cancelled(ctx context.Context) *bookingStory {
	b := c.booking(ctx, 0)
	c.cancellable(ctx)
	c.reached(b.cancel != nil, b.stopped)
	if !b.cancel.OK(http.StatusOK) {
		c.past(b.stopped)
	}
	return b
}

// secondCancellable returns the story of the second booking.
func (c *check) secondCancellable(ctx context.Context) *secondStory {
	c.cancellable(ctx)
	return c.second(ctx, 0)
}

// cancelUnknown cancels a booking that no partner can know.
func (c *check) cancelUnknown(ctx context.Context) *probe.Answer {
	c.cancellable(ctx)
	return c.once("cancel unknown", func() (*probe.Answer, *obstacle) {
		return c.cancel(ctx, "cancel an unknown booking", c.unknownCode(), true, probe.GoodKey)
	})
}
