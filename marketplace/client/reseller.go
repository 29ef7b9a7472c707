package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Reseller calls the API for a reseller's shop, which reads and books activities. It is safe for
// concurrent use.
type Reseller struct{ account }

// NewReseller returns a reseller's client. The address is the marketplace's, such as
// https://marketplace.example.com. It makes no call.
func NewReseller(marketplace string, credentials Credentials, o Options) (*Reseller, error) {
	c, err := connect(marketplace, credentials, o)
	if err != nil {
		return nil, err
	}
	return &Reseller{account{c}}, nil
}

// ActivityQuery filters and orders activities. All filters must match, ignoring case.
type ActivityQuery struct {
	Currency string // of the prices, such as USD; "": the partner's own
	Language string // such as pt-BR: the nearest available language; "": the activity's own
	Words    string // each must occur in a title (also of a variation), text, place, category or tag
	Category string // the exact name
	Country  string // the code or the exact name
	City     string

	DateFrom, DateTo Date // a slot on these dates can be booked; both are inclusive and optional
	// The lowest and the highest price, which require Currency. An activity's price is its lowest for an
	// adult or for the group, on these dates if any are set.
	MinPrice, MaxPrice Decimal
	Sort               ActivitySort // "": ByCreation
}

// ActivitySort is an order of activities.
type ActivitySort string

// The orders of activities. Those without a price or a date are last.
const (
	ByCreation ActivitySort = "created"   // the oldest first
	ByPrice    ActivitySort = "price"     // the lowest price first
	ByTitle    ActivitySort = "title"     // alphabetically, in the query's language
	ByNextDate ActivitySort = "next_date" // the first bookable date first
)

// Activities lists the activities on sale in the query's order.
func (r *Reseller) Activities(q ActivityQuery) List[Activity] {
	return List[Activity]{r.c, path("resellers", "activities"), q.values()}
}

func (q ActivityQuery) values() map[string][]string {
	return queryOf("currency", q.Currency, "language", q.Language, "q", q.Words, "category", q.Category, "country", q.Country, "city", q.City,
		"date_from", string(q.DateFrom), "date_to", string(q.DateTo), "min_price", string(q.MinPrice), "max_price", string(q.MaxPrice), "sort", string(q.Sort))
}

// Activity reads an activity. Of the query only the currency and the language are used.
func (r *Reseller) Activity(ctx context.Context, activity string, q ActivityQuery) (Activity, error) {
	return call[Activity](ctx, r.c, get(path("resellers", "activities", activity), queryOf("currency", q.Currency, "language", q.Language)))
}

// CalendarQuery selects a range of at most 62 days. Both ends are inclusive.
type CalendarQuery struct {
	ActivityID, VariationID string
	From, To                Date
	Currency                string // "": the partner's own
}

// Calendar reads the availability of each day in the range.
func (r *Reseller) Calendar(ctx context.Context, q CalendarQuery) ([]Day, error) {
	return call[[]Day](ctx, r.c, get(path("resellers", "activities", q.ActivityID, "variations", q.VariationID, "calendar"), q.values()))
}

// ActivityCalendar reads the calendars of all variations of an activity. The query's VariationID is not
// used.
func (r *Reseller) ActivityCalendar(ctx context.Context, q CalendarQuery) ([]VariationCalendar, error) {
	return call[[]VariationCalendar](ctx, r.c, get(path("resellers", "activities", q.ActivityID, "calendar"), q.values()))
}

func (q CalendarQuery) values() url.Values {
	return queryOf("from", string(q.From), "to", string(q.To), "currency", q.Currency)
}

// SlotsQuery selects a day.
type SlotsQuery struct {
	ActivityID, VariationID string
	Date                    Date
	Currency                string // "": the partner's own
}

// Slots reads the slots of a day in order of their start.
func (r *Reseller) Slots(ctx context.Context, q SlotsQuery) ([]Slot, error) {
	return call[[]Slot](ctx, r.c, get(path("resellers", "activities", q.ActivityID, "variations", q.VariationID, "availability"),
		queryOf("date", string(q.Date), "currency", q.Currency)))
}

// Order describes a booking to make.
type Order struct {
	ActivityID        string  `json:"activity_id"`
	VariationID       string  `json:"variation_id"`
	AvailabilityID    string  `json:"availability_id"` // of the slot
	Units             []Party `json:"units"`           // each type or unit id once
	Contact           Contact `json:"contact"`
	Currency          string  `json:"currency,omitempty"`           // "": the partner's own
	AffiliateCode     string  `json:"affiliate_code,omitempty"`     // of the affiliate who referred the customer
	ResellerReference string  `json:"reseller_reference,omitempty"` // the reseller's own reference
	// IdempotencyKey identifies the order. Repeating it within a day, even from another process,
	// returns the same answer and makes no second booking. If it is "", Book generates one.
	IdempotencyKey string `json:"-"`
}

