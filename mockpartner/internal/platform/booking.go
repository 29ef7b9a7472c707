package platform

import (
	"cmp"
	"slices"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// BookingState is where a booking is in its life.
type BookingState string

// The states of a booking.
const (
	Booked    BookingState = "CONFIRMED"
	Cancelled BookingState = "CANCELLED"
)

// Booking is what a confirm made (CNF-2). Bookings that the platform returns
// are copies.
type Booking struct {
	ID                string                    `json:"externalBookingId"`
	UUID              string                    `json:"uuid"`
	State             BookingState              `json:"state"`
	Code              string                    `json:"reservationConfirmationCode"`
	ProductID         string                    `json:"productId"`
	OptionID          string                    `json:"optionId"`
	AvailabilityID    string                    `json:"availabilityId"`
	Units             []partnerapi.UnitQuantity `json:"units"`
	Seats             int                       `json:"seats"`
	Contact           *partnerapi.Contact       `json:"contact,omitempty"`
	ResellerReference string                    `json:"resellerReference,omitempty"`
	Tickets           []partnerapi.Ticket       `json:"tickets,omitempty"`
	ConfirmedAt       time.Time                 `json:"confirmedAt"`
	CancelledAt       time.Time                 `json:"cancelledAt,omitzero"`

	number uint64
	slot   slotKey
	taken  int // seats that it has taken out of the vacancies
}

// Answer is the booking as confirm answers it; it does not change while the
// booking stands, so that a second confirm is answered like the first (CNF-4).
func (b Booking) Answer() partnerapi.ConfirmAnswer {
	return partnerapi.ConfirmAnswer{
		ExternalBookingID: b.ID,
		Status:            partnerapi.StatusConfirmed,
		UUID:              b.UUID,
		ProductID:         b.ProductID,
		OptionID:          b.OptionID,
		AvailabilityID:    b.AvailabilityID,
		Contact:           b.Contact,
		Tickets:           b.Tickets,
	}
}

// Confirm turns a live hold into a booking, or returns the booking that the
// code has become (CNF-4). Its error is a *Refusal: NoLiveHold, or Unavailable
// where the partner has no holds and the seats are gone meanwhile.
func (p *Platform) Confirm(r partnerapi.ConfirmRequest) (Booking, error) { return p.confirm(r, nil) }

func (p *Platform) confirm(r partnerapi.ConfirmRequest, tell func(before, after Facts)) (Booking, error) {
	now := p.enter()
	defer p.mu.Unlock()
	defer p.look(now, tell, slotKey{}, r.ReservationConfirmationCode).end()
	hold, ok := p.state.holds.Get(r.ReservationConfirmationCode)
	if !ok {
		if p.on(OnConfirmUnknown, slotKey{}, now).Does == Accept {
			return *p.newBooking(&Hold{Code: r.ReservationConfirmationCode, State: Held}, r, now), nil
		}
		return Booking{}, refuse(NoLiveHold, "There is no reservation with the code %q.", r.ReservationConfirmationCode)
	}
	comesUpon, standing, refusal := p.confirmable(hold)
	quirk := p.on(comesUpon, hold.slot, now)
	switch {
	case refusal != nil && quirk.Does != Accept:
		p.move(quirk, hold, 0, now)
		return Booking{}, refusal
	case standing != nil && quirk.Does != Accept:
		p.move(quirk, hold, 0, now)
		return *standing, nil
	case quirk.Does == Refuse:
		p.move(quirk, hold, 0, now)
		return Booking{}, refuse(NoLiveHold, "This reservation can no longer be confirmed.")
	case quirk.Does == Nothing:
		p.move(quirk, hold, 0, now)
		return *p.newBooking(hold, r, now), nil
	}
	// A partner without holds takes the seats only now (CNF-7).
	hold = p.asSeen(hold, quirk)
	lawful := 0
	if comesUpon == OnConfirm && hold.promised == 0 {
		if err := enough(p.slot(hold.slot), hold.Seats); err != nil {
			return Booking{}, err
		}
		lawful = hold.Seats
	}
	booking := p.book(hold, r, now)
	moved := p.move(quirk, hold, lawful, now)
	if comesUpon != OnConfirm {
		booking.taken = moved
	}
	return *booking, nil
}

// confirmable tells what a confirm comes upon, with the booking that the hold has
// become, and refuses a hold that is none any more.
func (p *Platform) confirmable(h *Hold) (Case, *Booking, error) {
	switch h.State {
	case Released:
		return OnConfirmReleased, nil, refuse(NoLiveHold, "This reservation was released and can no longer be confirmed.")
	case Expired:
		return OnConfirmExpired, nil, refuse(NoLiveHold, "This reservation expired at %s and can no longer be confirmed.", partnerapi.FormatDateTime(h.ExpiresAt))
	case Confirmed:
		booking, ok := p.state.bookings.Get(h.BookingID)
		if !ok || booking.State == Cancelled {
			return OnConfirmCancelled, nil, refuse(NoLiveHold, "This booking was cancelled and cannot be confirmed again.")
		}
		return OnConfirmAgain, booking, nil
	}
	return OnConfirm, nil, nil
}

// newBooking makes a booking of a hold, of which nothing knows yet.
func (p *Platform) newBooking(h *Hold, r partnerapi.ConfirmRequest, now time.Time) *Booking {
	booking := &Booking{
		ID:                p.issueBookingID(h, now),
		State:             Booked,
		Code:              h.Code,
		ProductID:         h.ProductID,
		OptionID:          h.OptionID,
		AvailabilityID:    h.AvailabilityID,
		Units:             h.Units,
		Seats:             h.Seats,
		Contact:           cmp.Or(clone(r.Contact), h.Contact),
		ResellerReference: cmp.Or(r.ResellerReference, h.ResellerReference),
		ConfirmedAt:       now,
		number:            p.state.issued,
		slot:              h.slot,
	}
	booking.UUID = p.uuid(p.state.issued)
	if !p.Policy().NoTickets {
		booking.Tickets = tickets(booking.UUID)
	}
	return booking
}

// book ends a hold with a booking.
func (p *Platform) book(h *Hold, r partnerapi.ConfirmRequest, now time.Time) *Booking {
	booking := p.newBooking(h, r, now)
	booking.taken = h.Seats
	if h.promised > 0 {
		booking.taken = h.taken
	}
	p.state.expiring.Delete(h)
	ended := *h
	ended.State, ended.EndedAt, ended.BookingID = Confirmed, now, booking.ID
	p.state.holds.Set(h.Code, &ended)
	p.state.bookings.Set(booking.ID, booking)
	p.state.ledger.booked(h.Code, booking.ID, booking.Seats)
	return booking
}

// tickets are what the guests show at the gate (CNF-6): a code to scan, and a
// document to print.
func tickets(uuid string) []partnerapi.Ticket {
	return []partnerapi.Ticket{{
		RedemptionMethod: "DIGITAL",
		DeliveryOptions: []partnerapi.DeliveryOption{
			{DeliveryFormat: partnerapi.QRCode, DeliveryMethod: partnerapi.DeliverTicket, DeliveryValue: uuid},
			{DeliveryFormat: partnerapi.PDFURL, DeliveryMethod: partnerapi.DeliverVoucher, DeliveryValue: "https://tickets.example/" + uuid + ".pdf"},
		},
	}}
}

// The outcomes of Cancel.
const (
	BookingCancelled    Outcome = "The booking is cancelled, its seats are back."
	BookingCancelledYet Outcome = "The booking was cancelled before."
	BookingUnknown      Outcome = "There is no booking with this id, nothing to cancel."
)

// Cancel ends a booking and gives its seats back (CAN-3). Any id will do.
func (p *Platform) Cancel(id string) Outcome { return p.cancel(id, nil) }

func (p *Platform) cancel(id string, tell func(before, after Facts)) Outcome {
	now := p.enter()
	defer p.mu.Unlock()
	booking, ok := p.state.bookings.Get(id)
	if !ok {
		return BookingUnknown
	}
	defer p.look(now, tell, slotKey{}, booking.Code).end()
	if booking.State == Cancelled {
		p.move(p.on(OnCancelAgain, booking.slot, now), p.holdOf(booking), 0, now)
		return BookingCancelledYet
	}
	if quirk := p.on(OnCancel, booking.slot, now); quirk.Does == Nothing {
		p.move(quirk, p.holdOf(booking), 0, now)
	} else {
		p.lookAway(quirk)
		p.endBooking(booking, quirk, now)
	}
	return BookingCancelled
}

// endBooking ends a booking and gives its seats back.
func (p *Platform) endBooking(b *Booking, quirk Quirk, now time.Time) {
	cancelled := *b
	cancelled.slot = b.slot.in(p.Catalog()) // which may be another one by now
	cancelled.State, cancelled.CancelledAt = Cancelled, now
	p.state.bookings.Set(b.ID, &cancelled)
	p.move(quirk, p.holdOf(&cancelled), -b.taken, now)
	p.state.ledger.cancelled(b.ID)
	p.noteCancelled(cancelled.slot)
	p.leave(cancelled.slot)
	p.remember(b.Code)
}

// holdOf returns the hold that a booking was, also where its code has become
// another hold's.
func (p *Platform) holdOf(b *Booking) *Hold {
	return &Hold{Code: b.Code, Units: b.Units, Seats: b.Seats, slot: b.slot}
}

// Bookings returns every booking that is remembered, oldest first.
func (p *Platform) Bookings() []Booking { return p.Inside().Bookings }

func (p *Platform) listBookings() []Booking {
	bookings := make([]Booking, 0, p.state.bookings.Len())
	for _, booking := range p.state.bookings.all() {
		bookings = append(bookings, *booking)
	}
	slices.SortFunc(bookings, func(a, b Booking) int { return cmp.Compare(a.number, b.number) })
	return bookings
}
