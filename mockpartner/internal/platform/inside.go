package platform

import (
	"cmp"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
)

// State is the state of a platform at one moment.
type State struct {
	Now      time.Time
	Holds    []client.Hold      // oldest first
	Bookings []client.Booking   // oldest first
	Slots    []client.SlotState // by start
}

// State returns the platform's current state.
func (p *Platform) State() State {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	return State{
		Now:      now,
		Holds:    listValues(p.stock.state.holds, func(h *storedHold) uint64 { return h.number }, func(h *storedHold) client.Hold { return h.Hold }),
		Bookings: listValues(p.stock.state.bookings, func(b *storedBooking) uint64 { return b.number }, func(b *storedBooking) client.Booking { return b.Booking }),
		Slots:    p.stock.listSlots(now),
	}
}

func (inv *inventory) slotState(key slotKey, now time.Time) client.SlotState {
	when, _ := key.span()
	own, t := inv.slot(key), inv.state.ledger.tally(key)
	s := inv.limited(key, own)
	return client.SlotState{
		ProductID:      key.option.Product.ID,
		OptionID:       key.option.ID,
		AvailabilityID: key.id(),
		Start:          when.start,
		End:            when.end,
		Status:         s.status(key, when, now),
		Counted:        s.counted,
		Capacity:       s.capacity,
		Vacancies:      s.vacancies,
		Shared:         own.vacancies - s.vacancies,
		Elsewhere:      s.elsewhere,
		Held:           t.held,
		Confirmed:      t.confirmed,
	}
}

func (inv *inventory) listSlots(now time.Time) []client.SlotState {
	slots := make([]client.SlotState, 0, inv.state.slots.len())
	for key := range inv.state.slots.all() {
		slots = append(slots, inv.slotState(key, now))
	}
	slices.SortFunc(slots, func(a, b client.SlotState) int {
		if !a.Start.Equal(b.Start) {
			return a.Start.Compare(b.Start)
		}
		return cmp.Or(cmp.Compare(a.AvailabilityID, b.AvailabilityID), cmp.Compare(a.ProductID, b.ProductID))
	})
	return slots
}

// Option returns the option with these ids, under which it is found even if a quirk changes them. Its
// error is a *Refusal: UnknownID.
func (p *Platform) Option(productID, optionID string) (*catalog.IndexedOption, error) {
	p.life.enter()
	defer p.life.mu.Unlock()
	return p.stock.option(productID, optionID)
}

// FindHold returns the hold with that code, and reports whether it is remembered.
func (p *Platform) FindHold(code string) (client.Hold, bool) {
	p.life.enter()
	defer p.life.mu.Unlock()
	if kept, ok := p.stock.state.holds.Get(code); ok {
		return kept.Hold, true
	}
	return client.Hold{}, false
}

// FindBooking returns the booking with that id, and reports whether it is remembered.
func (p *Platform) FindBooking(id string) (client.Booking, bool) {
	p.life.enter()
	defer p.life.mu.Unlock()
	if kept, ok := p.stock.state.bookings.Get(id); ok {
		return kept.Booking, true
	}
	return client.Booking{}, false
}

// MaxCalendarDays is the maximum number of days that a calendar shows.
const MaxCalendarDays = 60

// Calendar returns the state of every slot that the option has on the given number of days from the
// date on, by start. A zero date means today in the product's zone. The error is a *Refusal:
// UnknownID, or BadRequest for an invalid number of days.
func (p *Platform) Calendar(productID, optionID string, from time.Time, days int) ([]client.SlotState, error) {
	option, err := p.stock.option(productID, optionID)
	if err != nil {
		return nil, err
	}
	if days < 1 || days > MaxCalendarDays {
		return nil, refuse(BadRequest, "days: expected a number from 1 to %d, received %d", MaxCalendarDays, days)
	}
	now := p.life.enter()
	defer p.life.mu.Unlock()
	if from.IsZero() {
		from = now.In(option.Product.Location)
	}
	first := localDay(from, from.Location())
	slots := []client.SlotState{}
	for number := first; number < first+int64(days); number++ {
		for _, minute := range option.Starts {
			key := slotKey{option: option, day: number, minute: minute}
			if _, ok := key.span(); ok {
				slots = append(slots, p.stock.slotState(key, now))
			}
		}
	}
	return slots, nil
}

