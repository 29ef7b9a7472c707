package platform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/schemas/partnerapi"
)

// quirkyDesk is a fixture that behaves as the quirks have it. Its calls must not want
// the ledger to agree: that it does not is what quirks are for.
func quirkyDesk(t *testing.T, quirks ...Quirk) fixture {
	t.Helper()
	d := open(t, oneProduct())
	must(t, d.Behave(Conduct{Quirks: quirks}))
	return d
}

// vacanciesOf is how many vacancies the slot has, as the platform counts.
func (d fixture) vacanciesOf(slotID string) int {
	d.t.Helper()
	for _, s := range d.State().Slots {
		if s.AvailabilityID == slotID {
			return s.Vacancies
		}
	}
	d.t.Fatalf("want a slot %s in use", slotID)
	return 0
}

func (d fixture) holds(slotID string, adults int) client.Hold {
	d.t.Helper()
	hold, err := d.Reserve(d.request(slotID, adults), nil)
	must(d.t, err)
	return hold
}

func (d fixture) books(code string) client.Booking {
	d.t.Helper()
	booking, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: code}, nil)
	must(d.t, err)
	return booking
}

// Each quirk is played on a slot of five seats, and the seats that are left show it.
func TestAQuirkMovesSeatsAsItSays(t *testing.T) {
	t.Parallel()
	reserve := func(d fixture, slot string) { d.holds(slot, 3) }
	confirm := func(d fixture, slot string) { d.books(d.holds(slot, 3).Code) }
	again := func(d fixture, slot string) {
		code := d.holds(slot, 3).Code
		d.books(code)
		d.books(code)
	}
	release := func(d fixture, slot string) { d.Release(d.holds(slot, 3).Code, nil) }
	releaseAgain := func(d fixture, slot string) {
		code := d.holds(slot, 3).Code
		d.Release(code, nil)
		d.Release(code, nil)
	}
	releaseBooked := func(d fixture, slot string) {
		code := d.holds(slot, 3).Code
		d.books(code)
		d.Release(code, nil)
	}
	releaseCancelled := func(d fixture, slot string) {
		code := d.holds(slot, 3).Code
		d.Cancel(d.books(code).ID, nil)
		d.Release(code, nil)
	}
	expire := func(d fixture, slot string) {
		d.holds(slot, 3)
		d.clock.Advance(time.Hour)
	}
	releaseExpired := func(d fixture, slot string) {
		code := d.holds(slot, 3).Code
		d.clock.Advance(time.Hour)
		d.Release(code, nil)
	}
	cancel := func(d fixture, slot string) { d.Cancel(d.books(d.holds(slot, 3).Code).ID, nil) }
	cancelAgain := func(d fixture, slot string) {
		id := d.books(d.holds(slot, 3).Code).ID
		d.Cancel(id, nil)
		d.Cancel(id, nil)
	}
	refused := func(d fixture, slot string) { _, _ = d.Reserve(d.request(slot, 9), nil) }
	strangers := func(d fixture, slot string) {
		request := d.request(slot, 1)
		request.Units[0].ID = "unit-nobody-knows"
		_, _ = d.Reserve(request, nil)
	}
	for _, c := range []struct {
		quirk Quirk
		calls func(fixture, string)
		left  int
	}{
		{Quirk{On: OnReserve, Takes: AmountNone}, reserve, 5},
		{Quirk{On: OnReserve, Takes: AmountOne}, reserve, 4},
		{Quirk{On: OnReserve, Takes: AmountAllButOne}, reserve, 3},
		{Quirk{On: OnReserve, Takes: AmountAllAndOne}, reserve, 1},
		{Quirk{On: OnReserve, Takes: AmountTwice}, reserve, -1},
		{Quirk{On: OnReserve, Takes: AmountAll, Elsewhere: true}, reserve, 5},
		{Quirk{On: OnReserve, Takes: AmountAll, Late: Duration(time.Minute)}, reserve, 5},
		{Quirk{On: OnReserveTooMany, Takes: AmountOne}, refused, 4},
		{Quirk{On: OnReserveTooMany, Does: Accept, Takes: AmountAll}, refused, -4},
		{Quirk{On: OnReserveBadParty, Takes: AmountOne}, strangers, 4},
		{Quirk{On: OnConfirm, Takes: AmountAll}, confirm, -1},
		{Quirk{On: OnConfirm, Gives: AmountAll}, confirm, 5},
		{Quirk{On: OnConfirmAgain, Takes: AmountOne}, again, 1},
		{Quirk{On: OnConfirmAgain, Does: Accept, Takes: AmountOne}, again, 1},
		{Quirk{On: OnRelease, Gives: AmountNone}, release, 2},
		{Quirk{On: OnRelease, Gives: AmountTwice}, release, 8},
		{Quirk{On: OnRelease, Does: Nothing}, release, 2},
		{Quirk{On: OnReleaseAgain, Gives: AmountAll}, releaseAgain, 8},
		{Quirk{On: OnReleaseConfirmed, Gives: AmountOne}, releaseBooked, 3},
		{Quirk{On: OnReleaseConfirmed, Does: Accept}, releaseBooked, 5},
		{Quirk{On: OnReleaseCancelled, Gives: AmountAll}, releaseCancelled, 8},
		{Quirk{On: OnExpiry, Gives: AmountNone}, expire, 2},
		{Quirk{On: OnExpiry, Does: Nothing}, expire, 2},
		{Quirk{On: OnReleaseExpired, Gives: AmountAll}, releaseExpired, 8},
		{Quirk{On: OnCancel, Gives: AmountNone}, cancel, 2},
		{Quirk{On: OnCancel, Does: Nothing}, cancel, 2},
		{Quirk{On: OnCancelAgain, Gives: AmountOne}, cancelAgain, 6},
	} {
		t.Run(fmt.Sprintf("%+v", c.quirk), func(t *testing.T) {
			t.Parallel()
			d := quirkyDesk(t, c.quirk)
			slot := d.fillSlot(day, 5)
			c.calls(d, slot)
			if got := d.vacanciesOf(slot); got != c.left {
				t.Errorf("want %d vacancies left, got %d", c.left, got)
			}
			lawful := slices.Contains([]Does{Nothing}, c.quirk.Does) || c.quirk == Quirk{On: OnReleaseConfirmed, Does: Accept}
			if broken := d.Invariants(); (len(broken) == 0) != lawful {
				t.Errorf("want the ledger to find it (or nothing lost: %t), got %+v", lawful, broken)
			}
			plain := quirkyDesk(t, c.quirk)
			must(t, plain.Behave(Conduct{}))
			c.calls(plain, plain.fillSlot(day, 5))
			if broken := plain.Invariants(); len(broken) > 0 {
				t.Errorf("want nothing broken once the quirk is gone, got %+v", broken)
			}
		})
	}
}

