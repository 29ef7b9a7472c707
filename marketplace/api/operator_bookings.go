package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/booking"
)

// operatorBookingRoutes are what operators do with bookings, and with those first that
// need attention.
func (a *API) operatorBookingRoutes() []route {
	return []route{
		{http.MethodGet, "/api/v1/operator/bookings", operators, a.listAllBookings},
		{http.MethodGet, "/api/v1/operator/bookings/{booking}", operators, a.showBooking},
		{http.MethodPost, "/api/v1/operator/bookings/{booking}/confirm", operators, a.settleBooking(a.bookings.Retry)},
		{http.MethodPost, "/api/v1/operator/bookings/{booking}/cancel", operators, a.cancelAnyBooking},
		{http.MethodPost, "/api/v1/operator/bookings/{booking}/deliver", operators, a.settleBooking(a.bookings.Deliver)},
		{http.MethodPost, "/api/v1/operator/bookings/{booking}/resolve", operators, a.settleBooking(a.bookings.Resolve)},
	}
}

func (a *API) listAllBookings(w http.ResponseWriter, r *http.Request) error {
	return a.bookingPage(w, r, booking.Filter{}, append(marketplace.BookingStatuses(), marketplace.Reserving, marketplace.Refused, marketplace.Lost))
}

func (a *API) cancelAnyBooking(w http.ResponseWriter, r *http.Request) error {
	id, err := bookingOfPath(r)
	if err != nil {
		return err
	}
	reason, err := readReason(r)
	if err != nil {
		return err
	}
	b, err := a.bookings.Settle(r.Context(), id, reason)
	return a.writeBooking(w, r, b, err)
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
