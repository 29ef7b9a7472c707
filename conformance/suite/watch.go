package suite

import (
	"context"
	"math"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
)

const (
	// looksAgain is how often a slot is looked at again for each reading of a story
	// that is played again: so others are seen before and after every step.
	looksAgain = 2
	// A slot on which something was off is watched for so many times as long as that
	// took, with so many looks at the most.
	watchTimes, mostLooks = 8, 40
	// Machines do one thing after another for a while: a shorter watch would see the
	// one side only. A longer one takes too much of the run's time.
	leastWatch, longestWatch = 100 * time.Millisecond, 2 * time.Second
	// Where nothing can be tried again, the one slot is watched for so many times as
	// long, and at most for so long.
	longTimes, longWatch = 100, 10 * time.Second
)

// watch is what was seen of a slot while the suite left it alone: whoever moves
// its seats then is another customer.
type watch struct {
	lasted time.Duration
	moves  int
}

// still is how likely it is that nobody else moves a seat of the slot for so long.
// Seats are taken to be moved at any time alike, at the rate that was seen, or
// half a move where none was.
func (w *watch) still(took time.Duration) float64 {
	if w.lasted <= 0 {
		return 0.5 // nothing is known
	}
	return math.Exp(-(float64(w.moves) + 0.5) * float64(took) / float64(w.lasted))
}

// middle is when a call's answer was made, as nearly as a caller can tell.
func middle(e *probe.Exchange) time.Time { return e.StartedAt.Add(e.Duration / 2) }

// watched returns the watch of the offer's slot.
func (s *session) watched(offer discover.Offer) *watch {
	key := offer.Key()
	if s.watches[key] == nil {
		s.watches[key] = &watch{}
	}
	return s.watches[key]
}

// unmoved enters a look at a slot that nothing was done to since it was read, and
// reports whether its seats are the same.
func (s *session) unmoved(read, again *reading) bool {
	read.watch.lasted += max(0, middle(again.exchange).Sub(middle(read.exchange)))
	if again.Seats == read.Seats {
		return true
	}
	read.watch.moves++
	s.moved[read.offer.Key()]++
	return false
}

// linger looks at a slot that was read again, so often and so long after one
// another. The reading is that of the last look then.
func (s *session) linger(ctx context.Context, read *reading, looks int, apart time.Duration) *obstacle {
	began := time.Now()
	for range looks {
		if !read.Counted || time.Since(began) >= max(longestWatch, time.Duration(looks)*apart) {
			break
		}
		wait(ctx, apart-time.Since(read.exchange.StartedAt))
		again, o := s.look(ctx, read.offer, read.when)
		if o != nil {
			return o
		}
		s.unmoved(read, again)
		read.Seats, read.slot, read.exchange = again.Seats, again.slot, again.exchange
	}
	return nil
}

// watchOver watches the slot on which a try was off, to see whether others are at
// it. An obstacle is no news: what is not seen does not weigh.
func (s *session) watchOver(ctx context.Context, t try) {
	if t.at == nil {
		return
	}
	s.watchFor(ctx, t, min(max(watchTimes*t.took, leastWatch), longestWatch))
}

// watchLong watches the slot of a try that has to stand alone, and reports whether
// other customers were seen in this run, on any slot.
func (s *session) watchLong(ctx context.Context, t try) (others bool) {
	if t.at != nil && len(s.moved) == 0 {
		s.watchFor(ctx, t, min(max(longTimes*t.took, longestWatch), longWatch))
	}
	return len(s.moved) > 0
}

// watchFor watches the slot of a try until it has been watched for so long in all.
func (s *session) watchFor(ctx context.Context, t try, long time.Duration) {
	missing := long - t.at.watch.lasted
	if missing <= 0 {
		return
	}
	if fresh, o := s.look(ctx, t.at.offer, "while nothing is done"); o == nil {
		_ = s.linger(ctx, fresh, mostLooks, missing/mostLooks)
	}
}

// wait lets time pass, as far as there is some.
func wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// glance looks at all slots of an option again, before a story is played again
// there. Those that have changed, though the suite has never touched them, are
// what others are at; the story keeps away from them.
func (s *session) glance(ctx context.Context, optionKey string) {
	for _, known := range s.survey.answers {
		question := asked{product: known.product, option: known.option, window: known.window}
		if (discover.Offer{Product: known.product, Option: known.option}).OptionKey() != optionKey {
			continue
		}
		question.answer, question.stopped = s.availability(ctx, "slots, to see which of them others are at", question.product, question.option, question.window, probe.GoodKey)
		if fresh, o := s.readSlots(ctx, question); o == nil {
			s.compare(optionKey, fresh.slots)
		}
		return
	}
}

// compare takes over the fresh slots of an option, and enters which have changed.
func (s *session) compare(optionKey string, fresh []discover.Slot) {
	byID := make(map[string]discover.Slot, len(fresh))
	for _, slot := range fresh {
		byID[slot.ID] = slot
	}
	for i, offer := range s.survey.offers {
		if offer.OptionKey() != optionKey {
			continue
		}
		slot, shown := byID[offer.Slot.ID]
		if !shown || offer.Slot.ID == "" {
			continue
		}
		key := offer.Key()
		if slot.Seats(offer.Product) != offer.Slot.Seats(offer.Product) && !s.used[key] {
			s.moved[key]++
		}
		s.survey.offers[i].Slot = slot
		if fresh := s.survey.offers[i].Key(); fresh != key {
			s.survey.offers[i].Slot = offer.Slot // another slot bears its id now
		}
	}
}
