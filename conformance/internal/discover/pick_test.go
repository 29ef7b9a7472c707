package discover_test

import (
	"reflect"
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
		"of equals, the nearest in time": {
			[]discover.Offer{slotIn(5, "five", seats(2)), slotIn(9, "nine", seats(2)), slotIn(11, "eleven", seats(2)), slotIn(30, "one", seats(1))},
			discover.Want{Fewest: true, Near: now.Add(10*24*time.Hour + time.Hour)}, []string{"one", "eleven", "nine", "five"},
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

func TestByOption_KeepsTheOrderOfOptionsAndOfTheirOffers(t *testing.T) {
	t.Parallel()
	offer := func(option, slot string) discover.Offer {
		return discover.Offer{Option: discover.Option{ID: option}, Slot: discover.Slot{ID: slot}}
	}
	options := discover.ByOption([]discover.Offer{offer("b", "1"), offer("a", "2"), offer("b", "3")})
	want := [][]discover.Offer{{offer("b", "1"), offer("b", "3")}, {offer("a", "2")}}
	if !reflect.DeepEqual(options, want) {
		t.Errorf("got %v, want %v", options, want)
	}
}
