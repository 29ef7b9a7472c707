package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// operatorBookingRoutes are what operators do with bookings, and with those first that
// need attention.
func (a *API) operatorBookingRoutes() []route {
	return []route{
		{http.MethodGet, "/api/v1/operator/bookings", operators, a.listAllBookings},
		{http.MethodGet, "/api/v1/operator/bookings/{booking}", operators, a.showBooking},
		{http.MethodPost, "/api/v1/operator/bookings/{booking}/confirm", operators, a.settleBooking(a.bookings.Retry)},
		{http.MethodPost, "/api/v1/operator/bookings/{booking}/cancel", operators, a.cancelling(a.cancelAny)},
		{http.MethodPost, "/api/v1/operator/bookings/{booking}/deliver", operators, a.settleBooking(a.bookings.Deliver)},
		{http.MethodPost, "/api/v1/operator/bookings/{booking}/resolve", operators, a.settleBooking(a.bookings.Resolve)},
	}
}

func (a *API) listAllBookings(w http.ResponseWriter, r *http.Request) error {
	return a.bookingPage(w, r, booking.Filter{Checkouts: true}, append(marketplace.BookingStatuses(), marketplace.Reserving, marketplace.Refused, marketplace.Lost))
}

func (a *API) cancelAny(r *http.Request, booking uuid.UUID, reason string) (marketplace.Booking, error) {
	return a.bookings.Settle(r.Context(), booking, reason)
}

// settleBooking does what an operator has decided, which takes no body.
func (a *API) settleBooking(decided func(context.Context, uuid.UUID) (marketplace.Booking, error)) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := bookingOfPath(r)
		if err != nil {
			return err
		}
		b, err := decided(r.Context(), id)
		return a.writeBooking(w, r, b, err)
	}
}
