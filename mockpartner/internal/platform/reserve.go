package platform

import (
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// maxParty is the largest number of guests in one reserve; a lawful partner may
// refuse larger parties (RSV-5).
const maxParty = 1000

func guests(option *catalog.IndexedOption, units []partnerapi.UnitQuantity) (seats int, err error) {
	party := 0
	for _, unit := range units {
		each, ok := option.SeatsOf(unit.ID)
		if !ok {
			return 0, refuse(UnknownID, "option %q has no unit %q", option.ID, unit.ID)
		}
		if unit.Quantity < 1 {
			return 0, refuse(BadRequest, "unit %q: want a quantity of at least 1, got %d", unit.ID, unit.Quantity)
		}
		// Compared before it is added: a quantity near the largest integer
		// must not wrap around.
		if unit.Quantity > maxParty-party {
			return 0, refuse(BadRequest, "we take parties of at most %d guests", maxParty)
		}
		party += unit.Quantity
		seats += each * unit.Quantity
	}
	return seats, nil
}

// Reserve holds seats of a slot (RSV-2, RSV-3). Its error is a *Refusal:
// UnknownID, BadRequest, Unavailable with words for the customer (RSV-5), or Full.
func (p *Platform) Reserve(r partnerapi.ReserveRequest, tell Tell) (Hold, error) {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	option, err := p.stock.option(r.ProductID, r.OptionID)
	if err != nil {
		return Hold{}, err
	}
	if len(r.Units) == 0 {
		return Hold{}, refuse(BadRequest, "units: want at least one unit with its quantity")
	}
	key, ok := p.stock.keyOf(option, r.AvailabilityID)
	seats, err := guests(option, r.Units)
	if err != nil {
		if ok {
			p.stock.move(p.stock.on(OnReserveBadParty, key, now), &Hold{slot: key, Order: Order{Units: r.Units}}, 0, now)
		}
		return Hold{}, err
	}
	if !ok {
		return Hold{}, refuse(UnknownID, "option %q has no slot %q: ask for availability again", r.OptionID, r.AvailabilityID)
	}
	scene := p.life.look(now, tell, key, "")
	defer scene.end()
	hold := &Hold{
		State:     Held,
		Order:     Order{r.ProductID, r.OptionID, r.AvailabilityID, slices.Clone(r.Units), seats, clone(r.Contact), r.ResellerReference},
		CreatedAt: now,
		slot:      key,
	}
	comesUpon, refusal := p.life.sellable(key, seats, now)
	quirk := p.stock.on(comesUpon, key, now)
	switch {
	case refusal != nil && quirk.Does != Accept:
		p.stock.move(quirk, hold, 0, now)
		return Hold{}, refusal
	case quirk.Does == Refuse:
		p.stock.move(quirk, hold, 0, now)
		return Hold{}, refuse(Unavailable, "This time can no longer be booked. Please choose another one.")
	}
	p.life.lookAway(quirk)
	hold.slot = hold.slot.in(p.Catalog()) // which may be another one by now
	if err := p.life.makeRoom(); err != nil {
		return Hold{}, err
	}
	p.life.hold(hold, quirk, refusal == nil)
	scene.code = hold.Code
	return *hold, nil
}

// Release ends a hold and gives its seats back (REL-3). Any code will do.
func (p *Platform) Release(code string, tell Tell) Outcome {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	defer p.life.look(now, tell, slotKey{}, code).end()
	hold, ok := p.stock.state.holds.Get(code)
	if !ok {
		return HoldUnknown
	}
	switch hold.State {
	case Released:
		p.stock.move(p.stock.on(OnReleaseAgain, hold.slot, now), hold, 0, now)
		return HoldReleasedYet
	case Expired:
		p.stock.move(p.stock.on(OnReleaseExpired, hold.slot, now), hold, 0, now)
		return HoldExpired
	case Confirmed:
		p.life.releaseConfirmed(hold, now)
		return HoldConfirmed
	}
	if quirk := p.stock.on(OnRelease, hold.slot, now); quirk.Does == Nothing {
		p.stock.move(quirk, hold, 0, now)
	} else {
		p.life.endHold(p.life.asSeen(hold, quirk), Released, quirk, now)
	}
	return HoldReleased
}

// releaseConfirmed leaves a booking as it is (REL-6), unless a quirk says otherwise.
func (l *lifecycle) releaseConfirmed(h *Hold, now time.Time) {
	booking, ok := l.stock.state.bookings.Get(h.BookingID)
	if ok && booking.State == Cancelled {
		l.stock.move(l.stock.on(OnReleaseCancelled, h.slot, now), h, 0, now)
		return
	}
	quirk := l.stock.on(OnReleaseConfirmed, h.slot, now)
	if quirk.Does == Accept && ok {
		l.endBooking(booking, quirk, now)
		return
	}
	l.stock.move(quirk, h, 0, now)
}

// Confirm turns a live hold into a booking, or returns the booking that the
// code has become (CNF-4). Its error is a *Refusal: NoLiveHold, or Unavailable
// where the partner has no holds and the seats are gone meanwhile.
func (p *Platform) Confirm(r partnerapi.ConfirmRequest, tell Tell) (Booking, error) {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	defer p.life.look(now, tell, slotKey{}, r.ReservationConfirmationCode).end()
	hold, ok := p.stock.state.holds.Get(r.ReservationConfirmationCode)
	if !ok {
		if p.stock.on(OnConfirmUnknown, slotKey{}, now).Does == Accept {
			return *p.life.newBooking(&Hold{Code: r.ReservationConfirmationCode, State: Held}, r, now), nil
		}
		return Booking{}, refuse(NoLiveHold, "There is no reservation with the code %q.", r.ReservationConfirmationCode)
	}
	comesUpon, standing, refusal := p.life.confirmable(hold)
	quirk := p.stock.on(comesUpon, hold.slot, now)
	switch {
	case refusal != nil && quirk.Does != Accept:
		p.stock.move(quirk, hold, 0, now)
		return Booking{}, refusal
	case standing != nil && quirk.Does != Accept:
		p.stock.move(quirk, hold, 0, now)
		return *standing, nil
	case quirk.Does == Refuse:
		p.stock.move(quirk, hold, 0, now)
		return Booking{}, refuse(NoLiveHold, "This reservation can no longer be confirmed.")
	case quirk.Does == Nothing:
		p.stock.move(quirk, hold, 0, now)
		return *p.life.newBooking(hold, r, now), nil
	}
	// A partner without holds takes the seats only now (CNF-7).
	hold = p.life.asSeen(hold, quirk)
	lawful := 0
	if comesUpon == OnConfirm && hold.promised == 0 {
		if err := enough(p.stock.slot(hold.slot), hold.Seats); err != nil {
			return Booking{}, err
		}
		lawful = hold.Seats
	}
	booking := p.life.book(hold, r, now)
	moved := p.stock.move(quirk, hold, lawful, now)
	if comesUpon != OnConfirm {
		booking.taken = moved
	}
	return *booking, nil
}

// Cancel ends a booking and gives its seats back (CAN-3). Any id will do.
func (p *Platform) Cancel(id string, tell Tell) Outcome {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	booking, ok := p.stock.state.bookings.Get(id)
	if !ok {
		return BookingUnknown
	}
	defer p.life.look(now, tell, slotKey{}, booking.Code).end()
	if booking.State == Cancelled {
		p.stock.move(p.stock.on(OnCancelAgain, booking.slot, now), holdOf(booking), 0, now)
		return BookingCancelledYet
	}
	if quirk := p.stock.on(OnCancel, booking.slot, now); quirk.Does == Nothing {
		p.stock.move(quirk, holdOf(booking), 0, now)
	} else {
		p.life.lookAway(quirk)
		p.life.endBooking(booking, quirk, now)
	}
	return BookingCancelled
}

// Bookings returns every booking that is remembered, oldest first.
func (p *Platform) Bookings() []Booking { return p.Inside().Bookings }
