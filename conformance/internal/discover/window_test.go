package discover_test

import (
	"slices"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
)

func TestASyncLooksFromTodayTo60DaysAheadInTheProductsZone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ now, zone, from, to string }{
		{"2026-07-01T12:00:00Z", "UTC", "2026-07-01", "2026-08-30"},
		{"2026-07-01T12:00:00Z", "Pacific/Auckland", "2026-07-02", "2026-08-31"},
		{"2026-07-01T03:00:00Z", "America/St_Johns", "2026-07-01", "2026-08-30"},
		{"2026-07-01T02:00:00Z", "America/St_Johns", "2026-06-30", "2026-08-29"},
		{"2026-07-01T18:14:59Z", "Asia/Kathmandu", "2026-07-01", "2026-08-30"},
		{"2026-07-01T18:15:00Z", "Asia/Kathmandu", "2026-07-02", "2026-08-31"},
		// The clocks change in between, in both directions; days stay days.
		{"2026-09-20T11:59:00Z", "Pacific/Auckland", "2026-09-20", "2026-11-19"},
		{"2026-03-01T03:30:00Z", "America/St_Johns", "2026-03-01", "2026-04-30"},
		{"2026-10-15T02:30:00Z", "America/St_Johns", "2026-10-15", "2026-12-14"},
		{"2026-12-15T00:00:00Z", "UTC", "2026-12-15", "2027-02-13"},
		{"2028-01-15T00:00:00Z", "UTC", "2028-01-15", "2028-03-15"}, // a leap year
	} {
		got := discover.Lookahead(parseTime(t, test.now), zone(t, test.zone))
		if want := (discover.Window{From: test.from, To: test.to}); got != want {
			t.Errorf("%s in %s: want %v, got %v", test.now, test.zone, want, got)
		}
		dates := got.Dates()
		if len(dates) != 61 || dates[0] != got.From || dates[60] != got.To {
			t.Errorf("%s in %s: want 61 dates from the first to the last, got %d", test.now, test.zone, len(dates))
		}
	}
}

func TestADayBeginsAndEndsAtMidnightInTheProductsZone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone, date, first, last string
	}{
		{"Pacific/Auckland", "2026-07-01", "2026-06-30T12:00:00Z", "2026-07-01T11:59:59Z"},
		{"Pacific/Auckland", "2026-09-27", "2026-09-26T12:00:00Z", "2026-09-27T10:59:59Z"}, // 23 hours
		{"Pacific/Auckland", "2026-04-05", "2026-04-04T11:00:00Z", "2026-04-05T11:59:59Z"}, // 25 hours
		{"America/St_Johns", "2026-03-08", "2026-03-08T03:30:00Z", "2026-03-09T02:29:59Z"}, // 23 hours
		{"America/St_Johns", "2026-11-01", "2026-11-01T02:30:00Z", "2026-11-02T03:29:59Z"}, // 25 hours
		{"Asia/Kathmandu", "2026-07-01", "2026-06-30T18:15:00Z", "2026-07-01T18:14:59Z"},
		{"Pacific/Kiritimati", "2026-07-01", "2026-06-30T10:00:00Z", "2026-07-01T09:59:59Z"},
		{"Pacific/Pago_Pago", "2026-07-01", "2026-07-01T11:00:00Z", "2026-07-02T10:59:59Z"},
	} {
		in, day := zone(t, test.zone), discover.Window{From: test.date, To: test.date}
		first, last := parseTime(t, test.first), parseTime(t, test.last)
		for moment, inside := range map[time.Time]bool{
			first: true, last: true, first.Add(-time.Second): false, last.Add(time.Second): false,
		} {
			if got := day.Contains(moment, in); got != inside {
				t.Errorf("%s in %s: want %s inside %t, got %t", test.date, test.zone, moment, inside, got)
			}
			if got := discover.Day(moment, in); (got == day) != inside {
				t.Errorf("%s in %s: want it the day of %s %t, got %v", test.date, test.zone, moment, inside, got)
			}
		}
	}
}

func TestDatesListsEveryDayOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		window discover.Window
		want   []string
	}{
		{discover.Window{From: "2026-02-27", To: "2026-03-01"}, []string{"2026-02-27", "2026-02-28", "2026-03-01"}},
		{discover.Window{From: "2028-02-28", To: "2028-03-01"}, []string{"2028-02-28", "2028-02-29", "2028-03-01"}},
		{discover.Window{From: "2026-12-31", To: "2027-01-01"}, []string{"2026-12-31", "2027-01-01"}},
		{discover.Window{From: "2026-07-01", To: "2026-07-01"}, []string{"2026-07-01"}},
		{discover.Window{From: "2026-07-02", To: "2026-07-01"}, nil},
		{discover.Window{}, nil},
	} {
		if got := test.window.Dates(); !slices.Equal(got, test.want) {
			t.Errorf("%v: want %v, got %v", test.window, test.want, got)
		}
	}
}
