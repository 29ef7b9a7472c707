package platform

import (
	"errors"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// resizedCatalog is the catalog of one product with another capacity.
func resizedCatalog(seats int) *catalog.Catalog {
	return oneProduct(func(_ *catalog.Product, s *catalog.Schedule) { s.Capacity = catalog.Seats{Min: seats, Max: seats} })
}

// otherCatalog is a catalog without the product of the others.
func otherCatalog() *catalog.Catalog {
	return oneProduct(func(p *catalog.Product, _ *catalog.Schedule) { p.ID = "another" })
}

func (d fixture) sells(c *catalog.Catalog) {
	d.t.Helper()
	must(d.t, d.Sell(c))
	d.requireBalanced()
}

func TestHoldsAndBookingsOutliveTheCatalogTheyAreOf(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]*catalog.Catalog{"changed": resizedCatalog(50), "gone": otherCatalog()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, oneProduct())
			id := d.fillSlot("2026-07-10", 5)
			held, confirmed, released := d.reserve(id, 1), d.reserve(id, 1), d.reserve(id, 1)
			booking := d.confirm(d.reserve(id, 1).Code)
			d.sells(next)
			d.release(released.Code, HoldReleased)
			d.cancel(booking.ID, BookingCancelled)
			d.cancel(d.confirm(confirmed.Code).ID, BookingCancelled)
			d.clock.Advance(25 * time.Minute)
			if hold, _ := d.FindHold(held.Code); hold.State != client.Expired {
				t.Errorf("want the last hold expired, got %s", hold.State)
			}
			d.sells(oneProduct()) // and it comes back
			d.requireVacancies("2026-07-10", 5)
		})
	}
}

func TestASlotInUseKeepsItsSeatsAndTheOthersFollowTheCatalog(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.fillSlot("2026-07-10", 5)
	d.reserve(id, 2)
	d.sells(resizedCatalog(50))
	d.requireVacancies("2026-07-10", 3)
	d.reserve(id, 3)
	d.requireVacancies("2026-07-10", 0)
	if slot := d.slotOn("2026-07-11"); *slot.Capacity != 50 {
		t.Errorf("want the new capacity, got %d", *slot.Capacity)
	}
}

func TestAProductThatIsNoLongerSoldCannotBeRequested(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.fillSlot("2026-07-10", 5)
	request := d.request(id, 1)
	d.sells(otherCatalog())
	_, err := d.Reserve(request, nil)
	d.requireRefusal(err, UnknownID)
	if _, err := d.FindSlot(request.ProductID, request.OptionID, id); err == nil {
		t.Error("want no such slot")
	}
}

func TestAnAnswerIsStaleOnceTheCatalogHasChanged(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	ask := func() Window {
		window, err := d.Availability(partnerapi.AvailabilityRequest{ProductID: "walk", OptionID: "daily", LocalDateStart: "2026-07-10", LocalDateEnd: "2026-07-10", Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 1}}})
		must(t, err)
		return window
	}
	d.reserve(d.fillSlot("2026-07-10", 5), 1)
	before := ask()
	d.sells(oneProduct())
	if !before.Stamp.IsFresh() {
		t.Error("want an answer to stay fresh where nothing has changed")
	}
	d.sells(resizedCatalog(50))
	after := ask()
	if before.Stamp.IsFresh() || !after.Stamp.IsFresh() {
		t.Error("want the old answer stale and the new one fresh")
	}
	d.clock.Advance(25 * time.Minute)
	if after.Stamp.IsFresh() {
		t.Error("want it stale once a hold of the catalog before has expired")
	}
}

func TestASnapshotRestoresTheCatalogItWasTakenWith(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.fillSlot("2026-07-10", 5)
	hold := d.reserve(id, 2)
	saved := d.Snapshot()
	clone := fixture{Platform: d.Clone(d.clock), t: t, clock: d.clock}
	d.sells(otherCatalog())
	d.release(hold.Code, HoldReleased)
	d.Restore(saved)
	d.requireBalanced()
	d.requireVacancies("2026-07-10", 3)
	d.release(hold.Code, HoldReleased)
	clone.requireVacancies("2026-07-10", 3)
	clone.sells(resizedCatalog(50))
	clone.release(hold.Code, HoldReleased)
	d.requireVacancies("2026-07-10", 5)
}

