package suite

import (
	"context"
	"net/http"
	"time"

	"github.com/onsi/ginkgo/v2"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
)

// expiryRules are the rules about holds that expired.
var expiryRules = []rule.Rule{
	rule.ConfirmExpired, rule.ConfirmExpiredNoEffect,
	rule.ReleaseExpiredByItself, rule.ReleaseExpired, rule.ReleaseExpiredVacancies,
}

// describeExpiry judges what becomes of a hold that nobody confirms in time, late
// in the run: where it has to be waited for, all else is judged meanwhile.
func (s *session) describeExpiry() {
	ginkgo.BeforeAll(func(spec ginkgo.SpecContext) { s.awaitExpiry(spec) })
	s.judge(rule.ConfirmExpired, func(ctx context.Context, c *check) {
		e := c.expired(ctx)
		c.reached(e.confirm != nil, e.stopped)
		c.show(e.hold.answer.Exchange)
		c.expect(e.confirm).To(haveStatus(http.StatusBadRequest))
	})
	s.judge(rule.ConfirmExpiredNoEffect, func(ctx context.Context, c *check) {
		c.expired(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			e := s.expiry(ctx, attempt)
			return change{before: e.expired, after: e.refused, stopped: e.stopped, between: sent(e.confirm)}
		})
	})
	s.judge(rule.ReleaseExpiredByItself, func(ctx context.Context, c *check) {
		c.expired(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			e := s.expiry(ctx, attempt)
			return e.back(nil, e.expired)
		})
	})
	s.judge(rule.ReleaseExpired, func(ctx context.Context, c *check) {
		e := c.expired(ctx)
		c.reached(e.release != nil, e.stopped)
		c.show(e.hold.answer.Exchange)
		c.expect(e.release).To(haveStatus(http.StatusOK))
		c.expect(e.release).To(succeed())
	})
	s.judge(rule.ReleaseExpiredVacancies, func(ctx context.Context, c *check) {
		c.expired(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			e := s.expiry(ctx, attempt)
			return e.back([]*reading{e.expired, e.refused}, e.released, sent(e.release)...)
		})
	})
}

// describeRefusals judges the words of the confirms that were refused, once all are.
func (s *session) describeRefusals() {
	s.judge(rule.ConfirmRefusalMessage, func(ctx context.Context, c *check) {
		answers := []*probe.Answer{c.confirmUnknown(ctx), s.holding(ctx, 0).confirmReleased, s.booking(ctx, 0).confirmCancelled}
		if s.clock.movable() || s.waits() {
			answers = append(answers, s.expiry(ctx, 0).confirm)
		}
		for _, answer := range answers {
			if answer != nil && answer.OK(http.StatusBadRequest) {
				c.expect(answer).To(fit(schemas.Refusal))
			}
		}
	})
}

// expired returns the story of the hold that expired. Where there is no clock to
// be moved, and nobody wants to wait, the rule is left out.
func (c *check) expired(ctx context.Context) *expiryStory {
	if err := c.clockTrouble; err != nil {
		c.inconclusive("%v", err)
	}
	if !c.clock.movable() && !c.waits() {
		c.skipped("a hold outlives the run: --include-slow waits for it, --clock-url lets the suite move the target's clock instead")
	}
	h := c.held(ctx)
	if h.expires.IsZero() {
		c.blocked(rule.ReserveExpiresAt.ID)
	}
	c.holdsCount(ctx)
	if c.waits() && !c.worthWaiting(h) {
		c.inconclusive("no more than %s are waited for, and a hold lives %s", LongestWait, h.life.Round(time.Second))
	}
	return c.expiry(ctx, 0)
}