func TestLateSeatsMoveWhenTheClockGetsThere(t *testing.T) {
	t.Parallel()
	d := quirkyDesk(t, Quirk{On: OnReserve, Takes: AmountAll, Late: Duration(5 * time.Minute)})
	slot := d.fillSlot(day, 5)
	d.holds(slot, 1)
	d.clock.Advance(2 * time.Minute)
	d.holds(slot, 2)
	kept := d.Snapshot()
	for _, c := range []struct {
		after time.Duration
		left  int
	}{{2*time.Minute + 59*time.Second, 5}, {time.Second, 4}, {2 * time.Minute, 2}} {
		d.clock.Advance(c.after)
		if got := d.vacanciesOf(slot); got != c.left {
			t.Errorf("want %d left at %s, got %d", c.left, d.Now().Format(time.TimeOnly), got)
		}
	}
	d.clock.Set(noon.Add(2 * time.Minute))
	d.Restore(kept)
	if got := d.vacanciesOf(slot); got != 5 {
		t.Errorf("want the seats of the snapshot still to come, got %d left", got)
	}
}

func TestACodeThatHasEndedIsAcceptedIfAQuirkSaysSo(t *testing.T) {
	t.Parallel()
	for on, end := range map[Case]func(fixture, client.Hold){
		OnConfirmReleased:  func(d fixture, h client.Hold) { d.Release(h.Code, nil) },
		OnConfirmExpired:   func(d fixture, _ client.Hold) { d.clock.Advance(time.Hour) },
		OnConfirmCancelled: func(d fixture, h client.Hold) { d.Cancel(d.books(h.Code).ID, nil) },
		OnConfirmAgain:     func(d fixture, h client.Hold) { d.books(h.Code) },
	} {
		d := quirkyDesk(t, Quirk{On: on, Does: Accept})
		hold := d.holds(d.fillSlot(day, 5), 1)
		end(d, hold)
		booking := d.books(hold.Code)
		if _, ok := d.FindBooking(booking.ID); !ok {
			t.Errorf("%s: want the booking kept", on)
		}
		if d.Cancel(booking.ID, nil) != BookingCancelled {
			t.Errorf("%s: want a booking that can be cancelled", on)
		}
		if len(d.Invariants()) == 0 {
			t.Errorf("%s: want the ledger to find it", on)
		}
	}
	d := quirkyDesk(t, Quirk{On: OnConfirmUnknown, Does: Accept})
	if booking := d.books("never"); booking.ID == "" || len(d.Bookings()) != 0 {
		t.Errorf("want a booking that nothing knows of, got %+v", booking)
	}
}

