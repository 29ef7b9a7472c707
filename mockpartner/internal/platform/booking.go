package platform

import (
	"partnerkit.dev/schemas/partnerapi"
)

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
