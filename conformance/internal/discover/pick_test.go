package discover_test

import (
	"slices"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// slotIn is an offer of one adult's option, so many days ahead.
func slotIn(days int, id string, change ...func(*discover.Offer)) discover.Offer {
	start := now.AddDate(0, 0, days)
	seats := int64(10)
	offer := discover.Offer{
		Product: discover.Product{ID: "walk", Zone: time.UTC},
		Option:  discover.Option{ID: "morning", Units: []discover.Unit{{ID: "unit-adult", Type: partnerapi.Adult}}},
		Slot: discover.Slot{
			ID: id, Start: start, End: start.Add(time.Hour), StartText: start.Format(time.RFC3339),
			Status: partnerapi.StatusAvailable, Vacancies: &seats,
		},
	}
	for _, c := range change {
		c(&offer)
	}
	return offer
}

func seats(n int64) func(*discover.Offer) { return func(o *discover.Offer) { o.Slot.Vacancies = &n } }

func hideVacancies(o *discover.Offer) { o.Slot.Vacancies = nil }

func status(s partnerapi.SlotStatus) func(*discover.Offer) {
	return func(o *discover.Offer) { o.Slot.Status = s }
}

func TestPickLeavesOutWhatCannotBeBooked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		offer discover.Offer
		want  discover.Want
		fits  bool
	}{
		"a slot with seats":               {slotIn(5, "s"), discover.Want{}, true},
		"as many as wanted":               {slotIn(5, "s", seats(3)), discover.Want{Seats: 3}, true},
		"fewer than wanted":               {slotIn(5, "s", seats(2)), discover.Want{Seats: 3}, false},
		"none left":                       {slotIn(5, "s", seats(0)), discover.Want{}, false},
		"less than none left":             {slotIn(5, "s", seats(-1)), discover.Want{}, false},
		"seats that are not counted":      {slotIn(5, "s", hideVacancies), discover.Want{Seats: 3}, true},
		"no limit, whatever the number":   {slotIn(5, "s", seats(0), status(partnerapi.StatusFreesale)), discover.Want{Seats: 3}, true},
		"few left":                        {slotIn(5, "s", status(partnerapi.StatusLimited)), discover.Want{}, true},
		"sold out":                        {slotIn(5, "s", status(partnerapi.StatusSoldOut)), discover.Want{}, false},
		"closed":                          {slotIn(5, "s", status(partnerapi.StatusClosed)), discover.Want{}, false},
		"an unknown status":               {slotIn(5, "s", status("OPEN")), discover.Want{}, false},
		"no id":                           {slotIn(5, ""), discover.Want{}, false},
		"no start":                        {slotIn(5, "s", func(o *discover.Offer) { o.Slot.Start = time.Time{} }), discover.Want{}, false},
		"under way":                       {slotIn(0, "s"), discover.Want{}, false},
		"past":                            {slotIn(-1, "s"), discover.Want{}, false},
		"no guest type":                   {slotIn(5, "s", func(o *discover.Offer) { o.Option.Units = nil }), discover.Want{}, false},
		"of the option wanted":            {slotIn(5, "s"), discover.Want{OptionKey: slotIn(9, "x").OptionKey()}, true},
		"of another option":               {slotIn(5, "s"), discover.Want{OptionKey: "walk\x00evening"}, false},
		"what does not suit":              {slotIn(5, "s"), discover.Want{Suits: func(discover.Offer) bool { return false }}, false},
		"what was used: liked less, only": {slotIn(5, "s"), discover.Want{Used: map[string]bool{slotIn(5, "s").Key(): true}}, true},
	} {
		test.want.Now = now
		if got := len(discover.Pick([]discover.Offer{test.offer}, test.want)) == 1; got != test.fits {
			t.Errorf("%s: want it fit %t, got %t", name, test.fits, got)
		}
	}
}

