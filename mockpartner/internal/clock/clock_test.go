package clock

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func TestAVirtualClockRunsWithTheClockBeneathIt(t *testing.T) {
	t.Parallel()
	base := NewFrozen(noon)
	clock := NewVirtual(base)
	shows(t, clock, noon)
	base.Advance(time.Minute)
	shows(t, clock, noon.Add(time.Minute))
	if now := clock.Advance(time.Hour); !now.Equal(noon.Add(61 * time.Minute)) {
		t.Fatalf("want the new time, got %s", now)
	}
	base.Advance(time.Minute)
	shows(t, clock, noon.Add(62*time.Minute))
}

func TestAFrozenClockStandsUntilItIsMovedOrRuns(t *testing.T) {
	t.Parallel()
	base := NewFrozen(noon)
	clock := NewVirtual(base)
	clock.Freeze()
	base.Advance(time.Hour)
	shows(t, clock, noon)
	clock.Advance(25 * time.Minute)
	shows(t, clock, noon.Add(25*time.Minute))
	clock.Set(noon.Add(-time.Hour))
	shows(t, clock, noon.Add(-time.Hour))
	if !clock.IsFrozen() {
		t.Fatal("want the clock to stand still after it was moved")
	}
	clock.Run()
	base.Advance(time.Minute)
	shows(t, clock, noon.Add(-59*time.Minute))
	if clock.Run(); clock.IsFrozen() {
		t.Fatal("want a running clock to run on")
	}
}

func TestAVirtualClockRunsWithTheMachineByDefault(t *testing.T) {
	t.Parallel()
	clock := NewVirtual(nil)
	before := time.Now()
	if now := clock.Now(); now.Before(before.Round(0)) || now.After(time.Now().Add(time.Second)) {
		t.Fatalf("want the machine's time, got %s", now)
	}
}

func shows(t *testing.T, clock Clock, want time.Time) {
	t.Helper()
	if now := clock.Now(); !now.Equal(want) {
		t.Fatalf("want %s, got %s", want, now)
	}
}
