package partner

import (
	"context"
	"testing"
	"time"
)

func TestWaitingTimeIsAddedToTheRunsTime(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Minute)
	s := &Time{halt: t.Context(), deadline: deadline}
	if !s.Sleep(t.Context(), time.Now().Add(20*time.Millisecond)) {
		t.Error("want the waiting to come to its end")
	}
	if s.waited < 20*time.Millisecond || s.deadline.Sub(deadline) != s.waited {
		t.Errorf("want at least 20ms waited, and the deadline as much later, got %s and %s", s.waited, s.deadline.Sub(deadline))
	}
}

// At a slow partner the rules' further checks would use all of the time, and no case of the plan would be played.
func TestEachPartOfARunLeavesTimeForTheNextOnes(t *testing.T) {
	t.Parallel()
	for spent, first := range map[time.Duration]Part{0: Rules, 350 * time.Second: Cases, 650 * time.Second: Races, 790 * time.Second: Again} {
		s := &Time{most: 1000 * time.Second, started: time.Now().Add(-spent)}
		for _, part := range []Part{Rules, Cases, Races, Again} {
			s.Begin(part)
			if late := s.LateForMore(); late != (part < first) {
				t.Errorf("%s of 1,000 s used, part %d: want late for more: %v, got %v", spent, part, part < first, late)
			}
		}
	}
}

func TestTimeIsKeptForTheEndOfARun(t *testing.T) {
	t.Parallel()
	s := &Time{most: 100 * time.Second, started: time.Now().Add(-20 * time.Second)}
	for kept, late := range map[time.Duration]bool{0: false, 10 * time.Second: false, time.Hour: true} {
		if s.Keep(kept); s.LateForMore() != late {
			t.Errorf("%s kept of 100 s, of which 20 s are used: want late for more: %v", kept, late)
		}
		if s.Unreserve(kept); s.LateForMore() {
			t.Errorf("%s kept of 100 s, and freed: want time for more", kept)
		}
	}
}

func TestTheWaitEndsImmediatelyWithTheRun(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	for name, s := range map[string]*Time{"by the user": {halt: ended}, "by Ginkgo": {halt: t.Context()}} {
		ctx := t.Context()
		if name == "by Ginkgo" {
			ctx = ended
		}
		if s.Sleep(ctx, time.Now().Add(time.Hour)) {
			t.Errorf("%s: want no time waited to its end", name)
		}
	}
}
