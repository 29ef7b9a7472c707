package api

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// bookingRoutes are what resellers do with their customers' bookings.
func (a *API) bookingRoutes() []route {
	return []route{
		{http.MethodPost, "/api/v1/resellers/bookings", resellers, a.checkOut},
		{http.MethodGet, "/api/v1/resellers/bookings", resellers, a.listBookings},
		{http.MethodGet, "/api/v1/resellers/bookings/{booking}", resellers, a.showBooking},
		{http.MethodDelete, "/api/v1/resellers/bookings/{booking}", resellers, a.abandonBooking},
		{http.MethodPost, "/api/v1/resellers/bookings/{booking}/payment", resellers, a.payBooking},
		{http.MethodPost, "/api/v1/resellers/bookings/{booking}/cancel", resellers, a.cancelling(a.cancelOwn)},
	}
}

// order is the body of a checkout.
type order struct {
	Activity     string `json:"activity_id" validate:"required,max=100"`
	Variation    string `json:"variation_id" validate:"required,max=100"`
	Availability string `json:"availability_id" validate:"required,max=1000"`
	Units        []struct {
		Type     partnerapi.UnitType `json:"type" validate:"required,oneof=ADULT CHILD INFANT SENIOR STUDENT"`
		Quantity int                 `json:"quantity" validate:"gte=1,lte=1000"`
	} `json:"units" validate:"required,min=1,max=10,dive"`
	Contact struct {
		FullName     string `json:"fullName" validate:"required,max=200"`
		EmailAddress string `json:"emailAddress" validate:"required,email,max=254"`
		PhoneNumber  string `json:"phoneNumber" validate:"max=50"`
	} `json:"contact" validate:"required"`
	Currency          marketplace.Currency `json:"currency" validate:"omitempty,iso4217"`
	AffiliateCode     string               `json:"affiliate_code" validate:"omitempty,uuid"`
	ResellerReference string               `json:"reseller_reference" validate:"max=200"`
}

func (a *API) checkOut(w http.ResponseWriter, r *http.Request) error {
	var body order
	text, err := readBodyText(r, &body)
	if err != nil {
		return err
	}
	o, err := body.read(caller(r.Context()).Account)
	if err != nil {
		return err
	}
	key, err := readKey(r, text)
	if err != nil {
		return err
	}
	if o.ID, err = uuid.NewV7(); err != nil {
		return err
	}
	answer, err := a.bookings.Checkout(r.Context(), o, key, answerOf)
	if err != nil {
		return err
	}
	return writeRaw(w, answer.Status, answer.Body)
}

// read is the order of a checkout. The error is Invalid or NotFound.
func (body order) read(account uuid.UUID) (booking.Order, error) {
	o := booking.Order{
		Account: account, Slot: body.Availability, Currency: body.Currency, ResellerReference: body.ResellerReference,
		Contact: partnerapi.Contact{FullName: body.Contact.FullName, EmailAddress: body.Contact.EmailAddress, PhoneNumber: body.Contact.PhoneNumber},
	}
	var err error
	if o.Activity, err = uuid.Parse(body.Activity); err != nil {
		return o, &marketplace.Error{Code: marketplace.NotFound, Message: "activity not found"}
	}
	if o.Variation, err = uuid.Parse(body.Variation); err != nil {
		return o, &marketplace.Error{Code: marketplace.NotFound, Message: "variation not found"}
	}
	if body.AffiliateCode != "" {
		o.Affiliate = uuid.MustParse(body.AffiliateCode) // the check has seen that it is one
	}
	for _, unit := range body.Units {
		o.Guests = append(o.Guests, booking.Party{Type: unit.Type, Quantity: unit.Quantity})
	}
	return o, nil
}