func TestAnAnswerWithoutAnEffectChangesNothing(t *testing.T) {
	t.Parallel()
	d := quirkyDesk(t, Quirk{On: OnReserve, Does: Nothing}, Quirk{On: OnConfirm, Does: Nothing})
	hold := d.holds(d.fillSlot(day, 5), 1)
	if hold.Code == "" || len(d.Holds()) != 0 {
		t.Errorf("want a code and no hold, got %+v", d.Holds())
	}
	must(t, d.Behave(Conduct{Quirks: []Quirk{{On: OnConfirm, Does: Nothing}}}))
	hold = d.holds(d.slotOn(day).ID, 1)
	if booking := d.books(hold.Code); booking.ID == "" || len(d.Bookings()) != 0 {
		t.Errorf("want a booking id and no booking, got %+v", d.Bookings())
	}
	if held, _ := d.FindHold(hold.Code); held.State != client.Held {
		t.Errorf("want the hold as it was, got %s", held.State)
	}
}

func TestAQuirkReusesTheIDsOfEndedHoldsAndBookings(t *testing.T) {
	t.Parallel()
	d := quirkyDesk(t, Quirk{Reuse: ReuseCodes}, Quirk{Reuse: ReuseBookingIDs})
	slot := d.fillSlot(day, 5)
	first, second := d.holds(slot, 1), d.holds(slot, 1)
	if first.Code == second.Code {
		t.Errorf("want the code of a live hold left alone, got %s twice", first.Code)
	}
	d.Release(first.Code, nil)
	third := d.holds(slot, 1)
	if third.Code != first.Code {
		t.Errorf("want %s again, got %s", first.Code, third.Code)
	}
	booking := d.books(third.Code)
	d.Cancel(booking.ID, nil)
	if again := d.books(second.Code); again.ID != booking.ID {
		t.Errorf("want %s again, got %s", booking.ID, again.ID)
	}
}

