package judge

import (
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
)

// lookAt is a look at a slot, so many milliseconds after the first.
func lookAt(ms int, left int64) *scenario.Reading {
	look := scenario.Look{Left: left, Exchange: &probe.Exchange{StartedAt: time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond)}}
	return &scenario.Reading{Counted: true, First: look, Last: look}
}

func TestOnlyWhatMovesWithTheStepsOfAStoryIsItsChange(t *testing.T) {
	t.Parallel()
	before, held, released := lookAt(0, 5), lookAt(10, 4), lookAt(110, 4)
	// Another customer reserved while nothing was done, and the hold was released then.
	held.Last = lookAt(100, 3).Last
	m := Move{before: before, via: []*scenario.Reading{held}, after: released}
	if seats, took := m.moved(); seats != 0 || took != 20*time.Millisecond {
		t.Errorf("want no seats and 20 ms, got %d and %s", seats, took)
	}
	held.First.Left = 5 // the hold took none
	if got, want := m.String(), "want 5 seats left  (5 ), got 6"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}
