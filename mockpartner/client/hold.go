package client

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
}

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
}

// Facts are the slot, hold and booking that one call concerned, at one moment. A missing one is
// nil. They must not be changed.
type Facts struct {
	Slot    *SlotState `json:"slot,omitempty"`
	Hold    *Hold      `json:"hold,omitempty"`
	Booking *Booking   `json:"booking,omitempty"`
}
