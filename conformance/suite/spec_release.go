package suite

import (
	"context"
	"net/http"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
)

func (s *session) describeRelease() {
	ok := haveStatus(http.StatusOK)
	s.judge(rule.ReleaseStatus, func(ctx context.Context, c *check) { c.releases(ctx) })
	s.judge(rule.ReleaseJSON, func(ctx context.Context, c *check) {
		for _, answer := range c.releases(ctx) {
			c.expect(answer).To(beObject())
		}
	})
	s.judge(rule.ReleaseSuccess, func(ctx context.Context, c *check) {
		for _, answer := range c.releases(ctx) {
			c.expect(answer).To(fit(schemas.ReleaseAnswer))
			c.expect(answer).To(succeed())
		}
	})
	s.judge(rule.ReleaseVacanciesOne, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.visitsCount(ctx, false, nil, func(v *visit) change {
			return change{before: v.before, via: []*reading{v.scene.held}, after: v.released, stopped: v.stopped, between: append(v.reserveCall(), sent(v.release)...)}
		})
	})
	s.judge(rule.ReleaseVacanciesMany, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.several(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			h := s.holding(ctx, attempt)
			return change{before: h.before, via: []*reading{h.scene.held}, after: h.released, stopped: h.stopped, between: append(h.reserveCall(), sent(h.release)...)}
		})
	})
	s.judge(rule.ReleaseRebookable, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.past(c.weigh(ctx, 1, func(attempt int) try {
			t := s.sellOut(ctx, attempt)
			if t.released != nil && t.released.Counted && t.released.Left < 1 {
				return unplayed(notHere("the released seats were taken meanwhile"))
			}
			return reserveTry(t.released, t.again, t.afterAgain, t.stopped, http.StatusOK, http.StatusCreated)
		}))
	})
	s.judge(rule.ReleaseWithoutBody, func(ctx context.Context, c *check) {
		h := s.holding(ctx, 0)
		c.reached(h.release != nil, h.stopped)
		c.expect(h.release).To(ok)
	})
	s.judge(rule.ReleaseUnknown, func(ctx context.Context, c *check) { c.expect(c.releaseUnknown(ctx)).To(ok) })
	s.judge(rule.ReleaseUnknownSuccess, func(ctx context.Context, c *check) { c.expect(c.releaseUnknown(ctx)).To(succeed()) })
	s.judge(rule.ReleaseRepeatStatus, func(ctx context.Context, c *check) {
		h := s.holding(ctx, 0)
		c.reached(h.releaseAgain != nil, h.stopped)
		c.show(h.release.Exchange)
		c.expect(h.releaseAgain).To(ok)
		c.expect(h.releaseAgain).To(fit(schemas.ReleaseAnswer))
	})
	s.judge(rule.ReleaseRepeatSuccess, func(ctx context.Context, c *check) {
		h := s.holding(ctx, 0)
		c.reached(h.releaseAgain != nil, h.stopped)
		c.expect(h.releaseAgain).To(succeed())
	})
	s.judge(rule.ReleaseRepeatVacancies, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			h := s.holding(ctx, attempt)
			return change{before: h.before, via: []*reading{h.scene.held, h.released}, after: h.releasedAgain,
				stopped: h.stopped, between: append(h.reserveCall(), sent(h.release, h.releaseAgain)...)}
		})
	})
	s.judge(rule.ReleaseConfirmed, func(ctx context.Context, c *check) {
		b := s.booking(ctx, 0)
		c.reached(b.lateRelease != nil, b.stopped)
		c.show(b.confirm.Exchange)
		c.expect(b.lateRelease).To(ok)
		c.expect(b.lateRelease).To(fit(schemas.ReleaseAnswer))
	})
	s.judge(rule.ReleaseConfirmedKeeps, func(ctx context.Context, c *check) {
		c.seatsMove(ctx, func(attempt int) change {
			b := s.booking(ctx, attempt)
			return change{before: b.repeated, after: b.lateReleased, stopped: b.stopped, between: sent(b.confirm, b.lateRelease)}
		})
	})
	s.describeReleaseCancelled()
	s.describeReleaseKeys()
}

func (s *session) describeReleaseCancelled() {
	s.judge(rule.ReleaseCancelled, func(ctx context.Context, c *check) {
		b := s.booking(ctx, 0)
		c.cancellable(ctx)
		c.reached(b.releaseCancelled != nil, b.stopped)
		c.show(b.cancel.Exchange)
		c.expect(b.releaseCancelled).To(haveStatus(http.StatusOK))
		c.expect(b.releaseCancelled).To(fit(schemas.ReleaseAnswer))
	})
	s.judge(rule.ReleaseCancelledVacancies, func(ctx context.Context, c *check) {
		c.cancellable(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			b := s.booking(ctx, attempt)
			return change{before: b.afterConfirmCancelled, after: b.afterReleaseCancelled, stopped: b.stopped, between: sent(b.releaseCancelled)}
		})
	})
}

func (s *session) describeReleaseKeys() {
	s.judge(rule.ReleaseWrongKey, func(ctx context.Context, c *check) {
		k := s.keys(ctx, 0)
		c.reached(k.releaseWrong != nil, k.stopped)
		c.expect(k.releaseWrong).To(haveStatus(http.StatusUnauthorized))
	})
	s.judge(rule.ReleaseMissingKey, func(ctx context.Context, c *check) {
		k := s.keys(ctx, 0)
		c.reached(k.releaseNone != nil, k.stopped)
		c.expect(k.releaseNone).To(haveStatus(http.StatusUnauthorized))
	})
	s.judge(rule.ReleaseAuthEffect, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			k := s.keys(ctx, attempt)
			return change{before: k.afterReserve, after: k.afterRelease, stopped: k.stopped, between: sent(k.releaseWrong, k.releaseNone)}
		})
	})
}

// releases returns the answers of all visits and of the hold story to the
// release of a live hold; the judging ends where there is none.
func (c *check) releases(ctx context.Context) []*probe.Answer {
	c.held(ctx)
	var answers []*probe.Answer
	c.eachVisit(ctx, func(key string) {
		v := c.visit(ctx, key, 0)
		if v.stopped != nil && v.stopped.Rule != nil && v.stopped.Rule.ID == c.rule.ID {
			c.past(v.stopped)
		}
		if v.release != nil && v.release.OK(http.StatusOK) {
			answers = append(answers, v.release)
		}
	})
	h := c.holding(ctx, 0)
	if h.release != nil && h.release.OK(http.StatusOK) {
		answers = append(answers, h.release)
	}
	c.reached(len(answers) > 0, h.stopped)
	return answers
}

// releaseUnknown releases a code that no partner can know.
func (c *check) releaseUnknown(ctx context.Context) *probe.Answer {
	return c.once("release unknown", func() (*probe.Answer, *obstacle) {
		return c.release(ctx, "release an unknown code", c.unknownCode(), true, probe.GoodKey)
	})
}
