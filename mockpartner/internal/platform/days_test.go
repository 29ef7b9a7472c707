package platform

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

func TestWallTimeFollowsTheZone(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, zone, date, clock, want string }{
		{"an ordinary day", "Europe/Lisbon", "2026-07-01", "09:30", "2026-07-01T09:30:00+01:00"},
		{"winter", "Europe/Lisbon", "2026-12-01", "09:30", "2026-12-01T09:30:00+00:00"},
		{"after a change in the night", "America/New_York", "2026-03-08", "09:30", "2026-03-08T09:30:00-04:00"},
		{"a skipped time comes as much later", "America/New_York", "2026-03-08", "02:30", "2026-03-08T03:30:00-04:00"},
		{"a time that occurs twice is its first", "America/New_York", "2026-11-01", "01:30", "2026-11-01T01:30:00-04:00"},
		{"a half-hour change", "Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-04T02:45:00+11:00"},
		{"a skipped midnight", "Africa/Cairo", "2026-04-24", "00:00", "2026-04-24T01:00:00+03:00"},
		{"a quarter-hour zone", "Asia/Kathmandu", "2026-07-01", "06:15", "2026-07-01T06:15:00+05:45"},
		{"the largest offset", "Pacific/Kiritimati", "2026-07-01", "00:00", "2026-07-01T00:00:00+14:00"},
		{"the smallest offset", "Pacific/Pago_Pago", "2026-07-01", "23:59", "2026-07-01T23:59:00-11:00"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock, err := time.Parse("15:04", c.clock)
			must(t, err)
			got := wallTime(date(t, c.date), clock.Hour()*60+clock.Minute(), zone(t, c.zone))
			if want := instant(t, c.want); !got.Equal(want) || partnerapi.FormatDateTime(got) != c.want {
				t.Fatalf("want %s, got %s", c.want, partnerapi.FormatDateTime(got))
			}
		})
	}
}

func TestADayThatAZoneSkippedHasNoTimes(t *testing.T) {
	t.Parallel()
	skipped := date(t, "2011-12-30")
	if got := wallTime(skipped, 9*60, zone(t, "Pacific/Apia")); fallsOn(got, skipped) {
		t.Fatalf("want no 2011-12-30 in Samoa, got %s", got)
	}
}

// Whatever the zone and the day, clocks show the wanted time, or skipped it.
func TestWallTimeIsWhatClocksShow(t *testing.T) {
	t.Parallel()
	zones := []string{"Europe/Lisbon", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "Asia/Tehran", "Antarctica/Troll", "America/St_Johns"}
	rapid.Check(t, func(t *rapid.T) {
		in, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		must(t, err)
		on := time.Unix(rapid.Int64Range(0, 40_000).Draw(t, "day")*secondsADay, 0).UTC()
		minutes := rapid.IntRange(0, 24*60-1).Draw(t, "minutes")
		got := wallTime(on, minutes, in)
		late := got.Hour()*60 + got.Minute() - minutes
		if !fallsOn(got, on) || late < 0 {
			t.Fatalf("want %s and %d minutes, got %s", on.Format(time.DateOnly), minutes, got)
		}
		if late == 0 {
			return
		}
		// Late by a change of the clocks: just before it, clocks showed less.
		if before := got.Add(-time.Duration(late) * time.Minute); offsetAt(before, in) >= offsetAt(got, in) {
			t.Fatalf("want a skipped time where clocks show %d minutes more, got %s", late, got)
		}
	})
}

func date(t testing.TB, s string) time.Time {
	t.Helper()
	d, err := parseDate(s)
	must(t, err)
	return d
}

func instant(t testing.TB, s string) time.Time {
	t.Helper()
	i, err := time.Parse(time.RFC3339, s)
	must(t, err)
	return i
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	in, err := time.LoadLocation(name)
	must(t, err)
	return in
}

func TestTimersListThePendingEvents(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(_ *catalog.Product, s *catalog.Schedule) { s.CutOff = 2 * time.Hour }))
	if got := d.Timers(10); len(got) != 1 || got[0] != (client.Timer{At: noon.Add(11 * time.Hour), Kind: client.DayBegins, Subject: "Europe/Lisbon"}) {
		t.Fatalf("want midnight in Lisbon alone, got %+v", got)
	}
	slot := d.fillSlot(day, 5)
	hold := d.reserve(slot, 1)
	d.clock.Advance(time.Minute)
	other := d.reserve(slot, 1)
	want := []client.TimerKind{client.HoldExpires, client.HoldExpires, client.DayBegins, client.SaleEnds}
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
	if got := d.Timers(1, client.HoldExpires); len(got) != 1 || got[0].Subject != hold.Code {
		t.Fatalf("want the first expiry alone, got %+v", got)
	}
}

