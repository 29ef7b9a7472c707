package scenario

import (
	"fmt"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
)

func TestTheLastOfSeveralStartsOfADay(t *testing.T) {
	t.Parallel()
	slot := func(option, start string) discover.Offer {
		at, err := time.Parse(time.RFC3339, start)
		if err != nil {
			t.Fatal(err)
		}
		return discover.Offer{Product: discover.Product{ID: "p"}, Option: discover.Option{ID: option}, Slot: discover.Slot{ID: start, Start: at, StartText: start}}
	}
	offers := []discover.Offer{
		slot("a", "2026-07-01T09:00:00+02:00"), slot("a", "2026-07-01T23:30:00+02:00"), slot("a", "2026-07-01T15:00:00+02:00"),
		slot("a", "2026-07-02T00:30:00+02:00"), // alone on its day
		slot("b", "2026-07-01T23:45:00+02:00"), slot("b", "2026-07-01T08:00:00+02:00"),
	}
	last := lastStarts(offers, offers[0].OptionKey())
	if len(last) != 1 || !last[offers[1].Key()] {
		t.Errorf("Expected only the start at 23:30 on 1 July, received %q", fmt.Sprint(last))
	}
}

func TestRoundsMeetEachOtherOptionBeforeTheyComeBackToOne(t *testing.T) {
	t.Parallel()
	survey := &Survey{}
	for _, option := range []string{"a", "b", "c"} {
		offer := discover.Offer{Product: discover.Product{ID: "p"}, Option: discover.Option{ID: option, Units: []discover.Unit{{ID: "unit-adult"}}}}
		offer.Slot = discover.Slot{ID: option, Start: time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC), Status: "FREESALE"}
		survey.Offers = append(survey.Offers, offer)
	}
	sites, met := raceSlots{seats: &Seats{}}, map[int]map[string]bool{0: {}, 1: {}}
	for round := range 2 * len(survey.Offers) * roamEvery {
		if key, pass := sites.otherOption(survey, round, discover.Want{Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), Seats: 1}); key != "" {
			met[pass][key] = true
		}
	}
	if len(met[0]) != len(survey.Offers) || len(met[1]) != len(survey.Offers) {
		t.Errorf("Expected each option once in each of two passes, received %v", met)
	}
}
