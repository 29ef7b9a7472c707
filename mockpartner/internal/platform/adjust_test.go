package platform

import (
	"testing"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

func TestASlotTakesEveryStatusAndComesBack(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.full(day, 5)
	hold := d.reserve(slot, 2)
	for _, c := range []struct {
		change SlotChange
		left   any
	}{
		{SlotChange{Status: new(partnerapi.StatusSoldOut)}, 0},
		{SlotChange{Status: new(partnerapi.StatusLimited), Vacancies: new(1)}, 1},
		{SlotChange{Status: new(partnerapi.StatusClosed)}, 1},
		{SlotChange{Status: new(partnerapi.StatusAvailable), Vacancies: new(2)}, 2},
		{SlotChange{Status: new(partnerapi.StatusFreesale)}, "none"},
		{SlotChange{Status: new(partnerapi.StatusAvailable), Capacity: new(9)}, 7},
	} {
		d.change(slot, c.change)
		d.balanced()
		if shown := d.slotOn(day); shown.Status != *c.change.Status || show(shown.Vacancies) != c.left {
			t.Fatalf("want %s with %v left, got %s with %v", *c.change.Status, c.left, shown.Status, show(shown.Vacancies))
		}
	}
	d.release(hold.Code, HoldReleased)
	d.left(day, 9)
}

func TestASlotWithoutLimitCanBeClosedAndReopened(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(p *catalog.Product, _ *catalog.Schedule) { p.AllowFreesale = true }))
	slot := d.slotOn(day).ID
	d.change(slot, SlotChange{Status: new(partnerapi.StatusClosed)})
	d.change(slot, SlotChange{Status: new(partnerapi.StatusAvailable)})
	if shown := d.slotOn(day); shown.Status != partnerapi.StatusAvailable || shown.Vacancies != nil {
		t.Fatalf("want AVAILABLE without numbers again, got %+v", shown)
	}
}

func TestChangesThatCannotBeAreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.full(day, 5)
	d.reserve(slot, 3)
	for _, c := range []struct {
		name   string
		change SlotChange
		kind   Kind
	}{
		{"available without seats", SlotChange{Status: new(partnerapi.StatusAvailable), Vacancies: new(0)}, BadRequest},
		{"limited with too many", SlotChange{Status: new(partnerapi.StatusLimited)}, BadRequest},
		{"fewer seats than are held", SlotChange{Capacity: new(2)}, BadRequest},
		{"a debt of seats", SlotChange{Vacancies: new(-1)}, BadRequest},
	} {
		t.Log(c.name)
		d.refused(d.SetSlot("walk", "daily", slot, c.change), c.kind)
	}
	d.refused(d.SetSlot("walk", "daily", "no", SlotChange{}), UnknownID)
	d.refused(d.SetSlot("no", "daily", slot, SlotChange{}), UnknownID)
	d.left(day, 2)
}

func TestVacanciesMoveBetweenThisAndOtherChannels(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.full(day, 5)
	for _, c := range []struct{ left, capacity int }{{3, 5}, {4, 5}, {7, 7}, {0, 7}} {
		d.change(slot, SlotChange{Vacancies: &c.left})
		d.balanced()
		d.left(day, c.left)
		if got := *d.slotOn(day).Capacity; got != c.capacity {
			t.Fatalf("with %d left: want a capacity of %d, got %d", c.left, c.capacity, got)
		}
	}
}
