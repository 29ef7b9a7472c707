package client

import (
	"context"
	"net/http"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Operator is who runs the marketplace. What a partner does with its own integrations, an
// operator does with everybody's. It is safe for concurrent use.
type Operator struct{ Partner }

// NewOperator returns the client of an operator. The address is the marketplace's, the
// credentials are a Password. Nothing is called yet.
func NewOperator(marketplace string, credentials Credentials, o Options) (*Operator, error) {
	c, err := connect(marketplace, credentials, o)
	if err != nil {
		return nil, err
	}
	return &Operator{Partner{account{c}}}, nil
}

// Overview lists what needs attention now.
type Overview struct {
	Bookings      int                   `json:"bookings_needing_attention"`
	BookingsSince time.Time             `json:"bookings_needing_attention_since"` // of the booking that has waited the longest; zero if none waits
	Integrations  int                   `json:"integrations"`                     // all that there are
	Troubled      []TroubledIntegration `json:"integrations_needing_attention"`   // a hundred at the most
	RatesMissing  []struct {            // prices in these currencies are left out of answers in another one
		Currency   string `json:"currency"`
		Base       string `json:"base"`
		Activities int    `json:"activities"` // that have such a price
	} `json:"rates_missing"`
	RatesAsOf string `json:"rates_as_of"` // the day that the exchange rates are of, YYYY-MM-DD; empty where operators have set them by hand
	RatesOld  bool   `json:"rates_old"`   // that day is more than seven days ago

	// Days are the last fourteen, the oldest first. Each counts the live bookings that were made
	// on it, by their present states.
	Days []struct {
		Day       string             `json:"day"` // YYYY-MM-DD, UTC
		Bookings  int                `json:"bookings"`
		Confirmed int                `json:"confirmed"`
		Cancelled int                `json:"cancelled"`
		Revenue   map[string]Decimal `json:"revenue"` // of the confirmed bookings, by currency
	} `json:"days"`
	// Partners are those with bookings in these days, the most first, 25 at the most.
	Partners []struct {
		IntegrationID string             `json:"integration_id"`
		Name          string             `json:"name"`
		Bookings      int                `json:"bookings"`
		Confirmed     int                `json:"confirmed"`
		Cancelled     int                `json:"cancelled"`
		Revenue       map[string]Decimal `json:"revenue"`
		Answered      int                `json:"confirms_answered"` // with 2xx
		Refused       int                `json:"confirms_refused"`  // with 4xx
		Failed        int                `json:"confirms_failed"`   // another answer, or none
		MedianMS      *int               `json:"confirm_median_ms"` // of the last day with an answered confirm; nil: no confirm was answered
	} `json:"partners"`
}

// TroubledIntegration is an integration that needs attention.
type TroubledIntegration struct {
	IntegrationID  string            `json:"integration_id"`
	Name           string            `json:"name"`
	Health         partnerapi.Health `json:"health"`
	HealthSince    time.Time         `json:"health_since"` // zero: it has never changed
	LastSyncAt     time.Time         `json:"last_sync_at"` // zero: never
	AwaitsApproval bool              `json:"awaits_approval"`
	SlotsSince     time.Time         `json:"slots_since"` // the oldest pull; zero: there are no options
	SlotsLate      bool              `json:"slots_late"`  // that is more than 26 hours ago

	CertificateUntil time.Time `json:"certificate_until"` // when the certificate ends within seven days, or has ended; zero: neither
	CertificateEnded string    `json:"certificate_ended"` // why it has ended: breach, expired or address_changed; empty: it has not
}

// Overview reads what needs attention now.
func (o *Operator) Overview(ctx context.Context) (Overview, error) {
	return call[Overview](ctx, o.c, get(path("operator", "overview"), nil))
}

// CreateAccount makes an account. The *Error is 409 where the address has one.
func (o *Operator) CreateAccount(ctx context.Context, a NewAccount) (Account, error) {
	return call[Account](ctx, o.c, post(path("operator", "accounts"), a))
}

// AccountQuery says which accounts are wanted.
type AccountQuery struct {
	Role  Role   // "": all
	Words string // a part of the address or of the name
}

// Accounts are the accounts, the oldest first.
func (o *Operator) Accounts(q AccountQuery) List[Account] {
	return List[Account]{o.c, path("operator", "accounts"), queryOf("role", string(q.Role), "q", q.Words)}
}

// Account reads an account, with its long-lived tokens.
func (o *Operator) Account(ctx context.Context, account string) (AccountDetail, error) {
	return call[AccountDetail](ctx, o.c, get(path("operator", "accounts", account), nil))
}

// ChangeAccount changes an account, or locks it out.
func (o *Operator) ChangeAccount(ctx context.Context, account string, change AccountChange) (AccountDetail, error) {
	return call[AccountDetail](ctx, o.c, request{method: http.MethodPatch, path: path("operator", "accounts", account), body: change})
}

// CreateAPIToken makes a long-lived token for a reseller's account. The name tells it from
// others, for people. Its mode is live or test; "" is live.
func (o *Operator) CreateAPIToken(ctx context.Context, account, name, mode string) (MadeToken, error) {
	return call[MadeToken](ctx, o.c, post(path("operator", "accounts", account, "api-tokens"), tokenRequest{name, mode}))
}

type tokenRequest struct {
	Name string `json:"name"`
	Mode string `json:"mode,omitempty"`
}

// RevokeAPIToken ends a long-lived token.
func (o *Operator) RevokeAPIToken(ctx context.Context, account, token string) error {
	return do(ctx, o.c, request{method: http.MethodDelete, path: path("operator", "accounts", account, "api-tokens", token)})
}

// Rates are exchange rates: how much of each currency one unit of the base buys.
type Rates struct {
	Base  string             `json:"base"`
	AsOf  Date               `json:"as_of"` // "": operators have set rates by hand
	Rates map[string]Decimal `json:"rates"`
}

// Rates reads the exchange rates in force.
func (o *Operator) Rates(ctx context.Context) (Rates, error) {
	return call[Rates](ctx, o.c, get(path("operator", "rates"), nil))
}

// SetRates sets exchange rates, and returns those in force from now on. Those that are not
// named stay, unless the base is another one; "" removes one.
func (o *Operator) SetRates(ctx context.Context, base string, rates map[string]Decimal) (Rates, error) {
	asked := ratesRequest{base, map[string]*string{}}
	for currency, rate := range rates {
		asked.Rates[currency] = nil
		if text := string(rate); text != "" {
			asked.Rates[currency] = &text
		}
	}
	return call[Rates](ctx, o.c, request{method: http.MethodPut, path: path("operator", "rates"), body: asked})
}

type ratesRequest struct {
	Base  string             `json:"base"`
	Rates map[string]*string `json:"rates"` // nil removes
}

// Fees are what is added to every price.
type Fees struct {
	ServiceFee           Decimal `json:"service_fee"` // per unit, or per booking with a group price; "" leaves it unchanged
	ServiceFeeCurrency   string  `json:"service_fee_currency,omitempty"`
	CommissionPercentage Decimal `json:"commission_percentage"` // "" leaves it unchanged
}

// Pricing reads what is added to every price.
func (o *Operator) Pricing(ctx context.Context) (Fees, error) {
	return call[Fees](ctx, o.c, get(path("operator", "pricing"), nil))
}

// SetPricing sets what is added to every price, and returns what is in force from now on.
func (o *Operator) SetPricing(ctx context.Context, fees Fees) (Fees, error) {
	return call[Fees](ctx, o.c, request{method: http.MethodPut, path: path("operator", "pricing"), body: fees})
}

// Sync pulls a partner's catalog, and returns once it is stored; the slots follow. The
// *Error is 502 or 504 where the partner fails, or is late.
func (o *Operator) Sync(ctx context.Context, integration string, mode SyncMode) (Sync, error) {
	return call[Sync](ctx, o.c, post(path("operator", "integrations", integration, "sync"), syncRequest{mode}))
}

type syncRequest struct {
	Mode SyncMode `json:"mode,omitempty"` // "": Full
}

// ApproveSync pulls again, and lets the pull take away what the guard holds back. The
// *Error is 409 where it holds nothing back.
func (o *Operator) ApproveSync(ctx context.Context, integration string) (Sync, error) {
	return call[Sync](ctx, o.c, post(path("operator", "integrations", integration, "sync", "approve"), nil))
}

// Bookings are everybody's bookings, and the checkouts that have made none, the newest
// first.
func (o *Operator) Bookings(q BookingQuery) List[Booking] {
	query := q.values()
	if q.Attention {
		query.Set("attention", "true")
	}
	for name, value := range map[string]string{"mode": q.Mode, "integration_id": q.IntegrationID, "reseller_id": q.ResellerID} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return List[Booking]{o.c, path("operator", "bookings"), query}
}

// Booking reads a booking as it stands.
func (o *Operator) Booking(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, o.c, get(path("operator", "bookings", booking), nil))
}

// EraseGuest erases the guest's personal data for good, everywhere in the marketplace. The
// *Error is 409 while the partner may still need them: Reserving, Held and Paid.
func (o *Operator) EraseGuest(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, o.c, post(path("operator", "bookings", booking, "erase-guest"), nil).again())
}

// Confirm tries again to confirm a paid booking, and waits for the result.
func (o *Operator) Confirm(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayConfirm, nil)
}

// Cancel calls a paid or a confirmed booking off; the money goes back outside of the
// marketplace. The partner reads the reason, which may be "".
func (o *Operator) Cancel(ctx context.Context, booking, reason string) (Booking, error) {
	return o.settle(ctx, booking, MayCancel, cancelRequest{reason})
}

// Deliver has a release or a cancellation sent again that was given up.
func (o *Operator) Deliver(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayDeliver, nil)
}

// Resolve ends the attention of a booking that was seen to elsewhere.
func (o *Operator) Resolve(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayResolve, nil)
}

func (o *Operator) settle(ctx context.Context, booking string, action Action, body any) (Booking, error) {
	return call[Booking](ctx, o.c, post(path("operator", "bookings", booking, string(action)), body))
}
