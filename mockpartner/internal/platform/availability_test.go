package platform

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/schemas/partnerapi"
)

// eachOption calls f for every option of the default catalog, with a platform
// of that seed.
func eachOption(t *testing.T, seed uint64, f func(*testing.T, *Platform, *catalog.IndexedOption)) {
	t.Helper()
	index, err := catalog.DefaultIndex()
	must(t, err)
	p, err := New(Config{Catalog: index, Clock: clock.NewFrozen(noon), Seed: seed})
	must(t, err)
	for _, product := range index.Products {
		for _, wire := range product.Options {
			option, _ := product.Option(wire.ID)
			f(t, p, option)
		}
	}
}

func ask(t *testing.T, p *Platform, o *catalog.IndexedOption, from, to string) Window {
	t.Helper()
	window, err := p.Availability(partnerapi.AvailabilityRequest{
		ProductID: o.Product.ID, OptionID: o.ID, LocalDateStart: from, LocalDateEnd: to,
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
	})
	if err != nil {
		t.Fatalf("%s/%s from %s to %s: %v", o.Product.ID, o.ID, from, to, err)
	}
	return window
}

const first, last = "2026-07-01", "2026-08-30" // today and 60 days after it

func TestEveryStatusAppearsWhateverTheSeed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		seen, byOption := map[partnerapi.SlotStatus]bool{}, map[string]map[partnerapi.SlotStatus]bool{}
		empty := false
		eachOption(t, seed, func(t *testing.T, p *Platform, o *catalog.IndexedOption) {
			of := map[partnerapi.SlotStatus]bool{}
			days := map[string]bool{}
			for _, slot := range ask(t, p, o, first, last).Slots {
				seen[slot.Status], of[slot.Status] = true, true
				days[slot.LocalDateTimeStart[:len(time.DateOnly)]] = true
			}
			empty = empty || len(days) < 61
			byOption[o.Product.ID+"/"+o.ID] = of
		})
		for _, status := range partnerapi.SlotStatuses() {
			if !seen[status] {
				t.Errorf("seed %d: want a slot that is %s, got none", seed, status)
			}
		}
		if !empty {
			t.Errorf("seed %d: want a day without slots, got none", seed)
		}
		for option, of := range byOption {
			bookable := of[partnerapi.StatusAvailable] || of[partnerapi.StatusFreesale] || of[partnerapi.StatusLimited]
			if !bookable {
				t.Errorf("seed %d: want slots of %s that can be booked, got none", seed, option)
			}
		}
	}
}

func TestASeedDecidesTheSlots(t *testing.T) {
	t.Parallel()
	asked := func(seed uint64) (all [][]partnerapi.Slot) {
		eachOption(t, seed, func(t *testing.T, p *Platform, o *catalog.IndexedOption) {
			all = append(all, ask(t, p, o, first, last).Slots)
		})
		return all
	}
	one, again, other := asked(1), asked(1), asked(2)
	if !reflect.DeepEqual(one, again) {
		t.Fatal("want the same slots from the same seed")
	}
	for i := range one {
		ids := func(slots []partnerapi.Slot) (ids []string) {
			for _, slot := range slots {
				ids = append(ids, slot.ID)
			}
			return ids
		}
		if !slices.Equal(ids(one[i]), ids(other[i])) {
			t.Fatal("want ids to depend on the catalog alone, not on the seed")
		}
	}
	if reflect.DeepEqual(one, other) {
		t.Fatal("want other slots from another seed")
	}
}

func TestASingleDayShowsWhatALongWindowShows(t *testing.T) {
	t.Parallel()
	eachOption(t, 3, func(t *testing.T, p *Platform, o *catalog.IndexedOption) {
		joined := []partnerapi.Slot{}
		for day := date(t, first); !day.After(date(t, last)); day = day.AddDate(0, 0, 1) {
			on := day.Format(time.DateOnly)
			joined = append(joined, ask(t, p, o, on, on).Slots...)
		}
		if long := ask(t, p, o, first, last).Slots; !reflect.DeepEqual(long, joined) {
			t.Errorf("%s/%s: want 61 single days to be the long window (AVL-12)", o.Product.ID, o.ID)
		}
	})
}

func TestUnitPricingIsAbsentOwnOrEmpty(t *testing.T) {
	t.Parallel()
	styles := func(style catalog.PricingStyle) map[string]bool {
		d := open(t, oneProduct(func(_ *catalog.Product, s *catalog.Schedule) { s.UnitPricing = style }))
		seen := map[string]bool{}
		for _, slot := range d.slots(first, last) {
			text, err := json.Marshal(slot)
			must(t, err)
			switch {
			case strings.Contains(string(text), `"unitPricing":[{`):
				seen["own"] = true
			case strings.Contains(string(text), `"unitPricing":[]`):
				seen["empty"] = true
			case !strings.Contains(string(text), "unitPricing"):
				seen["absent"] = true
			}
		}
		return seen
	}
	for style, want := range map[catalog.PricingStyle]map[string]bool{
		"":                    {"absent": true},
		catalog.PricingAbsent: {"absent": true},
		catalog.PricingOwn:    {"own": true},
		catalog.PricingEmpty:  {"empty": true},
		catalog.PricingMixed:  {"absent": true, "own": true, "empty": true},
	} {
		if got := styles(style); !reflect.DeepEqual(got, want) {
			t.Errorf("style %q: want %v, got %v", style, want, got)
		}
	}
}

