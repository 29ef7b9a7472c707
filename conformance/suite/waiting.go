package suite

import (
	"context"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/rule"
)

const (
	// LongestWait is how long a hold may live that a run waits for.
	LongestWait = 35 * time.Minute
	// expiringHolds is how many holds expire together: what is not as expected at
	// first is measured again, and nobody waits twice.
	expiringHolds = 3
	// Clocks differ, and what sweeps holds comes round now and then: around the end
	// of a hold, a share of its life proves nothing.
	marginShare                 = 20
	leastMargin, greatestMargin = time.Second, time.Minute
	// leastApart is how far apart the looks at a slot are while a hold on it is waited
	// for, at the least.
	leastApart = time.Second
)

// waits reports whether the run itself waits for holds to expire.
func (s *session) waits() bool {
	return s.config.IncludeSlow && !s.clock.movable() && s.clockTrouble == nil
}

// ends returns, by this machine's clock, until when a hold has surely not expired,
// and from when on it surely has. The Date of its answer shows how far the
// partner's clock is off.
func (s *session) ends(h *hold) (live, over time.Time) {
	first, last := h.expires, h.expires
	if date, err := http.ParseTime(h.answer.Response.Header.Get("Date")); err == nil {
		dated := h.answered.Add(h.expires.Sub(date))
		if dated.Before(first) {
			first = dated
		} else {
			last = dated
		}
	}
	margin := min(max(h.life/marginShare, leastMargin), greatestMargin)
	return first.Add(-margin), last.Add(margin)
}

// worthWaiting reports whether a hold expires while a run waits for it.
func (s *session) worthWaiting(h *hold) bool {
	if h.expires.IsZero() || s.holdless {
		return false
	}
	_, over := s.ends(h)
	return over.Sub(h.answered) <= LongestWait
}

// expireEarly begins the holds that are to expire where they outlive the rest of
// the run, so that all else is judged meanwhile. Shorter ones are begun at its end:
// they would give their seats back in the middle of another story.
func (s *session) expireEarly(ctx context.Context, h *hold) {
	if s.waits() && h.life > s.config.MaxDuration && s.worthWaiting(h) && s.judges(expiryRules) {
		s.beginExpiring(ctx)
	}
}

// judges reports whether one of the rules is run.
func (s *session) judges(rules []rule.Rule) bool {
	return slices.ContainsFunc(rules, func(r rule.Rule) bool { return s.choice.run[r.ID] })
}

// beginExpiring makes the holds that are to expire, and returns their stories.
func (s *session) beginExpiring(ctx context.Context) (begun []*expiringStory) {
	for attempt := range expiringHolds {
		e := s.expiring(ctx, attempt)
		if e.stopped != nil || e.hold.expires.IsZero() {
			break
		}
		begun = append(begun, e)
	}
	return begun
}

// awaitExpiry waits until the holds that are to expire have expired; their seats
// are counted shortly before. It ends at once when the run is asked to end.
func (s *session) awaitExpiry(spec context.Context) {
	s.stage.Lock()
	defer s.stage.Unlock()
	if s.waits() {
		s.awaitAll(spec, s.expiringWithin(spec))
	}
	if spec.Err() != nil { // Ginkgo, which hears signals, ended the waiting
		s.stopped.Store(true)
	}
}

// expiringWithin returns the stories to be waited for; there are none where a hold
// shows that it would be in vain.
func (s *session) expiringWithin(spec context.Context) []*expiringStory {
	ctx, cancel := s.within(spec)
	defer cancel()
	if b := s.booking(ctx, 0); b.hold == nil || !s.worthWaiting(b.hold) {
		return nil
	}
	begun := s.beginExpiring(ctx)
	if ctx.Err() != nil {
		return nil // there is no time left to judge what comes of them
	}
	return begun
}

func (s *session) awaitAll(spec context.Context, begun []*expiringStory) {
	if len(begun) == 0 {
		return
	}
	live, over := s.ends(begun[0].hold)
	for _, e := range begun[1:] {
		l, o := s.ends(e.hold)
		if l.Before(live) {
			live = l
		}
		if o.After(over) {
			over = o
		}
	}
	s.config.Waiting(over)
	if time.Now().Before(live) {
		s.watchUntil(spec, begun, live)
	}
	s.sleep(spec, over)
}

// watchUntil counts the seats of the slots whose holds are waited for, again and again,
// the last time shortly before the holds expire. Nothing else shows how likely it is
// that others move the seats while they expire, which takes long.
func (s *session) watchUntil(spec context.Context, begun []*expiringStory, live time.Time) {
	s.countEnding(spec, begun)
	apart := max(time.Until(live)/mostLooks, leastApart)
	for next := time.Now().Add(apart); next.Before(live) && s.sleep(spec, next); next = time.Now().Add(apart) {
		s.countEnding(spec, begun)
	}
	if s.sleep(spec, live) {
		s.countEnding(spec, begun)
	}
}

// countEnding counts the seats of the slots whose holds are going to expire. It is
// a part of the waiting, and takes nothing of the run's time.
func (s *session) countEnding(spec context.Context, begun []*expiringStory) {
	began := time.Now()
	ctx, cancel := s.within(spec)
	defer cancel()
	for _, e := range begun {
		read, o := s.look(ctx, e.offer, "shortly before the hold expires")
		if o == nil && e.ending != nil {
			s.unmoved(e.ending, read)
		}
		if o == nil {
			e.ending = read
		}
	}
	s.lengthen(time.Since(began))
}

// lengthen gives the run the time back that it has waited.
func (s *session) lengthen(waited time.Duration) {
	s.waited += waited
	s.deadline = s.deadline.Add(waited)
}

// sleep waits until then, and gives the run so much more time. It reports whether
// there was anything to wait for, and the run goes on.
func (s *session) sleep(ctx context.Context, until time.Time) bool {
	began := time.Now()
	if !began.Before(until) {
		return false
	}
	timer := time.NewTimer(until.Sub(began))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.halt.Done():
	}
	s.lengthen(time.Since(began))
	return ctx.Err() == nil && s.halt.Err() == nil
}
