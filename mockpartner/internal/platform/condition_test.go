package platform

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/mockpartner/catalog"
)

func TestAConditionConfinesAQuirkToOneInstance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		quirk Quirk
		calls func(fixture, string)
		left  int
	}{
		{"the third release of a code", Quirk{On: OnReleaseAgain, Gives: AmountAll, If: ".nth == 2"},
			func(d fixture, slot string) {
				code := d.holds(slot, 2).Code
				for range 4 {
					d.Release(code, nil)
				}
			}, 7},
		{"the second hold of all", Quirk{On: OnReserve, Takes: AmountNone, If: ".count == 2"},
			func(d fixture, slot string) { d.holds(slot, 1); d.holds(slot, 1); d.holds(slot, 1) }, 3},
		{"all that is left", Quirk{On: OnReserve, Takes: AmountOne, If: ".party.seats == .slot.vacancies"},
			func(d fixture, slot string) { d.holds(slot, 2); d.holds(slot, 3) }, 2},
		{"a hold that is a minute old", Quirk{On: OnRelease, Gives: AmountNone, If: ".hold.age >= 60"},
			func(d fixture, slot string) {
				young, old := d.holds(slot, 1).Code, d.holds(slot, 2).Code
				d.Release(young, nil)
				d.clock.Advance(time.Minute)
				d.Release(old, nil)
			}, 3},
		{"after another hold", Quirk{On: OnRelease, Gives: AmountTwice, If: ".since.reserves > 0"},
			func(d fixture, slot string) {
				code := d.holds(slot, 1).Code
				d.holds(slot, 1)
				d.Release(code, nil)
			}, 5},
		{"once the catalog was pulled, for each hold once", Quirk{On: OnPull, Gives: AmountAll, If: ".nth == 1 and .booking == null"},
			func(d fixture, slot string) {
				d.holds(slot, 2)
				d.books(d.holds(slot, 1).Code)
				d.listing()
				d.listing()
			}, 4},
		{"once the catalog was pulled, for each booking once", Quirk{On: OnPull, Gives: AmountAll, If: ".nth == 1 and .booking != null"},
			func(d fixture, slot string) {
				code := d.holds(slot, 2).Code
				d.listing() // it is still a hold
				d.books(code)
				d.listing()
				d.listing()
			}, 5},
		{"another product", Quirk{On: OnReserve, Takes: AmountNone, If: `.slot.product == "of-no one"`},
			func(d fixture, slot string) { d.holds(slot, 2) }, 3},
		{"an old booking", Quirk{On: OnCancel, Gives: AmountNone, If: ".booking.age > 1 and .booking.state == \"confirmed\""},
			func(d fixture, slot string) {
				id := d.books(d.holds(slot, 2).Code).ID
				d.clock.Advance(2 * time.Second)
				d.Cancel(id, nil)
			}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := quirkyDesk(t, c.quirk)
			slot := d.fillSlot(day, 5)
			c.calls(d, slot)
			if got := d.vacanciesOf(slot); got != c.left {
				t.Errorf("want %d vacancies left, got %d", c.left, got)
			}
		})
	}
}

func (d fixture) listing() {
	d.t.Helper()
	if _, err := d.Listing(catalog.Filter{}); err != nil {
		d.t.Fatal(err)
	}
}

func TestASimilarCodeIsAcceptedIfAQuirkSaysSo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		finds Nearly
		asked func(code string) string
	}{
		{OtherCase, strings.ToLower},
		{Shorter, func(code string) string { return code[:len(code)-1] }},
		{Longer, func(code string) string { return code + "0" }},
		{Padded, func(code string) string { return code + " " }},
		{SameStart, func(code string) string { return code[:nearLength] + "-anything" }},
		{SameEnd, func(code string) string { return "anything-" + code[len(code)-nearLength:] }},
	} {
		t.Run(string(c.finds), func(t *testing.T) {
			t.Parallel()
			d := quirkyDesk(t, Quirk{On: OnRelease, Finds: c.finds})
			slot := d.fillSlot(day, 5)
			code := d.holds(slot, 2).Code
			if d.Release("quite-another-code", nil); d.vacanciesOf(slot) != 3 {
				t.Error("want another code left alone")
			}
			if outcome := d.Release(c.asked(code), nil); outcome != HoldReleased {
				t.Errorf("want %q taken for %q, got %s", c.asked(code), code, outcome)
			}
		})
	}
}

func TestARaceCanBeAboutAnotherKindOfCallAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		beside   func(d fixture, code string)
		bookings int
		left     int
	}{
		{"a release", func(d fixture, code string) { d.Release(code, nil) }, 1, 5},
		{"a confirm", func(d fixture, code string) { d.books(code) }, 1, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := quirkyDesk(t, Quirk{On: OnConfirm, Race: Duration(time.Second), Against: "released"})
				slot := d.fillSlot(day, 5)
				code := d.holds(slot, 2).Code
				var running sync.WaitGroup
				running.Go(func() { d.books(code) })
				synctest.Wait() // it has looked at the hold
				running.Go(func() { c.beside(d, code) })
				running.Wait()
				if made := d.Bookings(); len(made) != c.bookings {
					t.Errorf("want %d bookings, got %+v", c.bookings, made)
				}
				if got := d.vacanciesOf(slot); got != c.left {
					t.Errorf("want %d vacancies left, got %d", c.left, got)
				}
			})
		})
	}
}

func TestARaceThatOverwritesLosesTheChangesInBetween(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := quirkyDesk(t, Quirk{On: OnReserve, Race: Duration(time.Second), Overwrites: true})
		slot := d.fillSlot(day, 5)
		var running sync.WaitGroup
		running.Go(func() { d.holds(slot, 1) })
		running.Go(func() { d.holds(slot, 1) })
		running.Wait()
		if got := d.vacanciesOf(slot); got != 4 {
			t.Errorf("want 4 vacancies left of two holds, got %d", got)
		}
	})
}
