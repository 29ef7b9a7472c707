package platform

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// A ledger that never complains proves nothing: each law is broken once, behind
// the platform's back.
func TestTheLedgerFindsEveryBrokenLaw(t *testing.T) {
	t.Parallel()
	for law, breakIt := range map[string]func(d fixture, hold storedHold, booking storedBooking){
		"a seat too many came back": func(d fixture, hold storedHold, _ storedBooking) {
			d.stock.take(hold.slot, -1)
		},
		"a seat was sold twice": func(d fixture, hold storedHold, _ storedBooking) {
			d.stock.put(hold.slot, slot{counted: true, vacancies: -1})
		},
		"a code was given out twice": func(d fixture, hold storedHold, _ storedBooking) {
			d.stock.state.ledger.recordHold(hold.Code, hold.slot, 0)
		},
		"a booking id was given out twice": func(d fixture, hold storedHold, booking storedBooking) {
			d.stock.state.ledger.recordBooking(hold.Code, booking.ID, 0)
		},
		"a hold ended twice": func(d fixture, _ storedHold, booking storedBooking) {
			d.stock.state.ledger.recordEnd(booking.Code)
		},
		"a hold ended that never began": func(d fixture, _ storedHold, _ storedBooking) {
			d.stock.state.ledger.recordEnd("never")
		},
		"a booking was cancelled twice": func(d fixture, _ storedHold, booking storedBooking) {
			d.stock.state.ledger.cancelled(booking.ID)
			d.stock.state.ledger.cancelled(booking.ID)
		},
		"a booking was cancelled that never was": func(d fixture, _ storedHold, _ storedBooking) {
			d.stock.state.ledger.cancelled("never")
		},
		"a hold ended without the ledger's knowledge": func(d fixture, hold storedHold, _ storedBooking) {
			hold.State = client.Released
			d.stock.state.holds.Set(hold.Code, &hold)
		},
		"a booking ended without the ledger's knowledge": func(d fixture, _ storedHold, booking storedBooking) {
			booking.State = client.Cancelled
			d.stock.state.bookings.Set(booking.ID, &booking)
		},
	} {
		d := open(t, oneProduct())
		slot := d.fillSlot(day, 5)
		booked := d.confirm(d.reserve(slot, 1).Code)
		hold, _ := d.stock.state.holds.Get(d.reserve(slot, 1).Code)
		booking, _ := d.stock.state.bookings.Get(booked.ID)
		breakIt(d, *hold, *booking)
		if broken := d.Invariants(); len(broken) == 0 {
			t.Errorf("%s: want a violation, got none", law)
		} else {
			t.Logf("%s: %+v", law, broken)
		}
	}
}

// A slot that lost a seat is kept even when it is not in use, so that it is found.
func TestASlotThatLostASeatIsNotForgotten(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	hold, _ := d.stock.state.holds.Get(d.reserve(d.slotOn(day).ID, 1).Code)
	d.stock.take(hold.slot, 1)
	d.Release(hold.Code, nil)
	broken := d.Invariants()
	if !slices.ContainsFunc(broken, func(v client.Violation) bool { return v.Invariant == seatsAddUp }) {
		t.Fatalf("want the lost seat found, got %+v", broken)
	}
}

func TestTheLedgerIsBounded(t *testing.T) {
	t.Parallel()
	l := newLedger()
	for range maxViolations + 10 {
		l.note(uniqueCodes, strings.Repeat("x", 10), "again")
	}
	if n := len(l.violations); n != maxViolations {
		t.Fatalf("want %d violations kept, got %d", maxViolations, n)
	}
}

func TestCodesAreNeverUsedTwiceAndTheSeedsOwn(t *testing.T) {
	t.Parallel()
	for _, style := range []catalog.CodeStyle{catalog.PlainCodes, catalog.AwkwardCodes} {
		c := oneProduct()
		c.Codes = style
		d, twin := open(t, c), open(t, c)
		other := open(t, c)
		other.stock.seed++
		seen := map[string]bool{}
		differs := false
		for range 10_000 {
			code := d.life.issue("R")
			if seen[code] {
				t.Fatalf("%s: want a new code, got %q again", style, code)
			}
			seen[code] = true
			if again := twin.life.issue("R"); again != code {
				t.Fatalf("%s: want %q from the same seed, got %q", style, code, again)
			}
			differs = differs || other.life.issue("R") != code
		}
		if !differs {
			t.Fatalf("%s: want other codes from another seed", style)
		}
	}
}

func TestPlainCodesNeedNoEscaping(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	for range 1000 {
		if code := d.life.issue("R"); strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
			t.Fatalf("want letters, digits and dashes, got %q", code)
		}
	}
}

func TestAwkwardCodesContainTheCharactersThatBreakClients(t *testing.T) {
	t.Parallel()
	c := oneProduct()
	c.Codes = catalog.AwkwardCodes
	d := open(t, c)
	var codes []string
	for range 20 {
		codes = append(codes, d.life.issue("R"))
	}
	all := strings.Join(codes, "\n")
	for _, awkward := range []string{"/", "+", "%", " ", "東", "?", "#", "\n..\n", "\"", "../"} {
		if !strings.Contains(all, awkward) {
			t.Errorf("want a code with %q, got\n%s", awkward, all)
		}
	}
}

func TestACallReportsWhatItChanged(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 5)
	var before, after client.Facts
	reported := 0
	observe := func(b, a client.Facts) { before, after, reported = b, a, reported+1 }

	hold, err := d.Reserve(d.request(slot, 2), observe)
	if err != nil || before.Hold != nil || after.Hold.State != client.Held || before.Slot.Vacancies != 5 || after.Slot.Vacancies != 3 || after.Slot.Held != 2 {
		t.Fatalf("want a hold of two seats, got %+v, then %+v, %v", before, after, err)
	}
	booking, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: hold.Code}, observe)
	if err != nil || before.Hold.State != client.Held || before.Booking != nil || after.Hold.State != client.Confirmed || after.Booking.ID != booking.ID || after.Slot.Confirmed != 2 {
		t.Fatalf("want the hold become a booking, got %+v, then %+v, %v", before, after, err)
	}
	d.Cancel(booking.ID, observe)
	if before.Booking.State != client.Booked || after.Booking.State != client.Cancelled || before.Slot.Vacancies != 3 || after.Slot.Vacancies != 5 {
		t.Fatalf("want the booking cancelled, got %+v, then %+v", before, after)
	}
	d.Release(d.reserve(slot, 1).Code, observe)
	if before.Hold.State != client.Held || after.Hold.State != client.Released || after.Slot.Vacancies != before.Slot.Vacancies+1 {
		t.Fatalf("want the hold released, got %+v, then %+v", before, after)
	}
	if _, err := d.Reserve(d.request(slot, 6), observe); err == nil || before.Slot == nil || *before.Slot != *after.Slot || after.Hold != nil {
		t.Fatalf("want a refusal that changed nothing, got %+v, then %+v, %v", before, after, err)
	}
	d.Release("unknown", observe)
	d.Cancel("unknown", observe)
	if reported != 5 {
		t.Fatalf("Expected no facts about codes and ids that do not exist, received %d facts", reported)
	}
	d.requireBalanced()
}
