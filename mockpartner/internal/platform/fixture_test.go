package platform

import (
	"errors"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/schemas/partnerapi"
)

// must ends the test on an error.
var must = errtest.Check

// noon is when the tests' frozen clocks begin: a Wednesday, in summer.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// oneProduct is a catalog of one product in Lisbon with one option of a daily
// start at 09:00, three hours long. Tests change it before they use it.
func oneProduct(change ...func(*catalog.Product, *catalog.Schedule)) *catalog.Catalog {
	product := catalog.Product{Product: partnerapi.Product{
		ID: "walk", InternalName: "Walk", Locale: "pt-PT", TimeZone: "Europe/Lisbon",
		Options: []partnerapi.Option{{
			ID: "daily", InternalName: "Daily", AvailabilityType: partnerapi.StartTime,
			Units: []partnerapi.Unit{
				unit("unit-adult", partnerapi.Adult), unit("unit-child", partnerapi.Child), unit("unit-infant", partnerapi.Infant),
			},
		}},
	}}
	schedule := catalog.Schedule{Starts: []string{"09:00"}, Duration: 3 * time.Hour, Capacity: catalog.Seats{Min: 5, Max: 5}, LimitedAt: new(1)}
	for _, c := range change {
		c(&product, &schedule)
	}
	product.Schedules = map[string]catalog.Schedule{product.Options[0].ID: schedule}
	return &catalog.Catalog{Products: []catalog.Product{product}}
}

func unit(id string, kind partnerapi.UnitType) partnerapi.Unit {
	return partnerapi.Unit{ID: id, InternalName: id, Type: kind, PricingFrom: []partnerapi.PricingEntry{{Original: 1000, Currency: "EUR"}}}
}

// fixture is a platform with its frozen clock, and calls that must succeed.
type fixture struct {
	*Platform
	t     testing.TB
	clock *clock.Virtual
}

func open(t testing.TB, c *catalog.Catalog) fixture {
	t.Helper()
	index, err := c.Index()
	must(t, err)
	clock := clock.NewFrozen(noon)
	p, err := New(Config{Catalog: index, Clock: clock, Seed: 7})
	must(t, err)
	return fixture{Platform: p, t: t, clock: clock}
}

// slots asks for the slots of the first product's first option.
func (d fixture) slots(from, to string) []partnerapi.Slot {
	d.t.Helper()
	product := d.Catalog().Products[0]
	window, err := d.Availability(partnerapi.AvailabilityRequest{
		ProductID: product.ID, OptionID: product.Options[0].ID, LocalDateStart: from, LocalDateEnd: to,
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
	})
	if err != nil {
		d.t.Fatalf("availability from %s to %s: %v", from, to, err)
	}
	return window.Slots
}

// slotOn returns the first slot of the day.
func (d fixture) slotOn(date string) partnerapi.Slot {
	d.t.Helper()
	slots := d.slots(date, date)
	if len(slots) == 0 {
		d.t.Fatalf("want a slot on %s, got none", date)
	}
	return slots[0]
}

// fillSlot gives the slot all its seats, so that a test knows how many there are.
func (d fixture) fillSlot(date string, seats int) string {
	d.t.Helper()
	id := d.slotOn(date).ID
	d.change(id, client.SlotChange{Capacity: new(seats), Vacancies: new(seats)})
	return id
}

func (d fixture) change(slotID string, change client.SlotChange) {
	d.t.Helper()
	product := d.Catalog().Products[0]
	if err := d.SetSlot(product.ID, product.Options[0].ID, slotID, change); err != nil {
		d.t.Fatalf("set slot: %v", err)
	}
}

// request is a reserve of so many adults.
func (d fixture) request(slotID string, adults int) partnerapi.ReserveRequest {
	product := d.Catalog().Products[0]
	return partnerapi.ReserveRequest{
		ProductID: product.ID, OptionID: product.Options[0].ID, AvailabilityID: slotID,
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: adults}},
	}
}

func (d fixture) reserve(slotID string, adults int) client.Hold {
	d.t.Helper()
	hold, err := d.Reserve(d.request(slotID, adults), nil)
	if err != nil {
		d.t.Fatalf("reserve %d seats: %v", adults, err)
	}
	d.requireBalanced()
	return hold
}

func (d fixture) confirm(code string) client.Booking {
	d.t.Helper()
	booking, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: code}, nil)
	if err != nil {
		d.t.Fatalf("confirm %s: %v", code, err)
	}
	d.requireBalanced()
	return booking
}

func (d fixture) release(code string, want Outcome) {
	d.t.Helper()
	if got := d.Release(code, nil); got != want {
		d.t.Fatalf("release %s: want %q, got %q", code, want, got)
	}
	d.requireBalanced()
}

func (d fixture) cancel(id string, want Outcome) {
	d.t.Helper()
	if got := d.Cancel(id, nil); got != want {
		d.t.Fatalf("cancel %s: want %q, got %q", id, want, got)
	}
	d.requireBalanced()
}

// refusesConfirm expects a confirm to be refused for lack of a live hold.
func (d fixture) refusesConfirm(code string) {
	d.t.Helper()
	_, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: code}, nil)
	d.requireRefusal(err, NoLiveHold)
}

func (d fixture) requireRefusal(err error, want Kind) {
	d.t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Kind != want || refusal.Message == "" {
		d.t.Fatalf("want a refusal of kind %s with a message, got %v", want, err)
	}
	d.requireBalanced()
}

// requireVacancies expects the slot of the day to have so many vacancies.
func (d fixture) requireVacancies(date string, want int) {
	d.t.Helper()
	slot := d.slotOn(date)
	if slot.Vacancies == nil || *slot.Vacancies != want {
		d.t.Fatalf("want %d vacancies on %s, got %s", want, date, show(slot.Vacancies))
	}
}

// requireBalanced expects no violated invariant of the inventory.
func (d fixture) requireBalanced() {
	d.t.Helper()
	if broken := d.Invariants(); len(broken) > 0 {
		d.t.Fatalf("want no violation, got %+v", broken)
	}
}

func show(n *int) any {
	if n == nil {
		return "none"
	}
	return *n
}