// bookingView is a booking as its reseller, and operators, see it.
type bookingView struct {
	ID                uuid.UUID                                  `json:"_id"`
	ResellerID        *uuid.UUID                                 `json:"reseller_id,omitempty"`    // for operators alone
	IntegrationID     *uuid.UUID                                 `json:"integration_id,omitempty"` // for operators alone
	Status            marketplace.BookingStatus                  `json:"status"`
	ReleaseReason     *marketplace.ReleaseReason                 `json:"release_reason"`
	ActivityID        uuid.UUID                                  `json:"activity_id"`
	VariationID       uuid.UUID                                  `json:"variation_id"`
	AvailabilityID    string                                     `json:"availability_id"`
	Start             string                                     `json:"start"`
	End               string                                     `json:"end"`
	Units             []unitView                                 `json:"units"`
	Currency          marketplace.Currency                       `json:"currency"`
	Total             marketplace.Number                         `json:"total"`
	Contact           partnerapi.Contact                         `json:"contact"`
	AffiliateCode     *uuid.UUID                                 `json:"affiliate_code"`
	ResellerReference string                                     `json:"reseller_reference"`
	CreatedAt         time.Time                                  `json:"created_at"`
	ExpiresAt         *time.Time                                 `json:"expires_at"`
	ExternalBookingID *string                                    `json:"external_booking_id"`
	Tickets           marketplace.List[partnerapi.Ticket]        `json:"tickets"`
	Attention         *marketplace.Attention                     `json:"attention"`
	Release           *marketplace.Delivery                      `json:"partner_release"`
	Cancellation      *marketplace.Delivery                      `json:"partner_cancellation"`
	History           marketplace.List[marketplace.HistoryEntry] `json:"history"`
}

type unitView struct {
	Type     partnerapi.UnitType `json:"type"`
	Quantity int                 `json:"quantity"`
	Price    *marketplace.Number `json:"price"`
}

