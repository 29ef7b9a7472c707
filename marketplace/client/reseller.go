package client

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Reseller is a reseller's shop: it reads what can be sold, and books it. It is safe for
// concurrent use.
type Reseller struct{ account }

// NewReseller returns the client of a reseller's shop. The address is the marketplace's,
// such as https://marketplace.example.com. Nothing is called yet.
func NewReseller(marketplace string, credentials Credentials, o Options) (*Reseller, error) {
	c, err := connect(marketplace, credentials, o)
	if err != nil {
		return nil, err
	}
	return &Reseller{account{c}}, nil
}

// ActivityQuery says which activities are wanted, and how. Of several filters all have to
// fit; capitals make no difference.
type ActivityQuery struct {
	Currency string // of the prices, such as USD; "": the partner's own
	Language string // of the texts, such as pt-BR: the nearest that there is; "": the activity's own
	Words    string // each is a part of its titles, texts, places, categories or tags
	Category string // the whole name of one
	Country  string // the code or the name
	City     string
}

// Activities are the activities that can be sold, the oldest first.
func (r *Reseller) Activities(q ActivityQuery) List[Activity] {
	return List[Activity]{r.c, path("resellers", "activities"), q.values()}
}

func (q ActivityQuery) values() map[string][]string {
	return queryOf("currency", q.Currency, "language", q.Language, "q", q.Words, "category", q.Category, "country", q.Country, "city", q.City)
}

// Activity reads one activity; of the query only the currency and the language count.
func (r *Reseller) Activity(ctx context.Context, activity string, q ActivityQuery) (Activity, error) {
	return call[Activity](ctx, r.c, get(path("resellers", "activities", activity), queryOf("currency", q.Currency, "language", q.Language)))
}

// CalendarQuery says which days are wanted: from the one to the other, both inclusive, 62
// at most.
type CalendarQuery struct {
	ActivityID, VariationID string
	From, To                Date
	Currency                string // "": the partner's own
}

// Calendar reads what can be booked day by day: a row for every date.
func (r *Reseller) Calendar(ctx context.Context, q CalendarQuery) ([]Day, error) {
	return call[[]Day](ctx, r.c, get(path("resellers", "activities", q.ActivityID, "variations", q.VariationID, "calendar"),
		queryOf("from", string(q.From), "to", string(q.To), "currency", q.Currency)))
}

// SlotsQuery says of which day the slots are wanted.
type SlotsQuery struct {
	ActivityID, VariationID string
	Date                    Date
	Currency                string // "": the partner's own
}

// Slots reads the slots of a day, in their order.
func (r *Reseller) Slots(ctx context.Context, q SlotsQuery) ([]Slot, error) {
	return call[[]Slot](ctx, r.c, get(path("resellers", "activities", q.ActivityID, "variations", q.VariationID, "availability"),
		queryOf("date", string(q.Date), "currency", q.Currency)))
}

// Order is what a customer wants to book.
type Order struct {
	ActivityID        string  `json:"activity_id"`
	VariationID       string  `json:"variation_id"`
	AvailabilityID    string  `json:"availability_id"` // a slot's
	Units             []Party `json:"units"`           // each type once
	Contact           Contact `json:"contact"`
	Currency          string  `json:"currency,omitempty"`           // "": the partner's own
	AffiliateCode     string  `json:"affiliate_code,omitempty"`     // of the affiliate that the customer came by
	ResellerReference string  `json:"reseller_reference,omitempty"` // the reseller's own word for it
	// IdempotencyKey names the order: sent again within a day, even by another process, it
	// has the same answer and makes no second booking. "" has Book make one up.
	IdempotencyKey string `json:"-"`
}

// Party is a number of guests of one unit.
type Party struct {
	Type     partnerapi.UnitType `json:"type,omitempty"`    // may be left out beside UnitID
	UnitID   string              `json:"unit_id,omitempty"` // required where several units have one type
	Quantity int                 `json:"quantity"`
}

// Book reads the slot from the partner and reserves it: the booking is Held
// until its ExpiresAt. The *Error is 409 where the slot cannot be booked any more, in the
// partner's words where it has some; 502 and 504 where the partner fails, or is late: no
// hold is left then that anybody would have to give back.
func (r *Reseller) Book(ctx context.Context, o Order) (Booking, error) {
	key := o.IdempotencyKey
	if key == "" {
		key = rand.Text()
	}
	return call[Booking](ctx, r.c, request{method: http.MethodPost, path: path("resellers", "bookings"), body: o, key: key, harmless: true})
}

// Booking reads a booking as it stands.
func (r *Reseller) Booking(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, r.c, get(path("resellers", "bookings", booking), nil))
}

// BookingQuery says which bookings are wanted: all for the zero value. Of several filters
// all have to fit. Times are inclusive; a zero one is open.
type BookingQuery struct {
	Status                 BookingStatus // "": all
	ActivityID             string
	ResellerReference      string
	Words                  string // an id, a ResellerReference, an ExternalBookingID, or whole words of the guest's name, email or telephone
	CreatedFrom, CreatedTo time.Time
	StartFrom, StartTo     time.Time // of the slot
	// Of Operator alone:
	Attention     bool // those alone that need an operator
	IntegrationID string
	ResellerID    string // an account's id
	Mode          string // live or test; "": both
}

func (q BookingQuery) values() url.Values {
	query := queryOf("status", string(q.Status), "activity_id", q.ActivityID, "reseller_reference", q.ResellerReference, "q", q.Words)
	for name, at := range map[string]time.Time{"created_from": q.CreatedFrom, "created_to": q.CreatedTo, "start_from": q.StartFrom, "start_to": q.StartTo} {
		if !at.IsZero() {
			query.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	return query
}

// Bookings are the reseller's bookings, the newest first.
func (r *Reseller) Bookings(q BookingQuery) List[Booking] {
	return List[Booking]{r.c, path("resellers", "bookings"), q.values()}
}

// Pay reports that the customer has paid, with the payment provider's reference. It is
// idempotent. The booking is Confirmed then; or Paid, while confirming it is
// tried again, or for good, with an Attention that says why an operator has to see to it.
// A payment is never lost, not even one that comes after the hold was given back.
func (r *Reseller) Pay(ctx context.Context, booking, reference string) (Booking, error) {
	return r.pay(ctx, booking, paymentRequest{"succeeded", reference})
}

// PaymentFailed tells that the customer could not pay: the hold is given back.
func (r *Reseller) PaymentFailed(ctx context.Context, booking, reference string) (Booking, error) {
	return r.pay(ctx, booking, paymentRequest{"failed", reference})
}

type paymentRequest struct {
	Outcome   string `json:"outcome"`
	Reference string `json:"reference"`
}

func (r *Reseller) pay(ctx context.Context, booking string, p paymentRequest) (Booking, error) {
	return call[Booking](ctx, r.c, post(path("resellers", "bookings", booking, "payment"), p).again())
}

// Abandon gives a hold back.
func (r *Reseller) Abandon(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, r.c, request{method: http.MethodDelete, path: path("resellers", "bookings", booking), harmless: true})
}

// Cancel calls a confirmed booking off. The partner reads the reason, which may be "".
func (r *Reseller) Cancel(ctx context.Context, booking, reason string) (Booking, error) {
	return call[Booking](ctx, r.c, post(path("resellers", "bookings", booking, "cancel"), cancelRequest{reason}).again())
}

type cancelRequest struct {
	Reason string `json:"reason,omitempty"`
}
