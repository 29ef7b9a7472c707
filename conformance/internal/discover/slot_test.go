package discover_test

import (
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

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