// Time stands still until all calls have looked.
func TestCallsThatRaceAreAllDone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		on             Case
		left, bookings int
	}{{OnReserve, -4, 0}, {OnConfirm, 2, 2}, {OnRelease, 8, 0}, {OnCancel, 8, 1}} {
		t.Run(string(c.on), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := quirkyDesk(t, Quirk{On: c.on, Race: Duration(time.Second)})
				slot := d.fillSlot(day, 5)
				call := func() { d.holds(slot, 3) }
				switch c.on {
				case OnConfirm:
					code := d.holds(slot, 3).Code
					call = func() { d.books(code) }
				case OnRelease:
					code := d.holds(slot, 3).Code
					call = func() { d.Release(code, nil) }
				case OnCancel:
					id := d.books(d.holds(slot, 3).Code).ID
					call = func() { d.Cancel(id, nil) }
				}
				var running sync.WaitGroup
				running.Go(call)
				running.Go(call)
				if c.on == OnReserve {
					running.Go(call)
				}
				running.Wait()
				if got := d.vacanciesOf(slot); got != c.left {
					t.Errorf("want %d vacancies left, got %d", c.left, got)
				}
				if made := d.Bookings(); len(made) != c.bookings {
					t.Errorf("want %d bookings, got %+v", c.bookings, made)
				}
				if shown := d.slotOn(day); c.left < 0 && (*shown.Vacancies != 0 || shown.Status != partnerapi.StatusSoldOut) {
					t.Errorf("want a slot that is oversold shown as sold out, got %s with %d", shown.Status, *shown.Vacancies)
				}
			})
		})
	}
}

func TestAQuirkIsConfinedToItsPlace(t *testing.T) {
	t.Parallel()
	d := open(t, catalog.Default())
	products := d.Catalog().Products
	last := products[len(products)-1]
	lastOption := last.Options[len(last.Options)-1].ID
	for _, c := range []struct {
		quirk           Quirk
		product, option string
		daysAhead       int
		about           bool
	}{
		{Quirk{Product: Last, Option: Last}, last.ID, lastOption, 1, true},
		{Quirk{Product: Last}, products[0].ID, products[0].Options[0].ID, 1, false},
		{Quirk{Option: lastOption}, last.ID, lastOption, 1, true},
		{Quirk{Option: Last}, products[0].ID, products[0].Options[0].ID, 1, len(products[0].Options) == 1},
		{Quirk{FromDay: 50}, last.ID, lastOption, 49, false},
		{Quirk{FromDay: 50}, last.ID, lastOption, 50, true},
		{Quirk{Product: "none"}, last.ID, lastOption, 1, false},
	} {
		option, err := d.stock.option(c.product, c.option)
		must(t, err)
		today := localDay(noon, option.Product.Location)
		key := slotKey{option: option, day: today + int64(c.daysAhead), minute: option.Starts[0]}
		if got := d.stock.concerns(c.quirk, key, noon); got != c.about {
			t.Errorf("%+v, %s %s in %d days: want %t, got %t", c.quirk, c.product, c.option, c.daysAhead, c.about, got)
		}
	}
}

func TestDaysAreCountedFromTheDateInTheProductsZone(t *testing.T) {
	t.Parallel()
	d := open(t, catalog.Default())
	option, err := d.stock.option("new-york-pass", "night-pass")
	must(t, err)
	evening := time.Date(2026, 7, 2, 1, 0, 0, 0, time.UTC) // of 1 July in New York
	for day, ahead := range map[int]int{1: 0, 2: 1, 4: 3} {
		key := slotKey{option: option, day: dayNumber(time.Date(2026, 7, day, 0, 0, 0, 0, time.UTC)), minute: option.Starts[0]}
		if got := aboutSlot(d.stock, key, evening)["day"]; got != ahead {
			t.Errorf("%d July: want it %d days ahead, got %v", day, ahead, got)
		}
		if !d.stock.concerns(Quirk{FromDay: ahead}, key, evening) || d.stock.concerns(Quirk{FromDay: ahead + 1}, key, evening) {
			t.Errorf("%d July: want a quirk from day %d on to apply, and none from the next", day, ahead)
		}
	}
}

func TestASlotThatWasFullIsRememberedForAQuirkThatAsks(t *testing.T) {
	t.Parallel()
	d := quirkyDesk(t, Quirk{On: OnReserve, Does: Refuse, OnceFull: true})
	slot := d.fillSlot(day, 1)
	d.Release(d.holds(slot, 1).Code, nil)
	if _, err := d.Reserve(d.request(slot, 1), nil); err == nil {
		t.Error("want the slot that was full shut")
	}
	d.holds(d.fillSlot("2026-07-03", 2), 1)
}

