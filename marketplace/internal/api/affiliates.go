package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// affiliateHandler answers what affiliates read.
type affiliateHandler struct {
	storefront storefrontHandler
	store      bookingStore
}

func (h affiliateHandler) activities(r *http.Request) (any, error) {
	return h.storefront.listFor(r, caller(r.Context()).Account)
}

// commissionView is what an affiliate has earned by a booking.
type commissionView struct {
	BookingID  uuid.UUID            `json:"booking_id"`
	Status     string               `json:"status"` // accrued or reversed
	Currency   marketplace.Currency `json:"currency"`
	Amount     marketplace.Number   `json:"amount"`
	AccruedAt  time.Time            `json:"accrued_at"`
	ReversedAt *time.Time           `json:"reversed_at"`
}

func viewCommission(c booking.Commission) commissionView {
	view := commissionView{c.Booking, "accrued", c.Currency, c.Amount, c.AccruedAt, timeOrNull(c.ReversedAt)}
	if view.ReversedAt != nil {
		view.Status = "reversed"
	}
	return view
}

func (h affiliateHandler) commissions(r *http.Request) (any, error) {
	asked, err := readQuery(r).page()
	if err != nil {
		return nil, err
	}
	list, total, err := h.store.Commissions(r.Context(), caller(r.Context()).Account, asked.skip(), asked.size)
	if err != nil {
		return nil, err
	}
	return pageOf(list, viewCommission, asked, total), nil
}