// Where the clock is moved to a timer, what it is for has happened.
func TestATimerEndsAtItsTime(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 5)
	hold := d.reserve(slot, 1)
	d.confirm(d.reserve(slot, 1).Code)
	for range 100 {
		pending := d.Timers(10)
		if len(pending) == 0 || pending[0].Kind == client.SaleEnds {
			break
		}
		d.clock.Set(pending[0].At)
		for _, timer := range d.Timers(10) {
			if !timer.At.After(pending[0].At) {
				t.Fatalf("want %+v over, got %+v", pending[0], timer)
			}
		}
	}
	if state := d.Holds()[0]; state.Code != hold.Code || state.State != client.Expired {
		t.Fatalf("want the hold expired, got %+v", state)
	}
	d.clock.Set(d.Timers(1, client.SaleEnds)[0].At)
	if shown, _ := d.Slot("walk", "daily", slot); shown.Status != "CLOSED" {
		t.Fatalf("want the sale over, got %s", shown.Status)
	}
	if left := d.Timers(10, client.SaleEnds, client.HoldExpires); len(left) != 0 {
		t.Fatalf("want nothing pending, got %+v", left)
	}
}

// Samoa had no 30 December 2011.
func TestADayThatAZoneSkipsHasNoBeginning(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(p *catalog.Product, _ *catalog.Schedule) { p.TimeZone = "Pacific/Apia" }))
	d.clock.Set(time.Date(2011, 12, 30, 9, 0, 0, 0, time.UTC)) // the evening of the 29th
	next := d.Timers(1, client.DayBegins)[0].At
	if date := next.In(d.Catalog().Products[0].Location).Format(time.DateOnly); date != "2011-12-31" || !next.Equal(time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC)) {
		t.Fatalf("want the 31st at 10:00 UTC, got %s at %s", date, next)
	}
}

// Where clocks go forward, no clock ever shows the times in between. Where they go back, some occur
// twice. Every other local time is one slot, and two slots are never one instant.
func TestASlotIsSoldOnceForEachLocalTimeThatOccurs(t *testing.T) {
	t.Parallel()
	const every = 15 // minutes between two starts
	var starts []string
	for minute := 0; minute < 24*60; minute += every {
		starts = append(starts, fmt.Sprintf("%02d:%02d", minute/60, minute%60))
	}
	generated, err := catalog.Generate(1, 100, 1)
	must(t, err)
	zones := map[string]bool{"Australia/Lord_Howe": true, "Africa/Cairo": true, "Africa/Casablanca": true, "America/Havana": true, "America/Santiago": true, "Antarctica/Troll": true, "Atlantic/Azores": true, "Pacific/Apia": true}
	for _, p := range append(catalog.Default().Products, generated.Products...) {
		zones[p.TimeZone] = true
	}
	for name := range zones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := zone(t, name)
			d := open(t, oneProduct(func(p *catalog.Product, s *catalog.Schedule) { p.TimeZone, s.Starts = name, starts }))
			for day := date(t, "2011-01-01"); day.Year() < 2033; day = day.AddDate(0, 0, 1) {
				if offsetAt(day.AddDate(0, 0, -1), in) == offsetAt(day.AddDate(0, 0, 2), in) {
					continue // no change of clocks is near
				}
				var want, got []string
				seen := map[string]bool{}
				for at := day.AddDate(0, 0, -1); at.Before(day.AddDate(0, 0, 2)); at = at.Add(every * time.Minute) {
					shown := at.In(in).Format("2006-01-02 15:04")
					if on, _, _ := strings.Cut(shown, " "); on == day.Format(time.DateOnly) && !seen[shown] {
						want, seen[shown] = append(want, partnerapi.FormatDateTime(at.In(in))), true
					}
				}
				slots, err := d.Calendar("walk", "daily", day, 1)
				must(t, err)
				for _, slot := range slots {
					got = append(got, partnerapi.FormatDateTime(slot.Start))
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s: want %d slots %v\ngot %d %v", day.Format(time.DateOnly), len(want), want, len(got), got)
				}
			}
		})
	}
}

// Midnight does not occur in Cairo on 2026-04-24.
func TestADayOpensWhenClocksGoOnIfItsOpeningTimeIsSkipped(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(p *catalog.Product, s *catalog.Schedule) {
		p.TimeZone, p.Options[0].AvailabilityType = "Africa/Cairo", partnerapi.OpeningHours
		s.Starts, s.Duration, s.Opens, s.Closes = nil, 0, "00:00", "00:00"
	}))
	slots, err := d.Calendar("walk", "daily", date(t, "2026-04-23"), 3)
	must(t, err)
	var got []string
	for _, slot := range slots {
		got = append(got, partnerapi.FormatDateTime(slot.Start), partnerapi.FormatDateTime(slot.End))
	}
	want := []string{
		"2026-04-23T00:00:00+02:00", "2026-04-24T01:00:00+03:00", "2026-04-24T01:00:00+03:00", "2026-04-25T00:00:00+03:00",
		"2026-04-25T00:00:00+03:00", "2026-04-26T00:00:00+03:00",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("want %v\ngot %v", want, got)
	}
}
