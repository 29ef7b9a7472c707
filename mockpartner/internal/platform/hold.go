package platform

import (
	"slices"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// storedHold is a hold with the platform's own notes on it.
type storedHold struct {
	client.Hold
	slot     slotKey
	number   uint64 // the order of creation
	promised int    // seats that are kept for this hold
	taken    int    // seats that it took out of the vacancies
	made     calls  // counts of requests before this hold
}

func (h *storedHold) isOrderOf(r partnerapi.ReserveRequest) bool {
	return h.ProductID == r.ProductID && h.OptionID == r.OptionID && h.AvailabilityID == r.AvailabilityID && slices.Equal(h.Units, r.Units)
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
func (p *Platform) Holds() []client.Hold { return p.State().Holds }

// storedBooking is a booking with the platform's own notes on it.
type storedBooking struct {
	client.Booking
	number uint64
	slot   slotKey
	taken  int       // seats that it has taken out of the vacancies
	held   time.Time // when the hold was created
	made   calls     // counts of requests before its hold
}

// The outcomes of Cancel.
const (
	BookingCancelled    Outcome = "The booking is cancelled, and its seats are free again."
	BookingCancelledYet Outcome = "The booking was cancelled before."
	BookingUnknown      Outcome = "There is no booking with this id, nothing to cancel."
)

// Observe receives the facts before and after a call; no other call comes between. It is not called
// when the request is refused before it reaches a slot, a hold or a booking. A nil Observe is ignored.
type Observe func(before, after client.Facts)

// callSubject is the subject of a call in progress.
type callSubject struct {
	stock   *inventory
	now     time.Time
	observe Observe
	slot    slotKey // its option is nil if the slot is unknown
	code    string
	before  client.Facts
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
	if after := s.facts(); after != (client.Facts{}) || s.before != (client.Facts{}) {
		s.observe(s.before, after)
	}
}

func (s *callSubject) facts() (f client.Facts) {
	state := &s.stock.state
	if hold, ok := state.holds.Get(s.code); ok {
		f.Hold, s.slot = &hold.Hold, hold.slot
		if booking, ok := state.bookings.Get(hold.BookingID); ok {
			f.Booking = &booking.Booking
		}
	}
	if s.slot.option != nil {
		f.Slot = new(s.stock.slotState(s.slot, s.now))
	}
	return f
}
