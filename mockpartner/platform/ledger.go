package platform

import (
	"cmp"
	"fmt"
	"slices"
)

// ledger is the account of what callers were promised. It is kept apart from
// the slots' seats and from the holds' states, so that a platform that miscounts
// is found out.
type ledger struct {
	tallies    map[slotKey]*tally
	promises   map[string]*promise // by code
	bookings   map[string]*promise // by booking id
	violations []Violation         // seen as they happened
}

// tally is how many seats of a slot are promised.
type tally struct {
	held      int
	confirmed int
	live      int // holds and bookings that have not ended
}

// promise is a hold, and the booking it may become.
type promise struct {
	code      string
	slot      slotKey
	held      int // seats
	confirmed int // seats
	ends      int // how often the hold ended; once is right
	cancels   int
}

// Violation is a law of the inventory that was broken.
type Violation struct {
	Law     string `json:"law"`     // which one
	Subject string `json:"subject"` // the slot, code or booking id
	Message string `json:"message"`
}

// The laws.
const (
	lawSeats    = "capacity = vacancies + elsewhere + held + confirmed"
	lawNoDebt   = "no number of seats is negative"
	lawUnique   = "codes and booking ids are never used twice"
	lawOneEnd   = "every hold ends once"
	lawAccounts = "holds and bookings agree with the ledger"
)

// maxViolations bounds the list that is kept: one would do to fail a test.
const maxViolations = 1000

func newLedger() ledger {
	return ledger{tallies: map[slotKey]*tally{}, promises: map[string]*promise{}, bookings: map[string]*promise{}}
}

func (l *ledger) note(law, subject, format string, args ...any) {
	if len(l.violations) < maxViolations {
		l.violations = append(l.violations, Violation{Law: law, Subject: subject, Message: fmt.Sprintf(format, args...)})
	}
}

// tally returns what is promised of the slot.
func (l *ledger) tally(key slotKey) tally {
	if t, ok := l.tallies[key]; ok {
		return *t
	}
	return tally{}
}

func (l *ledger) open(key slotKey) *tally {
	t, ok := l.tallies[key]
	if !ok {
		t = &tally{}
		l.tallies[key] = t
	}
	return t
}

func (l *ledger) held(code string, key slotKey, seats int) {
	if _, taken := l.promises[code]; taken {
		l.note(lawUnique, code, "the code was given out again")
	}
	l.promises[code] = &promise{code: code, slot: key, held: seats}
	t := l.open(key)
	t.held += seats
	t.live++
}

// ended notes that a hold ended without a booking.
func (l *ledger) ended(code string) {
	if p, ok := l.end(code); ok {
		l.open(p.slot).live--
	}
}

func (l *ledger) booked(code, id string, seats int) {
	p, ok := l.end(code)
	if !ok {
		return
	}
	if _, taken := l.bookings[id]; taken {
		l.note(lawUnique, id, "the booking id was given out again")
	}
	l.bookings[id] = p
	p.confirmed = seats
	l.open(p.slot).confirmed += seats
}

func (l *ledger) end(code string) (*promise, bool) {
	p, ok := l.promises[code]
	if !ok {
		l.note(lawOneEnd, code, "a hold ended that never began")
		return nil, false
	}
	if p.ends++; p.ends > 1 {
		l.note(lawOneEnd, code, "the hold ended %d times", p.ends)
		return nil, false
	}
	l.open(p.slot).held -= p.held
	return p, true
}

func (l *ledger) cancelled(id string) {
	p, ok := l.bookings[id]
	if !ok {
		l.note(lawOneEnd, id, "a booking was cancelled that never was")
		return
	}
	if p.cancels++; p.cancels > 1 {
		l.note(lawOneEnd, id, "the booking was cancelled %d times", p.cancels)
		return
	}
	t := l.open(p.slot)
	t.confirmed -= p.confirmed
	t.live--
}

func (l *ledger) forget(code, bookingID string) {
	delete(l.promises, code)
	delete(l.bookings, bookingID)
}

// Invariants lists the laws that are broken; none is what it should be.
func (p *Platform) Invariants() []Violation {
	p.enter()
	defer p.mu.Unlock()
	found := slices.Clone(p.state.ledger.violations)
	for _, check := range []func() []Violation{p.checkSlots, p.checkHolds} {
		broken := check()
		slices.SortFunc(broken, func(a, b Violation) int {
			return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Law, b.Law))
		})
		found = append(found, broken...)
	}
	return found
}

func (p *Platform) checkSlots() []Violation {
	var l ledger
	for key, s := range p.state.slots {
		t := p.state.ledger.tally(key)
		if t.held < 0 || t.confirmed < 0 || s.counted && s.vacancies < 0 || s.elsewhere < 0 {
			l.note(lawNoDebt, key.id(), "vacancies %d, elsewhere %d, held %d, confirmed %d", s.vacancies, s.elsewhere, t.held, t.confirmed)
		}
		if s.counted && s.capacity != s.vacancies+s.elsewhere+t.held+t.confirmed {
			l.note(lawSeats, key.id(), "capacity %d, but vacancies %d, elsewhere %d, held %d, confirmed %d", s.capacity, s.vacancies, s.elsewhere, t.held, t.confirmed)
		}
	}
	return l.violations
}

// checkHolds compares the holds' states with what the ledger was told.
func (p *Platform) checkHolds() []Violation {
	var l ledger
	held, confirmed := map[slotKey]int{}, map[slotKey]int{}
	for code, hold := range p.state.holds {
		promise, ok := p.state.ledger.promises[code]
		if !ok || (promise.ends == 0) != (hold.State == Held) {
			l.note(lawAccounts, code, "the hold is %s, the ledger knows otherwise", hold.State)
		}
		if hold.State == Held && !p.policy.NoHolds {
			held[hold.slot] += hold.Seats
		}
	}
	for id, booking := range p.state.bookings {
		promise, ok := p.state.ledger.bookings[id]
		if !ok || (promise.cancels == 0) != (booking.State == Booked) {
			l.note(lawAccounts, id, "the booking is %s, the ledger knows otherwise", booking.State)
			continue
		}
		if booking.State == Booked {
			confirmed[promise.slot] += booking.Seats
		}
	}
	for key, t := range p.state.ledger.tallies {
		if t.held != held[key] || t.confirmed != confirmed[key] {
			l.note(lawAccounts, key.id(), "the ledger has %d seats held and %d confirmed, the holds %d and the bookings %d", t.held, t.confirmed, held[key], confirmed[key])
		}
	}
	return l.violations
}