func TestASlotWithACancelledBookingIsRememberedForAQuirkThatAsks(t *testing.T) {
	t.Parallel()
	d := quirkyDesk(t, Quirk{On: OnRelease, Gives: AmountNone, OnceCancelled: true})
	lost := func(date string) int {
		slot := d.slotOn(date)
		d.Release(d.holds(slot.ID, 1).Code, nil)
		return *slot.Vacancies - *d.slotOn(date).Vacancies
	}
	if got := lost(day); got != 0 {
		t.Errorf("want the seat back while no booking of the slot was cancelled, got %d lost", got)
	}
	d.Cancel(d.books(d.holds(d.slotOn(day).ID, 1).Code).ID, nil)
	if got := lost(day); got != 1 {
		t.Errorf("want the seat lost once a booking of the slot was cancelled, got %d lost", got)
	}
	if got := lost("2026-07-03"); got != 0 {
		t.Errorf("want the seats of other slots back, got %d lost", got)
	}
}

func TestOldIDsOfADriftingSlotAreStillKnown(t *testing.T) {
	t.Parallel()
	d := quirkyDesk(t, Quirk{Drift: DriftSlots})
	first, second := d.slotOn(day).ID, d.slotOn(day).ID
	if first == second || !strings.Contains(first, driftMark) {
		t.Fatalf("want another id with every call, got %s and %s", first, second)
	}
	d.holds(first, 1)
	d.holds(second, 1)
	if held := d.State().Slots; len(held) != 1 || held[0].Held != 2 {
		t.Errorf("want both of the same slot, got %+v", held)
	}
	listings := map[string]bool{}
	for _, q := range []Quirk{{Drift: DriftProducts}, {Drift: DriftOptions}, {Shuffle: true}} {
		must(t, d.Behave(Conduct{Quirks: []Quirk{q}}))
		body, err := d.Listing(catalog.Filter{})
		must(t, err)
		listings[string(body)] = true
	}
	if len(listings) != 3 {
		t.Errorf("want three catalogs that differ, got %d", len(listings))
	}
}

func TestAQuirkThatSaysNothingOrTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	for key, q := range map[string]Quirk{
		"on":             {},
		"name":           {Name: "a b", On: OnRelease, Gives: AmountNone},
		"does":           {On: OnRelease, Does: Accept},
		"takes":          {On: OnReserve, Takes: "some"},
		"gives":          {On: OnReserve, Gives: "some"},
		"race":           {On: OnReleaseAgain, Gives: AmountNone, Race: 1},
		"reuse":          {Reuse: "slots"},
		"drift":          {Drift: "prices"},
		"from_day":       {On: OnRelease, Gives: AmountNone, FromDay: -1},
		"once_full":      {Drift: DriftSlots, OnceFull: true},
		"once_cancelled": {Drift: DriftSlots, OnceCancelled: true},
	} {
		var wrong *invalid.Error
		if err := q.Check(); !errors.As(err, &wrong) || wrong.Path != key || wrong.Message == "" {
			t.Errorf("%s: want it named, got %v", key, err)
		}
	}
	for _, q := range []Quirk{{On: "later", Takes: AmountOne}, {On: OnRelease}, {Reuse: ReuseCodes, Shuffle: true}, {Shuffle: true, Takes: AmountOne}, {On: OnRelease, Late: 1}, {On: OnRelease, Does: Nothing, Race: 1}, {On: OnConfirmUnknown, Takes: AmountOne}} {
		if q.Check() == nil {
			t.Errorf("want %+v refused", q)
		}
	}
	d := open(t, oneProduct())
	if err := d.Behave(Conduct{Quirks: slices.Repeat([]Quirk{{Shuffle: true}}, MaxQuirks+1)}); err == nil {
		t.Error("want too many refused")
	}
}
