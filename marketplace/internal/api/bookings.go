package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
)

type bookingStore interface {
	List(ctx context.Context, by booking.Filter, skip int64, size int) (list []marketplace.Booking, total int, err error)
	Histories(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]marketplace.HistoryEntry, error)
	Commissions(ctx context.Context, affiliate uuid.UUID, skip int64, size int) (list []booking.Commission, total int, err error)
}

// bookingHandler is what resellers do with their customers' bookings, and operators with
// those of all.
type bookingHandler struct {
	store   bookingStore
	service *booking.Service
}

func (h bookingHandler) show(r *http.Request, id uuid.UUID) (any, error) {
	b, err := h.service.Find(r.Context(), seen(r), id)
	return h.view(r, b, err)
}

// view is a booking with its history, as the caller sees it, where there was no error.
func (h bookingHandler) view(r *http.Request, b marketplace.Booking, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	history, err := h.store.Histories(r.Context(), []uuid.UUID{b.ID})
	return viewBookingFor(r, b, history[b.ID]), err
}

// viewBookingFor is viewBooking for the caller: operators are told whose it is.
func viewBookingFor(r *http.Request, b marketplace.Booking, history []marketplace.HistoryEntry) bookingView {
	view := viewBooking(b, history)
	if caller(r.Context()).Role == marketplace.Operator {
		view.ResellerID, view.IntegrationID = &b.AccountID, &b.IntegrationID
	}
	return view
}

func (h bookingHandler) list(r *http.Request) (any, error) {
	return h.page(r, booking.Filter{Account: caller(r.Context()).Account}, marketplace.BookingStatuses())
}

func (h bookingHandler) listAll(r *http.Request) (any, error) {
	return h.page(r, booking.Filter{Checkouts: true}, append(marketplace.BookingStatuses(), marketplace.Reserving, marketplace.Refused, marketplace.Lost))
}

// page is a page of bookings, the newest first.
func (h bookingHandler) page(r *http.Request, by booking.Filter, statuses []marketplace.BookingStatus) (any, error) {
	given := readQuery(r)
	var words []string
	for _, status := range statuses {
		words = append(words, string(status))
	}
	by.Status = marketplace.BookingStatus(given.tagged("status", "oneof="+strings.Join(words, " ")))
	if by.Account == uuid.Nil { // who sees all chooses among all
		by.Attention, by.Named = given.tagged("attention", "oneof=true false") == "true", given.text("q", longestFilter)
		if id := given.tagged("reseller", "uuid"); id != "" {
			by.Account = uuid.MustParse(id)
		}
	}
	asked, err := given.page()
	if err != nil {
		return nil, err
	}
	list, total, err := h.store.List(r.Context(), by, asked.skip(), asked.size)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(list))
	for i, b := range list {
		ids[i] = b.ID
	}
	histories, err := h.store.Histories(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	return pageOf(list, func(b marketplace.Booking) bookingView { return viewBookingFor(r, b, histories[b.ID]) }, asked, total), nil
}

func (h bookingHandler) abandon(r *http.Request, id uuid.UUID) (any, error) {
	b, err := h.service.Abandon(r.Context(), caller(r.Context()).Account, id)
	return h.view(r, b, err)
}

type payment struct {
	Outcome   string `json:"outcome" validate:"required,oneof=succeeded failed"`
	Reference string `json:"reference" validate:"required,max=200,headervalue"`
}

func (h bookingHandler) pay(r *http.Request, id uuid.UUID, body payment) (any, error) {
	told := marketplace.Payment{Reference: body.Reference, Succeeded: body.Outcome == "succeeded"}
	b, err := h.service.Pay(r.Context(), caller(r.Context()).Account, id, told)
	return h.view(r, b, err)
}

// cancellation is the body of a cancel.
type cancellation struct {
	Reason string `json:"reason" validate:"max=500"`
}

func (h bookingHandler) cancel(r *http.Request, id uuid.UUID, body cancellation) (any, error) {
	b, err := h.service.Cancel(r.Context(), caller(r.Context()).Account, id, body.Reason)
	return h.view(r, b, err)
}

// cancelAny is an operator's cancel.
func (h bookingHandler) cancelAny(r *http.Request, id uuid.UUID, body cancellation) (any, error) {
	b, err := h.service.Settle(r.Context(), id, body.Reason)
	return h.view(r, b, err)
}

// settle does what an operator has decided, which takes no body.
func (h bookingHandler) settle(decided func(context.Context, uuid.UUID) (marketplace.Booking, error)) func(*http.Request, uuid.UUID) (any, error) {
	return func(r *http.Request, id uuid.UUID) (any, error) {
		b, err := decided(r.Context(), id)
		return h.view(r, b, err)
	}
}