// Slot returns the state of the slot with that id. Its error is a *Refusal: UnknownID.
func (p *Platform) Slot(productID, optionID, availabilityID string) (client.SlotState, error) {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	key, err := p.stock.find(productID, optionID, availabilityID)
	if err != nil {
		return client.SlotState{}, err
	}
	return p.stock.slotState(key, now), nil
}

// listValues copies the values of a table, ordered by their numbers.
func listValues[S, V any](t table[string, S], number func(S) uint64, view func(S) V) []V {
	stored := make([]S, 0, t.Len())
	for _, value := range t.all() {
		stored = append(stored, value)
	}
	slices.SortFunc(stored, func(a, b S) int { return cmp.Compare(number(a), number(b)) })
	list := make([]V, 0, len(stored))
	for _, value := range stored {
		list = append(list, view(value))
	}
	return list
}

// Invariants lists the violated invariants; an empty list is healthy.
func (p *Platform) Invariants() []client.Violation {
	p.life.enter()
	defer p.life.mu.Unlock()
	found := slices.Clone(p.stock.state.ledger.violations)
	for _, check := range []func() []client.Violation{p.stock.state.checkSlots, p.stock.checkPools, p.stock.state.checkHolds} {
		broken := check()
		slices.SortFunc(broken, func(a, b client.Violation) int {
			return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Invariant, b.Invariant))
		})
		found = append(found, broken...)
	}
	return found
}

func (st *state) checkSlots() []client.Violation {
	var l ledger
	for key, s := range st.slots.all() {
		t := st.ledger.tally(key)
		if t.held < 0 || t.confirmed < 0 || s.counted && s.vacancies < 0 || s.elsewhere < 0 {
			l.note(noNegativeSeats, key.id(), "vacancies %d, elsewhere %d, held %d, confirmed %d", s.vacancies, s.elsewhere, t.held, t.confirmed)
		}
		if s.counted && s.capacity != s.vacancies+s.elsewhere+t.held+t.confirmed {
			l.note(seatsAddUp, key.id(), "capacity %d, but vacancies %d, elsewhere %d, held %d, confirmed %d", s.capacity, s.vacancies, s.elsewhere, t.held, t.confirmed)
		}
	}
	return l.violations
}

// checkHolds compares the states of holds and bookings with the ledger.
func (st *state) checkHolds() []client.Violation {
	var l ledger
	held, confirmed := map[slotKey]int{}, map[slotKey]int{}
	for code, hold := range st.holds.all() {
		promise, ok := st.ledger.promises.Get(code)
		if !ok || (promise.ends == 0) != (hold.State == client.Held) {
			l.note(accountsMatch, code, "the hold is %s, the ledger knows otherwise", hold.State)
		}
		if hold.State == client.Held {
			held[hold.slot] += hold.promised
		}
	}
	for id, booking := range st.bookings.all() {
		code, ok := st.ledger.bookings.Get(id)
		promise, _ := st.ledger.promises.Get(code)
		if !ok || (promise.cancels == 0) != (booking.State == client.Booked) {
			l.note(accountsMatch, id, "the booking is %s, the ledger knows otherwise", booking.State)
			continue
		}
		if booking.State == client.Booked {
			confirmed[promise.slot] += booking.Seats
		}
	}
	for key, t := range st.ledger.tallies.all() {
		if t.held != held[key] || t.confirmed != confirmed[key] {
			l.note(accountsMatch, key.id(), "the ledger has %d seats held and %d confirmed, the holds %d and the bookings %d", t.held, t.confirmed, held[key], confirmed[key])
		}
	}
	return l.violations
}
