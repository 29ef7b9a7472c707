package scenario

import (
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/probe"
)

// lookAt is a look at a slot, so many milliseconds after the first.
func lookAt(ms int, left int64, w *noise.Watch) *Reading {
	look := Look{Left: left, Exchange: &probe.Exchange{StartedAt: time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond)}}
	return &Reading{Counted: true, First: look, Last: look, Watch: w}
}

func TestWhatMovesWhileTheSuiteDoesNothingIsAnotherCustomers(t *testing.T) {
	t.Parallel()
	s := &Seats{moved: map[string]int{}}
	w := &noise.Watch{}
	read := lookAt(0, 5, w)
	if !s.unmoved(read, lookAt(30, 5, w)) || s.unmoved(read, lookAt(50, 4, w)) {
		t.Error("want it told whether the seats moved")
	}
	if w.Lasted != 80*time.Millisecond || w.Moves != 1 || s.moved[read.Offer.Key()] != 1 {
		t.Errorf("want one move in 80 ms, got %+v, %v", w, s.moved)
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
	s := &Seats{
		moved: map[string]int{}, used: map[string]bool{ours.Key(): true},
		survey: &Survey{Offers: []discover.Offer{ours, calm, busy, gone}},
	}
	s.compare(busy.OptionKey(), []discover.Slot{seats("1", 8), seats("2", 9), seats("3", 7)})
	s.compare(busy.OptionKey(), []discover.Slot{seats("1", 8), seats("2", 9), seats("3", 9)})
	if len(s.moved) != 1 || s.moved[busy.Key()] != 2 {
		t.Errorf("want the slot that others were at, twice, got %v", s.moved)
	}
	best := discover.Pick(s.survey.Offers, discover.Want{Seats: 1, Moved: s.moved})
	if len(best) > 0 && best[len(best)-1].Slot.ID != busy.Slot.ID {
		t.Errorf("want it picked last, got %v", best)
	}
}
