package suite

import (
	"math"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
)

// lookAt is a look at a slot, so many milliseconds after the first.
func lookAt(ms int, left int64, w *watch) *reading {
	at := &probe.Exchange{StartedAt: time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond)}
	r := &reading{Seats: discover.Seats{Counted: true, Left: left}, exchange: at, watch: w}
	r.first = r.last()
	return r
}

func TestASlotIsTheLikelierToStayAsItIsTheLessItWasSeenToMove(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		watch watch
		took  time.Duration
		still float64
	}{
		{watch{}, time.Second, 0.5},
		{watch{lasted: 10 * time.Second}, time.Second, math.Exp(-0.05)},
		{watch{lasted: 10 * time.Second}, 10 * time.Second, math.Exp(-0.5)},
		{watch{lasted: 10 * time.Second, moves: 5}, time.Second, math.Exp(-0.55)},
		{watch{lasted: 10 * time.Second, moves: 100}, 10 * time.Second, math.Exp(-100.5)},
	} {
		if got := test.watch.still(test.took); math.Abs(got-test.still) > 1e-9 {
			t.Errorf("%+v for %s: want %g, got %g", test.watch, test.took, test.still, got)
		}
	}
}

func TestWhatMovesWhileTheSuiteDoesNothingIsAnotherCustomers(t *testing.T) {
	t.Parallel()
	s := &session{moved: map[string]int{}}
	w := &watch{}
	read := lookAt(0, 5, w)
	if !s.unmoved(read, lookAt(30, 5, w)) || s.unmoved(read, lookAt(50, 4, w)) {
		t.Error("want it told whether the seats moved")
	}
	if w.lasted != 80*time.Millisecond || w.moves != 1 || s.moved[read.offer.Key()] != 1 {
		t.Errorf("want one move in 80 ms, got %+v, %v", w, s.moved)
	}
}

func TestOnlyWhatMovesWithTheStepsOfAStoryIsItsChange(t *testing.T) {
	t.Parallel()
	w := &watch{}
	before, held, released := lookAt(0, 5, w), lookAt(10, 4, w), lookAt(110, 4, w)
	// Another customer reserved while nothing was done, and the hold was released then.
	held.Left, held.exchange = 3, lookAt(100, 3, w).exchange
	m := change{before: before, via: []*reading{held}, after: released}
	if seats, took := m.moved(); seats != 0 || took != 20*time.Millisecond {
		t.Errorf("want no seats and 20 ms, got %d and %s", seats, took)
	}
	held.first.left = 5 // the hold took none
	if got, want := m.String(), "want 5 seats left  (5 ), got 6"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

func TestTheSlotsThatHaveMovedSinceTheSurveyAreRemembered(t *testing.T) {
	t.Parallel()
	seats := func(id string, left int64) discover.Slot {
		slot := slotAt(id, "2026-07-0"+id+"T09:00:00Z")
		slot.Vacancies = &left
		return slot
	}
	offer := func(slot discover.Slot) discover.Offer {
		return discover.Offer{Product: discover.Product{ID: "walk"}, Option: discover.Option{ID: "morning"}, Slot: slot}
	}
	ours, calm, busy, gone := offer(seats("1", 9)), offer(seats("2", 9)), offer(seats("3", 9)), offer(seats("4", 9))
	s := &session{
		moved: map[string]int{}, used: map[string]bool{ours.Key(): true},
		survey: &survey{offers: []discover.Offer{ours, calm, busy, gone}},
	}
	s.compare(busy.OptionKey(), []discover.Slot{seats("1", 8), seats("2", 9), seats("3", 7)})
	s.compare(busy.OptionKey(), []discover.Slot{seats("1", 8), seats("2", 9), seats("3", 9)})
	if len(s.moved) != 1 || s.moved[busy.Key()] != 2 {
		t.Errorf("want the slot that others were at, twice, got %v", s.moved)
	}
	best := discover.Pick(s.survey.offers, discover.Want{Seats: 1, Moved: s.moved})
	if len(best) > 0 && best[len(best)-1].Slot.ID != busy.Slot.ID {
		t.Errorf("want it picked last, got %v", best)
	}
}