func TestPickPutsTheMostLikedFirst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		offers []discover.Offer
		want   discover.Want
		order  []string
	}{
		"the catalog's order, where nothing is liked": {
			[]discover.Offer{slotIn(9, "a"), slotIn(5, "b"), slotIn(7, "c")}, discover.Want{}, []string{"a", "b", "c"},
		},
		"not before three days from now": {
			[]discover.Offer{slotIn(1, "soon"), slotIn(5, "b")}, discover.Want{}, []string{"b", "soon"},
		},
		"counted seats": {
			[]discover.Offer{slotIn(5, "any", hideVacancies), slotIn(5, "ten")}, discover.Want{Counted: true}, []string{"ten", "any"},
		},
		"counted seats above all": {
			[]discover.Offer{slotIn(5, "any", hideVacancies), slotIn(1, "soon")}, discover.Want{Counted: true}, []string{"soon", "any"},
		},
		"few seats": {
			[]discover.Offer{slotIn(5, "ten"), slotIn(5, "two", seats(2)), slotIn(5, "four", seats(4))},
			discover.Want{Fewest: true}, []string{"two", "four", "ten"},
		},
		"few seats, but not soon": {
			[]discover.Offer{slotIn(1, "soon", seats(1)), slotIn(5, "four", seats(4))}, discover.Want{Fewest: true}, []string{"four", "soon"},
		},
		"the unused": {
			[]discover.Offer{slotIn(5, "a"), slotIn(6, "b")},
			discover.Want{Used: map[string]bool{slotIn(5, "a").Key(): true}}, []string{"b", "a"},
		},
		"the second half, from the catalog's end": {
			[]discover.Offer{slotIn(5, "a"), slotIn(40, "b"), slotIn(6, "c"), slotIn(50, "d")},
			discover.Want{Late: true}, []string{"d", "b", "c", "a"},
		},
	} {
		test.want.Now = now
		before := slices.Clone(test.offers)
		var order []string
		for _, offer := range discover.Pick(test.offers, test.want) {
			order = append(order, offer.Slot.ID)
		}
		if !slices.Equal(order, test.order) {
			t.Errorf("%s: want %v, got %v", name, test.order, order)
		}
		for i := range before {
			if before[i].Slot.ID != test.offers[i].Slot.ID {
				t.Errorf("%s: want the catalog's own order left alone", name)
			}
		}
	}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return location
}

func parseTime(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

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

func TestAnswersAboutASlotContradictEachOtherOnlyInWhatASaleDoesNotChange(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	adult := discover.SlotPrice{UnitID: "adult", Currency: "EUR", Amount: 2500}
	left := func(n int64) *int64 { return &n }
	slot := discover.Slot{ID: "a", End: noon, Status: partnerapi.StatusAvailable, Vacancies: left(4), Capacity: left(10), Prices: []discover.SlotPrice{adult}}
	for _, test := range []struct {
		name   string
		change func(*discover.Slot)
		want   string
	}{
		{"the same answer", func(*discover.Slot) {}, ""},
		{"fewer seats", func(s *discover.Slot) { s.Vacancies, s.Status = left(0), partnerapi.StatusSoldOut }, ""},
		{"the same end in another time zone", func(s *discover.Slot) { s.End = noon.In(time.FixedZone("", 3600)) }, ""},
		{"no end and no prices", func(s *discover.Slot) { s.End, s.Prices = time.Time{}, nil }, ""},
		{"a price for one more unit", func(s *discover.Slot) {
			s.Prices = []discover.SlotPrice{{UnitID: "child", Currency: "EUR", Amount: 1000}, adult}
		}, ""},
		{"no capacity and no status", func(s *discover.Slot) { s.Capacity, s.Status = nil, "" }, ""},
		{"closed", func(s *discover.Slot) { s.Status = partnerapi.StatusClosed }, "status"},
		{"another capacity", func(s *discover.Slot) { s.Capacity = left(12) }, "capacity"},
		{"a later end", func(s *discover.Slot) { s.End = noon.Add(time.Hour) }, "localDateTimeEnd"},
		{"a higher price", func(s *discover.Slot) {
			s.Prices = []discover.SlotPrice{{UnitID: "adult", Currency: "EUR", Amount: 2600}}
		}, "unitPricing"},
		{"another currency", func(s *discover.Slot) {
			s.Prices = []discover.SlotPrice{{UnitID: "adult", Currency: "USD", Amount: 2500}}
		}, "unitPricing"},
	} {
		other := slot
		test.change(&other)
		if there, back := slot.Contradicts(other), other.Contradicts(slot); there != test.want || back != test.want {
			t.Errorf("%s: expected %q, received %q and %q", test.name, test.want, there, back)
		}
	}
}
