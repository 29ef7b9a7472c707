package platform

import (
	"fmt"

	"partnerkit.dev/mockpartner/client"
)

// ledger is the account of what was promised to callers. It is separate from the slots' seats and
// the holds' states, so that Invariants can detect a platform that miscounts.
type ledger struct {
	tallies    slotTable[tally]
	promises   table[string, ledgerEntry] // by code
	bookings   table[string, string]      // codes, by booking id
	violations []client.Violation         // in the order in which they were detected
}

type tally struct {
	held      int
	confirmed int
	live      int // holds and bookings that have not ended
}

// ledgerEntry is a hold, and the booking it may become.
type ledgerEntry struct {
	slot      slotKey
	held      int // seats
	confirmed int // seats
	ends      int // how often the hold ended; 1 is correct
	cancels   int
}

const (
	seatsAddUp      = "capacity = vacancies + elsewhere + held + confirmed"
	noNegativeSeats = "no number of seats is negative"
	uniqueCodes     = "codes and booking ids are never used twice"
	holdsEndOnce    = "every hold ends once"
	sharedOnce      = "no shared seat is promised twice at a time"
	accountsMatch   = "holds and bookings agree with the ledger"
)

// maxViolations limits the stored violations. A single one is enough to fail a test.
const maxViolations = 1000

func newLedger() ledger {
	return ledger{tallies: newSlotTable[tally](), promises: newTable[string, ledgerEntry](), bookings: newTable[string, string]()}
}

func (l *ledger) note(invariant, subject, format string, args ...any) {
	if len(l.violations) < maxViolations {
		l.violations = append(l.violations, client.Violation{Invariant: invariant, Subject: subject, Message: fmt.Sprintf(format, args...)})
	}
}

func (l *ledger) tally(key slotKey) tally {
	t, _ := l.tallies.get(key)
	return t
}

func (l *ledger) add(key slotKey, more tally) {
	t := l.tally(key)
	l.tallies.set(key, tally{held: t.held + more.held, confirmed: t.confirmed + more.confirmed, live: t.live + more.live})
}

func (l *ledger) recordHold(code string, key slotKey, seats int) {
	if _, taken := l.promises.Get(code); taken {
		l.note(uniqueCodes, code, "the code was issued again")
	}
	l.promises.Set(code, ledgerEntry{slot: key, held: seats})
	l.add(key, tally{held: seats, live: 1})
}

func (l *ledger) recordEnd(code string) {
	if p, ok := l.end(code); ok {
		l.add(p.slot, tally{live: -1})
	}
}

func (l *ledger) recordBooking(code, id string, seats int) {
	p, ok := l.end(code)
	if !ok {
		return
	}
	if _, taken := l.bookings.Get(id); taken {
		l.note(uniqueCodes, id, "the booking id was issued again")
	}
	p.confirmed = seats
	l.promises.Set(code, p)
	l.bookings.Set(id, code)
	l.add(p.slot, tally{confirmed: seats})
}

func (l *ledger) end(code string) (ledgerEntry, bool) {
	p, ok := l.promises.Get(code)
	if !ok {
		l.note(holdsEndOnce, code, "a hold ended that never began")
		return p, false
	}
	p.ends++
	l.promises.Set(code, p)
	if p.ends > 1 {
		l.note(holdsEndOnce, code, "the hold ended %d times", p.ends)
		return p, false
	}
	l.add(p.slot, tally{held: -p.held})
	return p, true
}

func (l *ledger) cancelled(id string) {
	code, ok := l.bookings.Get(id)
	if !ok {
		l.note(holdsEndOnce, id, "a booking was cancelled that never was")
		return
	}
	p, _ := l.promises.Get(code)
	p.cancels++
	l.promises.Set(code, p)
	if p.cancels > 1 {
		l.note(holdsEndOnce, id, "the booking was cancelled %d times", p.cancels)
		return
	}
	l.add(p.slot, tally{confirmed: -p.confirmed, live: -1})
}

func (l *ledger) forget(code, bookingID string) {
	l.promises.Delete(code)
	l.bookings.Delete(bookingID)
}
