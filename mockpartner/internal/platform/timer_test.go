package platform

import (
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
)

func TestTimersAreWhatTheClockWillComeTo(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(_ *catalog.Product, s *catalog.Schedule) { s.CutOff = 2 * time.Hour }))
	if got := d.Timers(10); len(got) != 1 || got[0] != (Timer{At: noon.Add(11 * time.Hour), Kind: DayBegins, Subject: "Europe/Lisbon"}) {
		t.Fatalf("want midnight in Lisbon alone, got %+v", got)
	}
	slot := d.full(day, 5)
	hold := d.reserve(slot, 1)
	d.clock.Advance(time.Minute)
	other := d.reserve(slot, 1)
	want := []TimerKind{HoldExpires, HoldExpires, DayBegins, SaleEnds}
	got := d.Timers(10)
	if len(got) != len(want) {
		t.Fatalf("want %v, got %+v", want, got)
	}
	for i := range want {
		if got[i].Kind != want[i] {
			t.Fatalf("want %v, got %+v", want, got)
		}
	}
	if got[0].Subject != hold.Code || !got[0].At.Equal(hold.ExpiresAt) || got[1].Subject != other.Code || got[3].Subject != slot {
		t.Fatalf("want holds by expiry, then the slot, got %+v", got)
	}
	if got := d.Timers(1, HoldExpires); len(got) != 1 || got[0].Subject != hold.Code {
		t.Fatalf("want the first expiry alone, got %+v", got)
	}
}

// Where the clock is moved to a timer, what it is for has happened.
func TestAtItsTimeATimerIsOver(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.full(day, 5)
	hold := d.reserve(slot, 1)
	d.confirm(d.reserve(slot, 1).Code)
	for range 100 {
		pending := d.Timers(10)
		if len(pending) == 0 || pending[0].Kind == SaleEnds {
			break
		}
		d.clock.Set(pending[0].At)
		for _, timer := range d.Timers(10) {
			if !timer.At.After(pending[0].At) {
				t.Fatalf("want %+v over, got %+v", pending[0], timer)
			}
		}
	}
	if state := d.Holds()[0]; state.Code != hold.Code || state.State != Expired {
		t.Fatalf("want the hold expired, got %+v", state)
	}
	d.clock.Set(d.Timers(1, SaleEnds)[0].At)
	if shown, _ := d.Slot("walk", "daily", slot); shown.Status != "CLOSED" {
		t.Fatalf("want the sale over, got %s", shown.Status)
	}
	if left := d.Timers(10, SaleEnds, HoldExpires); len(left) != 0 {
		t.Fatalf("want nothing pending, got %+v", left)
	}
}

// Samoa had no 30 December 2011.
func TestADayThatAZoneSkipsDoesNotBegin(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(p *catalog.Product, _ *catalog.Schedule) { p.TimeZone = "Pacific/Apia" }))
	d.clock.Set(time.Date(2011, 12, 30, 9, 0, 0, 0, time.UTC)) // the evening of the 29th
	next := d.Timers(1, DayBegins)[0].At
	if date := next.In(d.Catalog().Products[0].Location).Format(time.DateOnly); date != "2011-12-31" || !next.Equal(time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC)) {
		t.Fatalf("want the 31st at 10:00 UTC, got %s at %s", date, next)
	}
}
