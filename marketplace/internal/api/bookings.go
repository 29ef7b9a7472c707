package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

type bookingStore interface {
	List(ctx context.Context, by booking.Filter, asked domain.PageRequest) (domain.Page[domain.Booking], error)
	EraseGuest(ctx context.Context, id uuid.UUID) (erased bool, err error)
	Histories(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]domain.HistoryEntry, error)
	Commissions(ctx context.Context, of domain.Scope, asked domain.PageRequest) (domain.Page[booking.Commission], error)
}

// bookingHandler serves resellers' requests about their bookings, and operators' about all
// bookings.
type bookingHandler struct {
	store   bookingStore
	service *booking.Service
}

func (h bookingHandler) show(r *http.Request, id uuid.UUID) (any, error) {
	b, err := h.service.Find(r.Context(), scope(r), id)
	return h.view(r, b, err)
}

// view returns a booking with its history as the caller sees it, unless there was an error.
func (h bookingHandler) view(r *http.Request, b domain.Booking, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	history, err := h.store.Histories(r.Context(), []uuid.UUID{b.ID})
	return viewBookingFor(r, b, history[b.ID]), err
}

// viewBookingFor is viewBooking for the caller: operators also see whose booking it is.
func viewBookingFor(r *http.Request, b domain.Booking, history []domain.HistoryEntry) client.Booking {
	view := viewBooking(b, history)
	if caller(r.Context()).Role == domain.Operator {
		view.ResellerID, view.IntegrationID, view.Mode = b.AccountID.String(), b.IntegrationID.String(), string(b.Mode)
	}
	return view
}

func (h bookingHandler) list(r *http.Request) (any, error) {
	return h.page(r, readQuery(r), booking.Filter{Scope: scope(r)}, domain.BookingStatuses())
}

// listAll lists all bookings for operators, with filters.
func (h bookingHandler) listAll(r *http.Request) (any, error) {
	given := readQuery(r)
	by := booking.Filter{Checkouts: true, Attention: given.validated("attention", "oneof=true false") == "true", Integration: given.id("integration_id"),
		Reason: given.attentionReason(), Scope: domain.Scope{Account: given.id("reseller_id"), Mode: given.mode()}}
	if alias := given.id("reseller"); by.Account == uuid.Nil {
		by.Account = alias
	} else if alias != uuid.Nil && alias != by.Account {
		given.refuse("reseller", "use either reseller or reseller_id, not both")
	}
	return h.page(r, given, by, append(domain.BookingStatuses(), domain.Reserving, domain.Refused, domain.Lost))
}

// bookingStatus reads the status filter. It must be one of these.
func (q *query) bookingStatus(statuses []domain.BookingStatus) domain.BookingStatus {
	var words []string
	for _, status := range statuses {
		words = append(words, string(status))
	}
	return domain.BookingStatus(q.validated("status", "oneof="+strings.Join(words, " ")))
}

// attentionReason reads the filter for a reason for attention.
func (q *query) attentionReason() domain.AttentionReason {
	var words []string
	for _, reason := range domain.AttentionReasons() {
		words = append(words, string(reason))
	}
	return domain.AttentionReason(q.validated("reason", "oneof="+strings.Join(words, " ")))
}

// page returns a page of bookings, newest first.
func (h bookingHandler) page(r *http.Request, given *query, by booking.Filter, statuses []domain.BookingStatus) (any, error) {
	by.Status = given.bookingStatus(statuses)
	by.Activity, by.Reference, by.Query = given.id("activity_id"), given.text("reseller_reference", longestFilter), given.text("q", longestFilter)
	by.Created, by.Start = given.period("created"), given.period("start")
	asked, err := given.storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.store.List(r.Context(), by, asked.request())
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(found.Entries))
	for i, b := range found.Entries {
		ids[i] = b.ID
	}
	histories, err := h.store.Histories(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	return pageOf(asked, found, func(b domain.Booking) client.Booking { return viewBookingFor(r, b, histories[b.ID]) }), nil
}

func (h bookingHandler) abandon(r *http.Request, id uuid.UUID) (any, error) {
	b, err := h.service.Abandon(r.Context(), scope(r), id)
	return h.view(r, b, err)
}

type payment struct {
	Outcome   string `json:"outcome" validate:"required,oneof=succeeded failed"`
	Reference string `json:"reference" validate:"required,max=200,headervalue"`
}

func (h bookingHandler) pay(r *http.Request, id uuid.UUID, body payment) (any, error) {
	payment := domain.Payment{Reference: body.Reference, Succeeded: body.Outcome == "succeeded"}
	b, err := h.service.Pay(r.Context(), scope(r), id, payment)
	return h.view(r, b, err)
}

// cancellation is the body of a cancel.
type cancellation struct {
	Reason string `json:"reason" validate:"max=500"`
}

func (h bookingHandler) cancel(r *http.Request, id uuid.UUID, body cancellation) (any, error) {
	b, err := h.service.Cancel(r.Context(), scope(r), id, body.Reason)
	return h.view(r, b, err)
}

