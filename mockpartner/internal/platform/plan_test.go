package platform

import (
	"slices"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"
)

func (d desk) plans(changes ...PlannedChange) {
	d.t.Helper()
	if err := d.Plan(changes); err != nil {
		d.t.Fatal(err)
	}
}

// at is a change of the slot after so long.
func (d desk) at(slotID string, after time.Duration, change SlotChange) PlannedChange {
	return PlannedChange{At: noon.Add(after), ProductID: "walk", OptionID: "daily", AvailabilityID: slotID, Change: change}
}

// A hold's seats come back before a change that is made later, and after one that
// is made earlier.
func TestPlannedChangesAndExpiriesHappenInTheOrderOfTheirTimes(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.full("2026-07-10", 5)
	d.reserve(id, 2) // until 12:20
	d.plans(d.at(id, 30*time.Minute, SlotChange{Vacancies: new(1)}), d.at(id, 10*time.Minute, SlotChange{Vacancies: new(2)}))
	saved := d.Snapshot()
	d.clock.Advance(21 * time.Minute)
	d.left("2026-07-10", 4)
	d.clock.Set(noon)
	d.Restore(saved)
	d.clock.Advance(time.Hour)
	d.left("2026-07-10", 1)
	d.balanced()
}

func TestPlannedChangesAreTimersAndCanBeRunTo(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.full("2026-07-10", 5)
	d.plans(d.at(id, time.Hour, SlotChange{Vacancies: new(1)}))
	pending := d.Timers(10, SlotChanges)
	if want := []Timer{{At: noon.Add(time.Hour), Kind: SlotChanges, Subject: id}}; !slices.Equal(pending, want) {
		t.Fatalf("want %v, got %v", want, pending)
	}
	if at, ok := d.Next(); !ok || !at.Equal(noon.Add(time.Hour)) {
		t.Errorf("want it next, got %s, %t", at, ok)
	}
	d.clock.Set(pending[0].At)
	d.left("2026-07-10", 1)
	if _, ok := d.Next(); ok {
		t.Error("want nothing pending any more")
	}
}

func TestASnapshotKeepsWhatWasPlanned(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.full("2026-07-10", 5)
	d.plans(d.at(id, time.Hour, SlotChange{Vacancies: new(1)}))
	saved := d.Snapshot()
	d.clock.Advance(2 * time.Hour)
	d.left("2026-07-10", 1)
	d.clock.Set(noon)
	d.Restore(saved)
	d.left("2026-07-10", 5)
	d.clock.Advance(2 * time.Hour)
	d.left("2026-07-10", 1)
}

func TestAnObserverIsToldOfWhatCallersWouldSee(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.full("2026-07-10", 5)
	var causes []Cause
	d.Observe(func(c Change) { causes = append(causes, c.Cause) })
	hold := d.reserve(id, 2)
	d.confirm(hold.Code)                           // no seats move
	d.change(id, SlotChange{Vacancies: new(3)})    // as it is
	d.change(id, SlotChange{Vacancies: new(2)})    //
	d.sells(oneProduct())                          // as it is
	d.sells(elsewhere())                           //
	d.cancel(d.Bookings()[0].ID, BookingCancelled) // of a product that nobody can see
	d.Observe(nil)
	d.sells(oneProduct())
	if want := []Cause{BookingChange, StaffChange, CatalogChanged}; !slices.Equal(causes, want) {
		t.Errorf("want %v, got %v", want, causes)
	}
}

func TestAClockTellsWhenItIsMoved(t *testing.T) {
	t.Parallel()
	clock := clock.NewFrozen(noon)
	for name, move := range map[string]func(){
		"set": func() { clock.Set(noon) }, "advance": func() { clock.Advance(1) }, "freeze": clock.Freeze, "run": clock.Run, "show": func() { clock.Show(clock.Read()) },
	} {
		moved := clock.Moved()
		select {
		case <-moved:
			t.Errorf("%s: want silence before the move", name)
		default:
		}
		move()
		select {
		case <-moved:
		default:
			t.Errorf("%s: want it told", name)
		}
	}
}
