package booking

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Filter says which bookings are wanted; zero values do not choose.
type Filter struct {
	Account   uuid.UUID // a reseller's
	Checkouts bool      // those too that have made no booking
	Status    marketplace.BookingStatus
	Attention bool   // those alone that need an operator
	Named     string // by that id, by that reference of the reseller's, or by that booking id of the partner's
}

// Commission is an affiliate's share of a booking.
type Commission struct {
	Booking    uuid.UUID
	Currency   marketplace.Currency
	Amount     marketplace.Number
	AccruedAt  time.Time
	ReversedAt time.Time // zero: it was not
}

// Find returns a booking that the account may see; the zero id sees all. Others are
// NotFound.
func (s *Service) Find(ctx context.Context, account, id uuid.UUID) (marketplace.Booking, error) {
	r, err := s.Store.Booking(ctx, id)
	if err == nil {
		err = visible(r.Booking, account)
	}
	if err != nil {
		return marketplace.Booking{}, err
	}
	return r.Booking, nil
}
