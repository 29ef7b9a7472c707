package platform

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// HoldState is the state of a hold.
type HoldState string

// The states of a hold. All but Held are final.
const (
	Held      HoldState = "HELD"
	Confirmed HoldState = "CONFIRMED"
	Released  HoldState = "RELEASED"
	Expired   HoldState = "EXPIRED"
)

// Order is what the caller requested, and the caller's contact and reference.
type Order struct {
	ProductID         string                    `json:"productId"`
	OptionID          string                    `json:"optionId"`
	AvailabilityID    string                    `json:"availabilityId"`
	Units             []partnerapi.UnitQuantity `json:"units"`
	Seats             int                       `json:"seats"` // seats that the party takes
	Contact           *partnerapi.Contact       `json:"contact,omitempty"`
	ResellerReference string                    `json:"resellerReference,omitempty"`
}

// Hold is the result of a reserve (RSV-2). Holds that the platform returns are copies.
type Hold struct {
	Code  string    `json:"reservationConfirmationCode"`
	State HoldState `json:"state"`
	Order
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"` // whole seconds, in the product's zone
	EndedAt   time.Time `json:"endedAt,omitzero"`
	BookingID string    `json:"externalBookingId,omitempty"`

	slot     slotKey
	number   uint64 // the order of creation
	promised int    // seats that are kept for this hold
	taken    int    // seats that it took out of the vacancies
	made     calls  // counts of requests before this hold
}

// Outcome is the outcome of a release or a cancellation, in words for the caller. Every outcome is
// answered with success (REL-4, REL-5, CAN-4, CAN-5).
type Outcome string

// The outcomes of Release.
const (
	HoldReleased    Outcome = "The hold is released, and its seats are free again."
	HoldReleasedYet Outcome = "The hold was released before."
	HoldExpired     Outcome = "The hold had already expired, and its seats were free again."
	HoldConfirmed   Outcome = "The hold was confirmed: its booking does not change."
	HoldUnknown     Outcome = "No hold has this code, so there is nothing to release."
)

// Holds returns every remembered hold, oldest first.
func (p *Platform) Holds() []Hold { return p.State().Holds }

// BookingState is the state of a booking.
type BookingState string

// The states of a booking.
const (
	Booked    BookingState = "CONFIRMED"
	Cancelled BookingState = "CANCELLED"
)

// Booking is the result of a confirm (CNF-2). Bookings that the platform returns are copies.
type Booking struct {
	ID    string       `json:"externalBookingId"`
	UUID  string       `json:"uuid"`
	State BookingState `json:"state"`
	Code  string       `json:"reservationConfirmationCode"`
	Order
	Tickets     []partnerapi.Ticket `json:"tickets,omitempty"`
	ConfirmedAt time.Time           `json:"confirmedAt"`
	CancelledAt time.Time           `json:"cancelledAt,omitzero"`

	number uint64
	slot   slotKey
	taken  int       // seats that it has taken out of the vacancies
	held   time.Time // when the hold was created
	made   calls     // counts of requests before its hold
}

// Answer returns the booking in the form of a confirm's answer. It does not change while the
// booking stands, so that a second confirm receives the same answer as the first (CNF-4).
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

// The outcomes of Cancel.
const (
	BookingCancelled    Outcome = "The booking is cancelled, and its seats are free again."
	BookingCancelledYet Outcome = "The booking was cancelled before."
	BookingUnknown      Outcome = "There is no booking with this id, nothing to cancel."
)

// Facts are the slot, hold and booking that one call concerned, at one moment. A missing one is
// nil. They must not be changed.
type Facts struct {
	Slot    *SlotState `json:"slot,omitempty"`
	Hold    *Hold      `json:"hold,omitempty"`
	Booking *Booking   `json:"booking,omitempty"`
}

// Observe receives the facts before and after a call; no other call comes between. It is not called
// when the request is refused before it reaches a slot, a hold or a booking. A nil Observe is ignored.
type Observe func(before, after Facts)

// callSubject is the subject of a call in progress.
type callSubject struct {
	stock   *inventory
	now     time.Time
	observe Observe
	slot    slotKey // its option is nil if the slot is unknown
	code    string
	before  Facts
}

// look begins a scene; end ends it. The platform stays locked in between.
func (l *lifecycle) look(now time.Time, observe Observe, slot slotKey, code string) *callSubject {
	s := &callSubject{stock: l.stock, now: now, observe: observe, slot: slot, code: code}
	if observe != nil {
		s.before = s.facts()
	}
	return s
}

func (s *callSubject) end() {
	if s.observe == nil {
		return
	}
	if after := s.facts(); after != (Facts{}) || s.before != (Facts{}) {
		s.observe(s.before, after)
	}
}

func (s *callSubject) facts() (f Facts) {
	state := &s.stock.state
	if hold, ok := state.holds.Get(s.code); ok {
		f.Hold, s.slot = hold, hold.slot
		f.Booking, _ = state.bookings.Get(hold.BookingID)
	}
	if s.slot.option != nil {
		f.Slot = new(s.stock.slotState(s.slot, s.now))
	}
	return f
}
