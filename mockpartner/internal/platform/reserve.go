package platform

import (
	"slices"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// maxParty is the largest number of guests in one reserve. The contract allows a partner to refuse
// larger parties (RSV-5).
const maxParty = 1000

func guests(option *catalog.IndexedOption, units []partnerapi.UnitQuantity) (seats int, err error) {
	party := 0
	for _, unit := range units {
		each, ok := option.SeatsOf(unit.ID)
		if !ok {
			return 0, refuse(UnknownID, "option %q has no unit %q", option.ID, unit.ID)
		}
		if unit.Quantity < 1 {
			return 0, refuse(BadRequest, "unit %q: expected a quantity of at least 1, received %d", unit.ID, unit.Quantity)
		}
		// Compared before the addition, so that a very large quantity cannot overflow.
		if unit.Quantity > maxParty-party {
			return 0, refuse(BadRequest, "we take parties of at most %d guests", maxParty)
		}
		party += unit.Quantity
		seats += each * unit.Quantity
	}
	return seats, nil
}

func guestsOf(units []partnerapi.UnitQuantity) (guests int) {
	for _, unit := range units {
		guests += unit.Quantity
	}
	return guests
}

// Reserve holds seats of a slot (RSV-2, RSV-3). Its error is a *Refusal: UnknownID, BadRequest,
// Unavailable with a message for the customer (RSV-5), or Full.
func (p *Platform) Reserve(r partnerapi.ReserveRequest, observe Observe) (client.Hold, error) {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	p.stock.calls.reserves++
	option, err := p.stock.option(r.ProductID, r.OptionID)
	if err != nil {
		return client.Hold{}, err
	}
	if len(r.Units) == 0 {
		return client.Hold{}, refuse(BadRequest, "units: expected at least one unit with its quantity")
	}
	key, ok := p.stock.keyOf(option, r.AvailabilityID)
	seats, err := guests(option, r.Units)
	if err != nil {
		if ok {
			bad := &storedHold{slot: key, Hold: client.Hold{Order: client.Order{AvailabilityID: r.AvailabilityID, Units: r.Units}}}
			p.stock.move(p.stock.quirkFor(OnReserveBadParty, bad, now), bad, 0, now)
		}
		return client.Hold{}, err
	}
	if !ok {
		return client.Hold{}, refuse(UnknownID, "option %q has no slot %q: request availability again", r.OptionID, r.AvailabilityID)
	}
	scene := p.life.look(now, observe, key, "")
	defer scene.end()
	order := client.Order{
		ProductID: r.ProductID, OptionID: r.OptionID, AvailabilityID: r.AvailabilityID, Units: slices.Clone(r.Units), Seats: seats,
		Contact: clone(r.Contact), ResellerReference: r.ResellerReference,
	}
	hold := &storedHold{Hold: client.Hold{State: client.Held, Order: order, CreatedAt: now}, slot: key}
	comesUpon, refusal := p.life.reserveCase(hold, now)
	quirk := p.stock.quirkFor(comesUpon, hold, now)
	switch {
	case refusal != nil && quirk.Does != Accept:
		p.stock.move(quirk, hold, 0, now)
		return client.Hold{}, refusal
	case quirk.Does == Refuse:
		p.stock.move(quirk, hold, 0, now)
		return client.Hold{}, refuse(Unavailable, "This time can no longer be booked. Please choose another one.")
	}
	p.life.lookAway(quirk, hold.slot)
	hold.slot = hold.slot.inCatalog(p.Catalog()) // the catalog may have been replaced meanwhile
	if err := p.life.makeRoom(); err != nil {
		return client.Hold{}, err
	}
	p.life.hold(hold, quirk, refusal == nil || comesUpon == OnReserveBadSize)
	scene.code = hold.Code
	return hold.Hold, nil
}

// Release ends a hold and returns its seats (REL-3). It accepts any code.
func (p *Platform) Release(code string, observe Observe) Outcome {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	p.stock.calls.releases++
	hold, ok := p.life.find(code, OnRelease, now)
	if !ok {
		return HoldUnknown
	}
	defer p.life.look(now, observe, slotKey{}, hold.Code).end()
	return p.life.release(hold, now)
}

func (l *lifecycle) release(hold *storedHold, now time.Time) Outcome {
	switch hold.State {
	case client.Released:
		l.stock.move(l.stock.quirkFor(OnReleaseAgain, hold, now), hold, 0, now)
		return HoldReleasedYet
	case client.Expired:
		l.stock.move(l.stock.quirkFor(OnReleaseExpired, hold, now), hold, 0, now)
		return HoldExpired
	case client.Confirmed:
		l.releaseConfirmed(hold, now)
		return HoldConfirmed
	}
	quirk := l.stock.quirkFor(OnRelease, hold, now)
	if quirk.Does == Nothing {
		l.stock.move(quirk, hold, 0, now)
		return HoldReleased
	}
	hold = l.asSeen(hold, quirk)
	if again, changed := l.currentHold(hold, quirk); changed {
		return l.release(again, now)
	}
	l.endHold(hold, client.Released, quirk, now)
	return HoldReleased
}

// releaseConfirmed leaves a booking unchanged (REL-6), unless a quirk changes that.
func (l *lifecycle) releaseConfirmed(h *storedHold, now time.Time) {
	booking, ok := l.stock.state.bookings.Get(h.BookingID)
	if ok && booking.State == client.Cancelled {
		l.stock.move(l.stock.quirkFor(OnReleaseCancelled, h, now), h, 0, now)
		return
	}
	quirk := l.stock.quirkFor(OnReleaseConfirmed, h, now)
	if quirk.Does == Accept && ok {
		l.endBooking(booking, quirk, now)
		return
	}
	l.stock.move(quirk, h, 0, now)
}

// Confirm turns a live hold into a booking, or returns the booking that the hold has already become
// (CNF-4). Its error is a *Refusal: NoLiveHold, or Unavailable if a partner without holds has sold
// the seats meanwhile.
func (p *Platform) Confirm(r partnerapi.ConfirmRequest, observe Observe) (client.Booking, error) {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	p.stock.calls.confirms++
	hold, ok := p.life.find(r.ReservationConfirmationCode, OnConfirm, now)
	if !ok {
		unknown := &storedHold{Hold: client.Hold{Code: r.ReservationConfirmationCode}}
		if p.stock.quirkFor(OnConfirmUnknown, unknown, now).Does == Accept {
			unknown.State = client.Held
			return p.life.newBooking(unknown, r, now).Booking, nil
		}
		return client.Booking{}, refuse(NoLiveHold, "There is no reservation with the code %q.", r.ReservationConfirmationCode)
	}
	defer p.life.look(now, observe, slotKey{}, hold.Code).end()
	return p.life.confirm(hold, r, now)
}

func (l *lifecycle) confirm(hold *storedHold, r partnerapi.ConfirmRequest, now time.Time) (client.Booking, error) {
	comesUpon, standing, refusal := l.confirmCase(hold)
	quirk := l.stock.quirkFor(comesUpon, hold, now)
	switch {
	case refusal != nil && quirk.Does != Accept:
		l.stock.move(quirk, hold, 0, now)
		return client.Booking{}, refusal
	case standing != nil && quirk.Does != Accept:
		l.stock.move(quirk, hold, 0, now)
		return standing.Booking, nil
	case quirk.Does == Refuse:
		l.stock.move(quirk, hold, 0, now)
		return client.Booking{}, refuse(NoLiveHold, "This reservation can no longer be confirmed.")
	case quirk.Does == Nothing:
		l.stock.move(quirk, hold, 0, now)
		return l.newBooking(hold, r, now).Booking, nil
	}
	// A partner without holds takes the seats only now (CNF-7).
	hold = l.asSeen(hold, quirk)
	if again, changed := l.currentHold(hold, quirk); changed {
		return l.confirm(again, r, now)
	}
	lawful := 0
	if comesUpon == OnConfirm && hold.promised == 0 {
		if err := checkVacancies(l.stock.limited(hold.slot, l.stock.slot(hold.slot)), hold.Seats); err != nil {
			return client.Booking{}, err
		}
		lawful = hold.Seats
	}
	booking := l.book(hold, r, now)
	moved := l.stock.move(quirk, hold, lawful, now)
	if comesUpon != OnConfirm {
		booking.taken = moved
	}
	return booking.Booking, nil
}

// Cancel ends a booking and returns its seats (CAN-3). It accepts any id.
func (p *Platform) Cancel(id string, observe Observe) Outcome {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	p.stock.calls.cancels++
	booking, ok := p.life.findBooking(id, now)
	if !ok {
		return BookingUnknown
	}
	defer p.life.look(now, observe, slotKey{}, booking.Code).end()
	if booking.State == client.Cancelled {
		p.stock.move(p.stock.quirkFor(OnCancelAgain, holdOf(booking), now), holdOf(booking), 0, now)
		return BookingCancelledYet
	}
	if quirk := p.stock.quirkFor(OnCancel, holdOf(booking), now); quirk.Does == Nothing {
		p.stock.move(quirk, holdOf(booking), 0, now)
	} else {
		p.life.lookAway(quirk, booking.slot)
		p.life.endBooking(booking, quirk, now)
	}
	return BookingCancelled
}

// Bookings returns every remembered booking, oldest first.
func (p *Platform) Bookings() []client.Booking { return p.State().Bookings }