// orNull is a value as answers show it: null where there is none.
func orNull[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

func viewOf(b marketplace.Booking, history []marketplace.HistoryEntry) bookingView {
	zone, err := time.LoadLocation(b.Zone)
	if err != nil {
		zone = time.UTC // a zone that the machine has forgotten
	}
	view := bookingView{
		ID: b.ID, Status: b.Status, ReleaseReason: orNull(b.Reason), ActivityID: b.ActivityID, VariationID: b.VariationID, AvailabilityID: b.AvailabilityID,
		Start: partnerapi.FormatDateTime(b.Start.In(zone)), End: partnerapi.FormatDateTime(b.End.In(zone)),
		Units: []unitView{}, Currency: b.Currency, Total: b.Total, Contact: b.Contact, AffiliateCode: orNull(b.AffiliateID), ResellerReference: b.ResellerReference,
		CreatedAt: b.CreatedAt, ExpiresAt: timeOrNull(b.ExpiresAt), ExternalBookingID: orNull(b.ExternalBookingID), Tickets: b.Tickets,
		Release: orNull(b.Release), Cancellation: orNull(b.Cancellation), History: history,
	}
	for _, g := range b.Guests {
		view.Units = append(view.Units, unitView{g.Type, g.Quantity, g.Price})
	}
	if len(b.Attention) > 0 {
		first := b.Attention[0]
		first.Actions = booking.Actions(b, first.Reason)
		view.Attention = &first
	}
	return view
}

// viewFor is viewOf for the caller: operators are told whose it is.
func viewFor(r *http.Request, b marketplace.Booking, history []marketplace.HistoryEntry) bookingView {
	view := viewOf(b, history)
	if caller(r.Context()).Role == marketplace.Operator {
		view.ResellerID, view.IntegrationID = &b.AccountID, &b.IntegrationID
	}
	return view
}

func (a *API) viewBooking(r *http.Request, b marketplace.Booking) (bookingView, error) {
	history, err := a.store.Bookings.Histories(r.Context(), []uuid.UUID{b.ID})
	return viewFor(r, b, history[b.ID]), err
}

// writeBooking answers with a booking, where there was no error.
func (a *API) writeBooking(w http.ResponseWriter, r *http.Request, b marketplace.Booking, err error) error {
	if err != nil {
		return err
	}
	view, err := a.viewBooking(r, b)
	if err != nil {
		return err
	}
	return writeData(w, http.StatusOK, view)
}

// bookingOfPath is the id of the booking that a path names.
func bookingOfPath(r *http.Request) (uuid.UUID, error) { return pathID(r, "booking") }

func (a *API) showBooking(w http.ResponseWriter, r *http.Request) error {
	id, err := bookingOfPath(r)
	if err != nil {
		return err
	}
	b, err := a.bookings.Find(r.Context(), seen(r), id)
	return a.writeBooking(w, r, b, err)
}

func (a *API) listBookings(w http.ResponseWriter, r *http.Request) error {
	return a.bookingPage(w, r, booking.Filter{Account: caller(r.Context()).Account}, marketplace.BookingStatuses())
}

// bookingPage answers with a page of bookings, the newest first.
func (a *API) bookingPage(w http.ResponseWriter, r *http.Request, by booking.Filter, statuses []marketplace.BookingStatus) error {
	asked := readQuery(r)
	var words []string
	for _, status := range statuses {
		words = append(words, string(status))
	}
	by.Status = marketplace.BookingStatus(asked.tagged("status", "oneof="+strings.Join(words, " ")))
	if by.Account == uuid.Nil { // who sees all chooses among all
		by.Attention, by.Named = asked.tagged("attention", "oneof=true false") == "true", asked.text("q", longestFilter)
		if id := asked.tagged("reseller", "uuid"); id != "" {
			by.Account = uuid.MustParse(id)
		}
	}
	part := asked.page()
	if err := asked.check(); err != nil {
		return err
	}
	list, total, err := a.store.Bookings.List(r.Context(), by, part.skip(), part.size)
	if err != nil {
		return err
	}
	ids := make([]uuid.UUID, len(list))
	for i, b := range list {
		ids[i] = b.ID
	}
	histories, err := a.store.Bookings.Histories(r.Context(), ids)
	if err != nil {
		return err
	}
	views := make([]bookingView, len(list))
	for i, b := range list {
		views[i] = viewFor(r, b, histories[b.ID])
	}
	return writePage(w, views, part, total)
}

func (a *API) abandonBooking(w http.ResponseWriter, r *http.Request) error {
	id, err := bookingOfPath(r)
	if err != nil {
		return err
	}
	b, err := a.bookings.Abandon(r.Context(), caller(r.Context()).Account, id)
	return a.writeBooking(w, r, b, err)
}

func (a *API) payBooking(w http.ResponseWriter, r *http.Request) error {
	id, err := bookingOfPath(r)
	if err != nil {
		return err
	}
	var body struct {
		Outcome   string `json:"outcome" validate:"required,oneof=succeeded failed"`
		Reference string `json:"reference" validate:"required,max=200,headervalue"`
	}
	if err := readBody(r, &body); err != nil {
		return err
	}
	payment := marketplace.Payment{Reference: body.Reference, Succeeded: body.Outcome == "succeeded"}
	b, err := a.bookings.Pay(r.Context(), caller(r.Context()).Account, id, payment)
	return a.writeBooking(w, r, b, err)
}

// cancelling calls a booking off for the reason that the body gives.
func (a *API) cancelling(cancel func(r *http.Request, booking uuid.UUID, reason string) (marketplace.Booking, error)) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := bookingOfPath(r)
		if err != nil {
			return err
		}
		var body struct {
			Reason string `json:"reason" validate:"max=500"`
		}
		if err := readBody(r, &body); err != nil {
			return err
		}
		b, err := cancel(r, id, body.Reason)
		return a.writeBooking(w, r, b, err)
	}
}

func (a *API) cancelOwn(r *http.Request, booking uuid.UUID, reason string) (marketplace.Booking, error) {
	return a.bookings.Cancel(r.Context(), caller(r.Context()).Account, booking, reason)
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

func (a *API) listCommissions(w http.ResponseWriter, r *http.Request) error {
	asked, err := readPage(r)
	if err != nil {
		return err
	}
	list, total, err := a.store.Bookings.Commissions(r.Context(), caller(r.Context()).Account, asked.skip(), asked.size)
	if err != nil {
		return err
	}
	views := make([]commissionView, len(list))
	for i, c := range list {
		views[i] = commissionView{c.Booking, cmp.Or(map[bool]string{true: "accrued"}[c.ReversedAt.IsZero()], "reversed"), c.Currency, c.Amount, c.AccruedAt, timeOrNull(c.ReversedAt)}
	}
	return writePage(w, views, asked, total)
}
