package suite

import (
	"context"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
)

// expiringStory is a hold that nobody will confirm in time.
type expiringStory struct {
	scene
	ending *reading // shortly before it expires, where the run itself waits for that
}

// expiring begins the story of a hold that expires.
func (s *session) expiring(ctx context.Context, attempt int) *expiringStory {
	return play(s, "expiring", attempt, func(e *expiringStory) {
		want := onSameOption(discover.Want{Seats: 1, Counted: true}, attempt, func() scene { return s.expiring(ctx, 0).scene })
		e.scene = s.open(ctx, casting{purpose: "reserve 1 seat, and let it expire", want: want, party: leads(1), full: true})
	})
}

// expiryStory is what becomes of a hold that nobody confirmed in time.
type expiryStory struct {
	*expiringStory
	stopped  *obstacle
	expired  *reading // after expiresAt, before anything is sent
	confirm  *probe.Answer
	refused  *reading // after the confirm
	release  *probe.Answer
	released *reading
}

// expiry plays the story of the hold that expires.
func (s *session) expiry(ctx context.Context, attempt int) *expiryStory {
	return play(s, "expiry", attempt, func(e *expiryStory) {
		e.expiringStory = s.expiring(ctx, attempt)
		e.stopped = e.expiringStory.stopped
		steps(&e.stopped,
			func() *obstacle { return s.outlive(ctx, e.hold) },
			s.count(ctx, e.offer, "after the hold expired", &e.expired),
			func() (o *obstacle) {
				e.confirm, o = s.sendConfirm(ctx, "confirm the expired code", e.hold, true, probe.GoodKey)
				return o
			},
			s.count(ctx, e.offer, "after the expired code was confirmed", &e.refused),
			func() (o *obstacle) {
				e.release, o = s.release(ctx, "release the expired code", e.hold.code, true, probe.GoodKey)
				return o
			},
			s.count(ctx, e.offer, "after the expired code was released", &e.released),
		)
		if e.release != nil && e.release.OK(http.StatusOK) {
			s.settle(e.hold)
		}
	})
}

// outlive is the step that has a hold expire: the target's clock is moved, or the
// run has waited.
func (s *session) outlive(ctx context.Context, h *hold) *obstacle {
	if s.waits() {
		switch _, over := s.ends(h); {
		case ctx.Err() != nil:
			return s.outOfTime()
		case time.Now().Before(over):
			return missing("no further hold was waited for")
		default:
			return nil
		}
	}
	if err := s.clock.advance(ctx, h.expires.Sub(s.now())+time.Second); err != nil {
		return missing("%v", err)
	}
	return nil
}

// back is the expectation that the hold's seat is back in a later reading.
func (e *expiryStory) back(via []*reading, after *reading, between ...*probe.Exchange) change {
	m := change{before: e.before, via: append([]*reading{e.held}, via...), after: after, stopped: e.stopped, between: append(e.reserveCall(), between...)}
	if e.ending != nil { // seats are less likely to have been moved by others since then
		m.before, m.via, m.by = e.ending, via, 1
	}
	return m
}