func TestACatalogBringsNoOtherPolicy(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	next := resizedCatalog(50)
	next.NoHolds = true
	if err := d.Sell(next); !errors.Is(err, ErrPolicy) {
		t.Errorf("want ErrPolicy, got %v", err)
	}
}

// A caller that books while the catalog changes sees either the old or the new one.
func TestSeatsAreKeptWhileTheCatalogChanges(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.fillSlot("2026-07-10", 5)
	request := d.request(id, 1)
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for range 50 {
				if hold, err := d.Reserve(request, nil); err == nil {
					d.Release(hold.Code, nil)
				}
				d.Timers(10)
				_, _ = d.Listing(catalog.Filter{})
			}
		})
	}
	saved := d.Snapshot()
	for i := range 30 {
		next := []*catalog.Catalog{resizedCatalog(50 + i), otherCatalog(), oneProduct()}[i%3]
		if err := d.Sell(next); err != nil {
			t.Error(err)
		}
		if i == 15 {
			d.Restore(saved)
		}
	}
	callers.Wait()
	d.requireBalanced()
	d.sells(oneProduct())
	d.requireVacancies("2026-07-10", 5)
}

func TestASlotTakesEveryStatusAndComesBack(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 5)
	hold := d.reserve(slot, 2)
	for _, c := range []struct {
		change client.SlotChange
		left   any
	}{
		{client.SlotChange{Status: new(partnerapi.StatusSoldOut)}, 0},
		{client.SlotChange{Status: new(partnerapi.StatusLimited), Vacancies: new(1)}, 1},
		{client.SlotChange{Status: new(partnerapi.StatusClosed)}, 1},
		{client.SlotChange{Status: new(partnerapi.StatusAvailable), Vacancies: new(2)}, 2},
		{client.SlotChange{Status: new(partnerapi.StatusFreesale)}, "none"},
		{client.SlotChange{Status: new(partnerapi.StatusAvailable), Capacity: new(9)}, 7},
	} {
		d.change(slot, c.change)
		d.requireBalanced()
		if shown := d.slotOn(day); shown.Status != *c.change.Status || show(shown.Vacancies) != c.left {
			t.Fatalf("want %s with %v left, got %s with %v", *c.change.Status, c.left, shown.Status, show(shown.Vacancies))
		}
	}
	d.release(hold.Code, HoldReleased)
	d.requireVacancies(day, 9)
}

func TestASlotWithoutLimitCanBeClosedAndReopened(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(p *catalog.Product, _ *catalog.Schedule) { p.AllowFreesale = true }))
	slot := d.slotOn(day).ID
	d.change(slot, client.SlotChange{Status: new(partnerapi.StatusClosed)})
	d.change(slot, client.SlotChange{Status: new(partnerapi.StatusAvailable)})
	if shown := d.slotOn(day); shown.Status != partnerapi.StatusAvailable || shown.Vacancies != nil {
		t.Fatalf("want AVAILABLE without numbers again, got %+v", shown)
	}
}

func TestInvalidChangesAreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 5)
	d.reserve(slot, 3)
	for _, c := range []struct {
		name   string
		change client.SlotChange
		kind   Kind
	}{
		{"available without seats", client.SlotChange{Status: new(partnerapi.StatusAvailable), Vacancies: new(0)}, BadRequest},
		{"limited with too many", client.SlotChange{Status: new(partnerapi.StatusLimited)}, BadRequest},
		{"fewer seats than are held", client.SlotChange{Capacity: new(2)}, BadRequest},
		{"a debt of seats", client.SlotChange{Vacancies: new(-1)}, BadRequest},
	} {
		t.Log(c.name)
		d.requireRefusal(d.SetSlot("walk", "daily", slot, c.change), c.kind)
	}
	d.requireRefusal(d.SetSlot("walk", "daily", "no", client.SlotChange{}), UnknownID)
	d.requireRefusal(d.SetSlot("no", "daily", slot, client.SlotChange{}), UnknownID)
	d.requireVacancies(day, 2)
}

func TestVacanciesMoveBetweenThisAndOtherChannels(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 5)
	for _, c := range []struct{ left, capacity int }{{3, 5}, {4, 5}, {7, 7}, {0, 7}} {
		d.change(slot, client.SlotChange{Vacancies: &c.left})
		d.requireBalanced()
		d.requireVacancies(day, c.left)
		if got := *d.slotOn(day).Capacity; got != c.capacity {
			t.Fatalf("with %d left: want a capacity of %d, got %d", c.left, c.capacity, got)
		}
	}
}
