package platform

import (
	"testing"
	"time"

	"pgregory.net/rapid"

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
			if err != nil {
				t.Fatal(err)
			}
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
		if err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func instant(t testing.TB, s string) time.Time {
	t.Helper()
	i, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	in, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}
