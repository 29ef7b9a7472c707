package webhook

import (
	"testing"
	"time"
)

func TestATimerIsDueOnceAfterTheClockJumpsAheadAndSoonAfterItJumpsBack(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	every := timer{next: start.Add(10 * time.Minute), every: 10 * time.Minute}
	once := timer{next: start.Add(10 * time.Minute)}
	for _, step := range []struct {
		at          time.Duration
		every, once bool
	}{
		{9 * time.Minute, false, false},
		{10 * time.Minute, true, true},
		{10 * time.Minute, false, false},
		{65 * time.Minute, true, false}, // five periods in one leap
		{69 * time.Minute, false, false},
		{70 * time.Minute, true, false},
		{0, false, false}, // back to the beginning
		{9 * time.Minute, false, false},
		{10 * time.Minute, true, false},
	} {
		now := start.Add(step.at)
		if got := every.passes(now); got != step.every {
			t.Errorf("after %s: want it due %t, got %t", step.at, step.every, got)
		}
		if got := once.passes(now); got != step.once {
			t.Errorf("after %s: want the one for once due %t, got %t", step.at, step.once, got)
		}
	}
}