// Party is a number of guests of one unit.
type Party struct {
	Type     partnerapi.UnitType `json:"type,omitempty"`    // optional with UnitID
	UnitID   string              `json:"unit_id,omitempty"` // required where several units have one type
	Quantity int                 `json:"quantity"`
}

// Book checks the slot with the partner and reserves it. The booking is Held until its ExpiresAt.
// The *Error is 409 if the slot cannot be booked any more, with the partner's message if it sent
// one. It is 502 if the partner fails and 504 if it is too slow; no hold is left that the caller
// has to release.
func (r *Reseller) Book(ctx context.Context, o Order) (Booking, error) {
	key := cmp.Or(o.IdempotencyKey, rand.Text())
	return call[Booking](ctx, r.c, request{method: http.MethodPost, path: path("resellers", "bookings"), body: o, key: key, harmless: true})
}

// Booking reads the current state of a booking.
func (r *Reseller) Booking(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, r.c, get(path("resellers", "bookings", booking), nil))
}

// BookingQuery filters bookings. All filters must match; the zero value matches every booking.
// Times are inclusive, and a zero time sets no limit.
type BookingQuery struct {
	Status                 BookingStatus // "": all
	ActivityID             string
	ResellerReference      string
	Words                  string // the beginnings of words of the guest's name or email, or the beginning or the end of an id, a ResellerReference, an ExternalBookingID or a telephone number
	CreatedFrom, CreatedTo time.Time
	StartFrom, StartTo     time.Time // of the slot
	// For operators only:
	Attention     bool            // only bookings that need attention
	Reason        AttentionReason // only those that need it for this reason; "": any
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

// Bookings lists the reseller's bookings, newest first.
func (r *Reseller) Bookings(q BookingQuery) List[Booking] {
	return List[Booking]{r.c, path("resellers", "bookings"), q.values()}
}

// Pay reports that the customer has paid, with the payment provider's reference. It is idempotent.
// Afterwards the booking is Confirmed, or Paid. A Paid booking is confirmed by retries, or its
// Attention says why an operator must act. No payment is lost, even one that arrives after the hold
// was released.
func (r *Reseller) Pay(ctx context.Context, booking, reference string) (Booking, error) {
	return r.pay(ctx, booking, paymentRequest{"succeeded", reference})
}

// PaymentFailed reports that the customer could not pay. The hold is released.
func (r *Reseller) PaymentFailed(ctx context.Context, booking, reference string) (Booking, error) {
	return r.pay(ctx, booking, paymentRequest{"failed", reference})
}

type paymentRequest struct {
	Outcome   string `json:"outcome"`
	Reference string `json:"reference"`
}

func (r *Reseller) pay(ctx context.Context, booking string, p paymentRequest) (Booking, error) {
	return call[Booking](ctx, r.c, post(path("resellers", "bookings", booking, "payment"), p).asRepeatable())
}

// Abandon releases a hold.
func (r *Reseller) Abandon(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, r.c, request{method: http.MethodDelete, path: path("resellers", "bookings", booking), harmless: true})
}

// Reschedule describes another slot for the guests of a confirmed booking.
type Reschedule struct {
	AvailabilityID string `json:"availability_id"`     // of a slot of the same variation
	Reference      string `json:"reference,omitempty"` // of the customer's payment of the difference, if the slot costs more
	// IdempotencyKey identifies the request, as for an Order.
	IdempotencyKey string `json:"-"`
}

// Reschedule moves the guests of a confirmed booking to another slot, and returns the new booking. It is
// Confirmed, and the old one is cancelled. Or it is Paid: the partner has not answered yet, and both bookings
// are kept until it does. After an *Error the booking is as it was. Without a Reference for a slot
// that costs more, the *Error has PaymentDue, and nothing was reserved.
func (r *Reseller) Reschedule(ctx context.Context, booking string, s Reschedule) (Booking, error) {
	key := cmp.Or(s.IdempotencyKey, rand.Text())
	return call[Booking](ctx, r.c, request{method: http.MethodPost, path: path("resellers", "bookings", booking, "reschedule"), body: s, key: key, harmless: true})
}

// Cancel cancels a confirmed booking. The reason is sent to the partner and may be "".
func (r *Reseller) Cancel(ctx context.Context, booking, reason string) (Booking, error) {
	return call[Booking](ctx, r.c, post(path("resellers", "bookings", booking, "cancel"), cancelRequest{reason}).asRepeatable())
}

type cancelRequest struct {
	Reason string `json:"reason,omitempty"`
}
