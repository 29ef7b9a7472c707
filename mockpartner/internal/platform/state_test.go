package platform

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/schemas/partnerapi"
)

// content is what is in a platform, as text.
func content(t errtest.T, p *Platform) string {
	text, err := json.Marshal(p.State())
	must(t, err)
	return string(text)
}

// Whatever happens to a platform, its clones and it never see each other's
// changes, and a snapshot brings back exactly what was there.
func TestClonesAndSnapshotsShareNothingThatChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := open(t, oneProduct())
		live := func(p *Platform, step string) {
			for i := range rapid.IntRange(1, 40).Draw(rt, step) {
				act(rt, fixture{Platform: p, t: t, clock: p.stock.clock.(*clock.Virtual)}, i)
			}
		}
		live(d.Platform, "before")
		saved, before, then := d.Snapshot(), content(rt, d.Platform), d.clock.Read()
		twin := d.Clone(clock.NewFrozen(then.At))
		if got := content(rt, twin); got != before {
			rt.Fatalf("want a clone like its original:\n%s\ngot\n%s", before, got)
		}
		live(d.Platform, "original")
		if got := content(rt, twin); got != before {
			rt.Fatalf("want the clone untouched:\n%s\ngot\n%s", before, got)
		}
		after := content(rt, d.Platform)
		live(twin, "clone")
		if got := content(rt, d.Platform); got != after {
			rt.Fatalf("want the original untouched:\n%s\ngot\n%s", after, got)
		}
		for range 2 { // a snapshot can be restored again
			d.clock.Show(then)
			d.Restore(saved)
			if got := content(rt, d.Platform); got != before {
				rt.Fatalf("want what was saved:\n%s\ngot\n%s", before, got)
			}
			live(d.Platform, "restored")
		}
		for _, p := range []*Platform{d.Platform, twin} {
			if broken := p.Invariants(); broken != nil {
				rt.Fatalf("want no violation, got %+v", broken)
			}
		}
	})
}

// act does something lawful, which may be refused.
func act(rt *rapid.T, d fixture, n int) {
	on := noon.AddDate(0, 0, 1+rapid.IntRange(0, 3).Draw(rt, "day")).Format(time.DateOnly)
	holds, bookings := d.Holds(), d.Bookings()
	switch action := rapid.IntRange(0, 9).Draw(rt, "action"); {
	case action < 5:
		d.Reserve(d.request(d.slotOn(on).ID, 1), nil)
	case action < 7 && len(holds) > 0:
		d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: holds[n%len(holds)].Code}, nil)
	case action == 7 && len(holds) > 0:
		d.Release(holds[n%len(holds)].Code, nil)
	case action == 8 && len(bookings) > 0:
		d.Cancel(bookings[n%len(bookings)].ID, nil)
	case action == 9:
		d.clock.Advance(6 * time.Minute)
	}
}

// What is in a platform makes no difference to what a copy of it costs.
func BenchmarkClone(b *testing.B) {
	for _, holds := range []int{0, 1000, benchsize.Choose(50_000, 2_000)} {
		b.Run(fmt.Sprintf("%d holds", holds), func(b *testing.B) {
			d := open(b, oneProduct())
			on := d.slotOn(day).ID
			d.change(on, client.SlotChange{Capacity: new(holds + 1), Vacancies: new(holds + 1)})
			for range holds {
				if _, err := d.Reserve(d.request(on, 1), nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				d.Clone(d.clock)
			}
		})
	}
}

func (d fixture) plans(changes ...PlannedChange) {
	d.t.Helper()
	must(d.t, d.Plan(changes))
}

// plannedChange is a change of the slot after so long.
func (d fixture) plannedChange(slotID string, after time.Duration, change client.SlotChange) PlannedChange {
	return PlannedChange{At: noon.Add(after), ProductID: "walk", OptionID: "daily", AvailabilityID: slotID, Change: change}
}

// A hold's seats come back before a change that is made later, and after one that
// is made earlier.
func TestPlannedChangesAndExpiriesHappenInTheOrderOfTheirTimes(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.fillSlot("2026-07-10", 5)
	d.reserve(id, 2) // until 12:20
	d.plans(d.plannedChange(id, 30*time.Minute, client.SlotChange{Vacancies: new(1)}), d.plannedChange(id, 10*time.Minute, client.SlotChange{Vacancies: new(2)}))
	saved := d.Snapshot()
	d.clock.Advance(21 * time.Minute)
	d.requireVacancies("2026-07-10", 4)
	d.clock.Set(noon)
	d.Restore(saved)
	d.clock.Advance(time.Hour)
	d.requireVacancies("2026-07-10", 1)
	d.requireBalanced()
}

func TestPlannedChangesAreTimersAndCanBeRunTo(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.fillSlot("2026-07-10", 5)
	d.plans(d.plannedChange(id, time.Hour, client.SlotChange{Vacancies: new(1)}))
	pending := d.Timers(10, client.SlotChanges)
	if want := []client.Timer{{At: noon.Add(time.Hour), Kind: client.SlotChanges, Subject: id}}; !slices.Equal(pending, want) {
		t.Fatalf("want %v, got %v", want, pending)
	}
	if at, ok := d.Next(); !ok || !at.Equal(noon.Add(time.Hour)) {
		t.Errorf("want it next, got %s, %t", at, ok)
	}
	d.clock.Set(pending[0].At)
	d.requireVacancies("2026-07-10", 1)
	if _, ok := d.Next(); ok {
		t.Error("want nothing pending any more")
	}
}

func TestAnObserverReceivesWhatCallersWouldSee(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	id := d.fillSlot("2026-07-10", 5)
	var causes []client.Cause
	d.Observe(func(c Change) { causes = append(causes, c.Cause) })
	hold := d.reserve(id, 2)
	d.confirm(hold.Code)                               // no seats move
	d.change(id, client.SlotChange{Vacancies: new(3)}) // unchanged
	d.change(id, client.SlotChange{Vacancies: new(2)}) //
	d.sells(oneProduct())                              // unchanged
	d.sells(otherCatalog())                            //
	d.cancel(d.Bookings()[0].ID, BookingCancelled)     // of a product that is no longer visible
	d.Observe(nil)
	d.sells(oneProduct())
	if want := []client.Cause{client.BookingChange, client.StaffChange, client.CatalogChanged}; !slices.Equal(causes, want) {
		t.Errorf("want %v, got %v", want, causes)
	}
}

func TestAClockReportsWhenItIsMoved(t *testing.T) {
	t.Parallel()
	clock := clock.NewFrozen(noon)
	for name, move := range map[string]func(){
		"set": func() { clock.Set(noon) }, "advance": func() { clock.Advance(1) }, "freeze": clock.Freeze, "run": clock.Run, "show": func() { clock.Show(clock.Read()) },
	} {
		moved := clock.NextMove()
		select {
		case <-moved:
			t.Errorf("%s: want silence before the move", name)
		default:
		}
		move()
		select {
		case <-moved:
		default:
			t.Errorf("%s: Expected it to be reported", name)
		}
	}
}
