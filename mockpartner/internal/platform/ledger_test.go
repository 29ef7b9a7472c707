package platform

import (
	"slices"
	"strings"
	"testing"
)

// A ledger that never complains proves nothing: each law is broken once, behind
// the platform's back.
func TestTheLedgerFindsEveryBrokenLaw(t *testing.T) {
	t.Parallel()
	for law, breakIt := range map[string]func(d desk, hold Hold, booking Booking){
		"a seat too many came back": func(d desk, hold Hold, _ Booking) {
			d.stock.take(hold.slot, -1)
		},
		"a seat was sold twice": func(d desk, hold Hold, _ Booking) {
			d.stock.put(hold.slot, slot{counted: true, vacancies: -1})
		},
		"a code was given out twice": func(d desk, hold Hold, _ Booking) {
			d.stock.state.ledger.held(hold.Code, hold.slot, 0)
		},
		"a booking id was given out twice": func(d desk, hold Hold, booking Booking) {
			d.stock.state.ledger.booked(hold.Code, booking.ID, 0)
		},
		"a hold ended twice": func(d desk, _ Hold, booking Booking) {
			d.stock.state.ledger.ended(booking.Code)
		},
		"a hold ended that never began": func(d desk, _ Hold, _ Booking) {
			d.stock.state.ledger.ended("never")
		},
		"a booking was cancelled twice": func(d desk, _ Hold, booking Booking) {
			d.stock.state.ledger.cancelled(booking.ID)
			d.stock.state.ledger.cancelled(booking.ID)
		},
		"a booking was cancelled that never was": func(d desk, _ Hold, _ Booking) {
			d.stock.state.ledger.cancelled("never")
		},
		"a hold ended without the ledger's knowledge": func(d desk, hold Hold, _ Booking) {
			hold.State = Released
			d.stock.state.holds.Set(hold.Code, &hold)
		},
		"a booking ended without the ledger's knowledge": func(d desk, _ Hold, booking Booking) {
			booking.State = Cancelled
			d.stock.state.bookings.Set(booking.ID, &booking)
		},
	} {
		d := open(t, oneProduct())
		slot := d.full(day, 5)
		booking := d.confirm(d.reserve(slot, 1).Code)
		hold := d.reserve(slot, 1)
		breakIt(d, hold, booking)
		if broken := d.Invariants(); len(broken) == 0 {
			t.Errorf("%s: want a violation, got none", law)
		} else {
			t.Logf("%s: %+v", law, broken)
		}
	}
}

// A slot that lost a seat is kept even when nobody uses it, so that it is found.
func TestASlotThatLostASeatIsNotForgotten(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	hold := d.reserve(d.slotOn(day).ID, 1)
	d.stock.take(hold.slot, 1)
	d.Release(hold.Code, nil)
	broken := d.Invariants()
	if !slices.ContainsFunc(broken, func(v Violation) bool { return v.Law == lawSeats }) {
		t.Fatalf("want the lost seat found, got %+v", broken)
	}
}

func TestTheLedgerIsBounded(t *testing.T) {
	t.Parallel()
	l := newLedger()
	for range maxViolations + 10 {
		l.note(lawUnique, strings.Repeat("x", 10), "again")
	}
	if n := len(l.violations); n != maxViolations {
		t.Fatalf("want %d violations kept, got %d", maxViolations, n)
	}
}
