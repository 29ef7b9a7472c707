package platform

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"

	"pgregory.net/rapid"

	"partnerkit.dev/schemas/partnerapi"
)

// content is what is in a platform, as text.
func content(t interface{ Fatal(...any) }, p *Platform) string {
	text, err := json.Marshal(p.Inside())
	if err != nil {
		t.Fatal(err)
	}
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
				act(rt, desk{Platform: p, t: t, clock: p.stock.clock.(*clock.Virtual)}, i)
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
func act(rt *rapid.T, d desk, n int) {
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

func TestAnswersFromBeforeARestoreAreStale(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	saved := d.Snapshot()
	window, err := d.Availability(partnerapi.AvailabilityRequest{ProductID: "walk", OptionID: "daily", LocalDateStart: day, LocalDateEnd: day})
	if err != nil {
		t.Fatal(err)
	}
	if !window.Stamp.Fresh() {
		t.Fatal("want the answer fresh")
	}
	d.Restore(saved)
	if window.Stamp.Fresh() {
		t.Fatal("want the answer stale")
	}
}

// What is in a platform makes no difference to what a copy of it costs.
func BenchmarkClone(b *testing.B) {
	for _, holds := range []int{0, 1000, 50_000} {
		b.Run(fmt.Sprintf("%d holds", holds), func(b *testing.B) {
			d := open(b, oneProduct())
			on := d.slotOn(day).ID
			d.change(on, SlotChange{Capacity: new(holds + 1), Vacancies: new(holds + 1)})
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