// cancelAny cancels a booking for an operator.
func (h bookingHandler) cancelAny(r *http.Request, id uuid.UUID, body cancellation) (any, error) {
	b, err := h.service.Settle(r.Context(), id, body.Reason)
	return h.view(r, b, err)
}

// settle serves an operator's decision without a body.
func (h bookingHandler) settle(decided func(context.Context, uuid.UUID) (domain.Booking, error)) func(*http.Request, uuid.UUID) (any, error) {
	return func(r *http.Request, id uuid.UUID) (any, error) {
		b, err := decided(r.Context(), id)
		return h.view(r, b, err)
	}
}

// eraseGuest erases the guest's data once no call to the partner needs it.
func (h bookingHandler) eraseGuest(r *http.Request, id uuid.UUID) (any, error) {
	if _, err := h.service.Find(r.Context(), domain.Scope{}, id); err != nil {
		return nil, err
	}
	erased, err := h.store.EraseGuest(r.Context(), id)
	if err != nil {
		return nil, err
	}
	b, err := h.service.Find(r.Context(), domain.Scope{}, id)
	if err == nil && !erased {
		err = &domain.Error{
			Code: domain.Conflict, Reason: domain.BookingState,
			Message: "the booking is " + string(b.Status) + ": the partner may still need the guest's data",
		}
	}
	return h.view(r, b, err)
}

// viewBooking returns a booking as its reseller sees it.
func viewBooking(b domain.Booking, history []domain.HistoryEntry) client.Booking {
	zone, err := time.LoadLocation(b.Zone)
	if err != nil {
		zone = time.UTC // the machine does not know the zone
	}
	view := client.Booking{
		ID: b.ID.String(), Status: client.BookingStatus(b.Status), ReleaseReason: client.ReleaseReason(b.Reason),
		ActivityID: b.ActivityID.String(), VariationID: b.VariationID.String(), AvailabilityID: b.AvailabilityID,
		Start: b.Start.In(zone), End: b.End.In(zone), TimeZone: b.Zone,
		ActivityTitle: b.Sold.ActivityTitle, VariationTitle: b.Sold.VariationTitle, Voucher: viewVoucher(b.Sold.Voucher),
		Units: viewList(b.Guests, viewUnit), Currency: string(b.Currency), Total: decimalOf(&b.Total), Contact: client.Contact(b.Contact),
		AffiliateCode: idOf(b.AffiliateID), ResellerReference: b.ResellerReference, CreatedAt: b.CreatedAt, ExpiresAt: b.ExpiresAt, ExternalBookingID: b.ExternalBookingID,
		Tickets: append([]partnerapi.Ticket{}, b.Tickets...), PartnerRelease: client.Delivery(b.Release), PartnerCancellation: client.Delivery(b.Cancellation),
		RescheduledFrom: idOf(b.RescheduledFrom), RescheduledTo: idOf(b.RescheduledTo), RefundDue: decimalOf(b.RefundDue()), History: viewList(history, viewHistory),
	}
	if b.Status == domain.Cancelled {
		view.Tickets = []partnerapi.Ticket{} // they no longer admit anyone
	}
	if len(b.Attention) > 0 {
		view.Attention = viewAttention(b)
	}
	return view
}

func viewUnit(g domain.Guests) client.BookedUnit {
	return client.BookedUnit{UnitID: g.UnitID, Type: g.Type, Quantity: g.Quantity, Price: decimalOf(g.Price)}
}

func viewVoucher(v domain.Voucher) client.Voucher {
	place := func(p domain.Place) client.Place {
		return client.Place{Address: p.Address, Lat: p.Lat.InexactFloat64(), Lng: p.Lng.InexactFloat64()}
	}
	return client.Voucher{
		PartnerName: v.PartnerName, Address: v.Address, CancellationPolicy: v.CancellationPolicy, Notes: v.Notes,
		Pickup: client.Pickup{Type: v.Pickup.Type, PickUpAddress: place(v.Pickup.PickUpAddress), DropOffAddress: place(v.Pickup.DropOffAddress)},
	}
}

func viewHistory(h domain.HistoryEntry) client.HistoryEntry {
	return client.HistoryEntry{
		At: h.At, Kind: client.HistoryKind(h.Kind), From: client.BookingStatus(h.From), To: client.BookingStatus(h.To), Why: h.Why,
		Endpoint: h.Endpoint, Status: valueOf(h.Status), DurationMS: h.Duration, Error: h.Error,
	}
}

// viewAttention returns why a booking needs an operator: the first reason, or that of both bookings of a
// reschedule.
func viewAttention(b domain.Booking) *client.Attention {
	first := b.Attention[0]
	for _, a := range b.Attention {
		if a.Reason == domain.RescheduleUnknown {
			first = a
		}
	}
	return &client.Attention{
		Reason: client.AttentionReason(first.Reason), Since: first.Since, Message: first.Message, Refund: append([]string{}, first.Refund...),
		Actions: viewList(booking.Actions(b, first.Reason), func(a domain.Action) client.Action { return client.Action(a) }),
	}
}