func TestSlotsCloseAtTheirCutOff(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 7, 10, 8, 0, 0, 0, time.UTC) // 09:00 in Lisbon
	t.Run("a start time closes before it starts", func(t *testing.T) {
		t.Parallel()
		d := open(t, oneProduct(func(_ *catalog.Product, s *catalog.Schedule) { s.CutOff = 2 * time.Hour }))
		closesAt(t, d, start.Add(-2*time.Hour))
	})
	t.Run("opening hours close before they end", func(t *testing.T) {
		t.Parallel()
		d := open(t, oneProduct(func(p *catalog.Product, s *catalog.Schedule) {
			p.Options[0].AvailabilityType = partnerapi.OpeningHours
			*s = catalog.Schedule{Opens: "09:00", Closes: "01:00", CutOff: time.Hour, Capacity: s.Capacity}
		}))
		closesAt(t, d, start.Add(15*time.Hour))
	})
}

func closesAt(t *testing.T, d fixture, at time.Time) {
	t.Helper()
	d.clock.Set(at.Add(-time.Second))
	before := d.slotOn(day)
	d.clock.Set(at)
	after := d.slotOn(day)
	if !before.Status.IsBookable() || after.Status != partnerapi.StatusClosed {
		t.Fatalf("want the sale to end at %s, got %s and then %s", at, before.Status, after.Status)
	}
	if after.ID != before.ID {
		t.Fatalf("want the id to stay %s, got %s", before.ID, after.ID)
	}
}

func TestHiddenVacanciesAreNotNamedButCounted(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(_ *catalog.Product, s *catalog.Schedule) { s.HideVacancies = true }))
	slot := d.fillSlot(day, 1)
	if shown := d.slotOn(day); shown.Vacancies != nil || shown.Capacity != nil {
		t.Fatalf("want no numbers, got %+v", shown)
	}
	d.reserve(slot, 1)
	if status := d.slotOn(day).Status; status != partnerapi.StatusSoldOut {
		t.Fatalf("want SOLD_OUT, got %s", status)
	}
}

func TestImpossibleWindowsAreRefused(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	good := partnerapi.AvailabilityRequest{ProductID: "walk", OptionID: "daily", LocalDateStart: "2026-07-01", LocalDateEnd: "2026-07-02"}
	cases := map[string]struct {
		change func(*partnerapi.AvailabilityRequest)
		kind   Kind
	}{
		"an unknown product": {func(r *partnerapi.AvailabilityRequest) { r.ProductID = "no" }, UnknownID},
		"an unknown option":  {func(r *partnerapi.AvailabilityRequest) { r.OptionID = "no" }, UnknownID},
		"an unknown unit": {func(r *partnerapi.AvailabilityRequest) {
			r.Units = []partnerapi.UnitQuantity{{ID: "no", Quantity: 1}}
		}, UnknownID},
		"no start":             {func(r *partnerapi.AvailabilityRequest) { r.LocalDateStart = "" }, BadRequest},
		"a day that never was": {func(r *partnerapi.AvailabilityRequest) { r.LocalDateEnd = "2026-02-30" }, BadRequest},
		"an end before start":  {func(r *partnerapi.AvailabilityRequest) { r.LocalDateEnd = "2026-06-30" }, BadRequest},
		"367 days":             {func(r *partnerapi.AvailabilityRequest) { r.LocalDateEnd = "2027-07-02" }, BadRequest},
	}
	for name, c := range cases {
		request := good
		c.change(&request)
		_, err := d.Availability(request)
		t.Log(name, "->", err)
		d.requireRefusal(err, c.kind)
	}
	if n := len(d.slots("2026-07-01", "2027-07-01")); n != MaxWindowDays {
		t.Fatalf("want %d daily slots in the longest window, got %d", MaxWindowDays, n)
	}
}

func TestAStampIsFreshUntilSomethingChanges(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 5)
	option, _ := d.Catalog().Products[0].Option("daily")
	stamp := func() Stamp { return ask(t, d.Platform, option, first, last).Stamp }
	stale := func(why string, s Stamp) {
		t.Helper()
		if s.IsFresh() {
			t.Errorf("want a stale stamp after %s", why)
		}
	}
	s := stamp()
	if !s.IsFresh() {
		t.Fatal("want a fresh stamp when nothing has changed")
	}
	hold := d.reserve(slot, 1)
	stale("a reserve", s)
	s = stamp()
	d.clock.Advance(time.Minute)
	if !s.IsFresh() {
		t.Fatal("want a fresh stamp when a minute passed and nothing else")
	}
	d.release(hold.Code, HoldReleased)
	stale("a release", s)
	d.reserve(slot, 1)
	s = stamp()
	d.clock.Advance(DefaultHoldFor)
	stale("an expiry", s)
	booking := d.confirm(d.reserve(slot, 1).Code)
	s = stamp()
	d.cancel(booking.ID, BookingCancelled)
	stale("a cancellation", s)
	s = stamp()
	d.change(slot, client.SlotChange{Vacancies: new(1)})
	stale("a change of the slot", s)
	saved := d.Snapshot()
	s = stamp()
	d.Restore(saved)
	stale("a restore", s)
	s = stamp()
	d.clock.Set(time.Date(2026, 7, 2, 8, 0, 0, 0, time.UTC))
	stale("the start of a slot", s)
	s = stamp()
	d.clock.Advance(-time.Hour)
	stale("a step back in time", s)
}
