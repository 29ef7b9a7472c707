package client

import (
	"context"
	"net/http"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Operator calls the API for an operator, who runs the marketplace. An operator can do everything
// that a partner can, with every integration. It is safe for concurrent use.
type Operator struct{ Partner }

// NewOperator returns an operator's client. The address is the marketplace's. The credentials must
// be a Password. It makes no call.
func NewOperator(marketplace string, credentials Credentials, o Options) (*Operator, error) {
	c, err := connect(marketplace, credentials, o)
	if err != nil {
		return nil, err
	}
	return &Operator{Partner{account{c}}}, nil
}

// AttentionCause is the live bookings that need attention for one reason at one partner.
type AttentionCause struct {
	IntegrationID   string             `json:"integration_id"`
	IntegrationName string             `json:"integration_name"`
	Reason          AttentionReason    `json:"reason"`
	Message         string             `json:"message"` // the most frequent one; "": none
	Bookings        int                `json:"bookings"`
	Since           time.Time          `json:"since"`                   // of the one that has waited longest
	FirstStart      time.Time          `json:"first_start" wire:"null"` // of those whose slot has not begun; zero: all have
	Totals          map[string]Decimal `json:"totals"`                  // by currency
}

// Overview lists what needs attention now.
type Overview struct {
	Bookings      int               `json:"bookings_needing_attention"`
	BookingsSince time.Time         `json:"bookings_needing_attention_since" wire:"null"` // of the booking that has waited longest; zero: no booking waits
	Causes        []AttentionCause  `json:"attention_causes"`                             // at most twenty, those first whose guests depart next
	Integrations  int               `json:"integrations"`                                 // the total number
	NeedAttention []IntegrationDue  `json:"integrations_needing_attention"`               // at most 100
	OldestSync    *DatedIntegration `json:"oldest_sync"`                                  // nil: none was synced
	OldestSlots   *DatedIntegration `json:"oldest_slots"`                                 // whose slots were completely loaded longest ago; nil: none were
	Night         *Night            `json:"night"`                                        // the last one; nil: there was none
	Recent        []RecentEvent     `json:"recent"`                                       // at most twelve, newest first
	// JudgingPaused are integrations whose calls are not judged until then, because the judge stopped
	// while it judged them.
	JudgingPaused []JudgingPause `json:"judging_paused"`
	RatesMissing  []MissingRate  `json:"rates_missing"`
	RatesAsOf     string         `json:"rates_as_of" wire:"null"` // the date of the newest file of exchange rates, YYYY-MM-DD; empty: none was imported
	RatesOld      bool           `json:"rates_old"`               // RatesAsOf is older than the maximum age of rates
	RatesKept     []KeptRate     `json:"rates_kept"`              // of currencies that the newest file lacks
	RatesRefused  string         `json:"rates_refused"`           // why the last published file was refused; empty: it was not

	// Days are the last 14 days, oldest first. Each counts the live bookings made on it, by their
	// present state.
	Days []SalesDay `json:"days"`
	// Partners are those with bookings on these days, most bookings first, at most 25.
	Partners []PartnerSales `json:"partners"`
}

// Night is a nightly sync of all partners, in both modes, with all their slots.
type Night struct {
	BeganAt  time.Time `json:"began_at"`
	EndedAt  time.Time `json:"ended_at" wire:"null"` // zero: some partners are still pulled
	Partners int       `json:"partners"`
	Done     int       `json:"done"`   // all their slots have been pulled
	Failed   int       `json:"failed"` // some of their slots could not be pulled, and are not tried again
	// Last is the partner that ends last, and when, if each takes as long as it took last; nil: none
	// is pulled.
	Last *DatedIntegration `json:"last"`
}

// IntegrationDue is an integration that needs attention.
type IntegrationDue struct {
	IntegrationID  string            `json:"integration_id"`
	Name           string            `json:"name"`
	Health         partnerapi.Health `json:"health"`
	HealthSince    time.Time         `json:"health_since" wire:"null"` // zero: never changed
	LastSyncAt     time.Time         `json:"last_sync_at" wire:"null"` // zero: never
	AwaitsApproval bool              `json:"awaits_approval"`
	SlotsSince     time.Time         `json:"slots_since" wire:"null"` // the oldest pull; zero: no options
	SlotsLate      bool              `json:"slots_late"`              // SlotsSince is more than 26 hours ago
	SetAside       int               `json:"products_set_aside"`      // by the last full sync
	NothingToSell  bool              `json:"nothing_to_sell"`         // no product of the last full sync can be sold

	CertificateUntil time.Time `json:"certificate_until" wire:"null"`    // when the certificate ended or will end within seven days; zero: neither
	CertificateEnded string    `json:"certificate_ended" wire:"null"`    // why it has ended: breach, expired or settings_changed; empty: it has not
	GoLiveRequested  time.Time `json:"go_live_requested_at" wire:"null"` // since when the partner waits for an approval; zero: it does not
	AdmissionEnded   []string  `json:"admission_ended"`                  // by a change of its settings, and not decided since: go_live, certification
}

// JudgingPause is an integration whose calls are not judged until then.
type JudgingPause struct {
	IntegrationID string    `json:"integration_id"`
	Name          string    `json:"name"`
	Since         time.Time `json:"since"`
	Until         time.Time `json:"until"`
}

// KeptRate is the rate of a currency that the newest file lacks.
type KeptRate struct {
	Currency  string    `json:"currency"`
	AsOf      string    `json:"as_of"`      // the date of the rate, YYYY-MM-DD
	SoldUntil time.Time `json:"sold_until"` // after this, nothing is sold in the currency
}

// SalesDay counts the live bookings made on a day, by their present state.
type SalesDay struct {
	Day       string             `json:"day"` // YYYY-MM-DD, UTC
	Bookings  int                `json:"bookings"`
	Confirmed int                `json:"confirmed"`
	Cancelled int                `json:"cancelled"`
	Revenue   map[string]Decimal `json:"revenue"` // of the confirmed bookings, by currency
}

// PartnerSales counts an integration's live bookings of these days and its confirm calls.
type PartnerSales struct {
	IntegrationID string             `json:"integration_id"`
	Name          string             `json:"name"`
	Bookings      int                `json:"bookings"`
	Confirmed     int                `json:"confirmed"`
	Cancelled     int                `json:"cancelled"`
	Revenue       map[string]Decimal `json:"revenue"`
	Answered      int                `json:"confirms_answered"` // with 2xx
	Refused       int                `json:"confirms_refused"`  // with 4xx
	Failed        int                `json:"confirms_failed"`   // any other answer, or no answer
	MedianMS      *int               `json:"confirm_median_ms"` // of the last day with an answered confirm; nil: no answered confirm
}

// DatedIntegration is an integration with the time of its last sync, or of its slots.
type DatedIntegration struct {
	IntegrationID string    `json:"integration_id"`
	Name          string    `json:"name"`
	At            time.Time `json:"at"`
}

// RecentEvent is something that happened to an integration or a booking.
type RecentEvent struct {
	At              time.Time  `json:"at"`
	Kind            RecentKind `json:"kind"`
	IntegrationID   string     `json:"integration_id"`
	IntegrationName string     `json:"integration_name"`
	BookingID       string     `json:"booking_id" wire:"null"` // for attention_needed and attention_resolved; else ""
	RunID           string     `json:"run_id" wire:"null"`     // for run_ended; else ""
	Says            string     `json:"says"`                   // the new health, why the sync failed, what the guard holds, the reason of the attention, or the verdict
}

// RecentKind is what happened.
type RecentKind string

// The kinds.
const (
	HealthChanged     RecentKind = "health_changed"
	SyncFailed        RecentKind = "sync_failed"
	SyncHeld          RecentKind = "sync_held" // the guard held a sync
	AttentionNeeded   RecentKind = "attention_needed"
	AttentionResolved RecentKind = "attention_resolved"
	RunEnded          RecentKind = "run_ended" // a conformance run
)

// Overview reads what needs attention now.
func (o *Operator) Overview(ctx context.Context) (Overview, error) {
	return call[Overview](ctx, o.c, get(path("operator", "overview"), nil))
}

// CreateAccount creates an account. The *Error is 409 if the email address has one already.
func (o *Operator) CreateAccount(ctx context.Context, a NewAccount) (Account, error) {
	return call[Account](ctx, o.c, post(path("operator", "accounts"), a))
}

// AccountQuery filters accounts.
type AccountQuery struct {
	Role  Role   // "": all
	Words string // part of the email address or the name
}

// Accounts lists accounts, oldest first.
func (o *Operator) Accounts(q AccountQuery) List[Account] {
	return List[Account]{o.c, path("operator", "accounts"), queryOf("role", string(q.Role), "q", q.Words)}
}

// Account reads an account, with its long-lived tokens.
func (o *Operator) Account(ctx context.Context, account string) (AccountDetail, error) {
	return call[AccountDetail](ctx, o.c, get(path("operator", "accounts", account), nil))
}

// ChangeAccount changes or disables an account.
func (o *Operator) ChangeAccount(ctx context.Context, account string, change AccountChange) (AccountDetail, error) {
	return call[AccountDetail](ctx, o.c, request{method: http.MethodPatch, path: path("operator", "accounts", account), body: change})
}

// CreateAPIToken creates a long-lived token for a reseller's account. The name is for people. The
// mode is live or test; "" means live.
func (o *Operator) CreateAPIToken(ctx context.Context, account, name, mode string) (MadeToken, error) {
	return call[MadeToken](ctx, o.c, post(path("operator", "accounts", account, "api-tokens"), tokenRequest{name, mode}))
}

type tokenRequest struct {
	Name string `json:"name"`
	Mode string `json:"mode,omitempty"`
}

// RevokeAPIToken revokes a long-lived token.
func (o *Operator) RevokeAPIToken(ctx context.Context, account, token string) error {
	return do(ctx, o.c, request{method: http.MethodDelete, path: path("operator", "accounts", account, "api-tokens", token)})
}

// Rates are exchange rates: how much of each currency one unit of the base buys.
type Rates struct {
	Base       string             `json:"base"`
	AsOf       Date               `json:"as_of" wire:"null"` // of the newest file; "": none was imported
	Rates      map[string]Decimal `json:"rates"`
	Currencies []ExchangeRate     `json:"currencies"` // the same rates, by currency
	Missing    []MissingRate      `json:"missing"`
}

// ExchangeRate is how much of a currency one unit of the base buys.
type ExchangeRate struct {
	Currency  string     `json:"currency"`
	Rate      Decimal    `json:"rate"`
	AsOf      Date       `json:"as_of"`         // of its file, or when an operator set it
	Previous  Decimal    `json:"previous_rate"` // that it replaced; "": none
	SoldUntil *time.Time `json:"sold_until"`    // after this, nothing is sold in the currency; nil unless the newest file lacks it
}

// MissingRate is a currency of prices without an exchange rate. They are left out of answers in other
// currencies.
type MissingRate struct {
	Currency   string `json:"currency"`
	Base       string `json:"base"`
	Activities int    `json:"activities"` // activities with such a price
}

// Rates reads the exchange rates.
func (o *Operator) Rates(ctx context.Context) (Rates, error) {
	return call[Rates](ctx, o.c, get(path("operator", "rates"), nil))
}

// SetRates sets exchange rates and returns the rates in force. Currencies that are not named keep
// their rate, unless the base changes. "" removes a rate.
func (o *Operator) SetRates(ctx context.Context, base string, rates map[string]Decimal) (Rates, error) {
	return o.setRates(ctx, base, rates, false)
}

// SetCheckedRates is SetRates, but refuses rates that are more than twice or less than half of those in
// force.
func (o *Operator) SetCheckedRates(ctx context.Context, base string, rates map[string]Decimal) (Rates, error) {
	return o.setRates(ctx, base, rates, true)
}

func (o *Operator) setRates(ctx context.Context, base string, rates map[string]Decimal, check bool) (Rates, error) {
	asked := ratesRequest{base, map[string]*string{}, check}
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
	Check bool               `json:"check"`
}

// ImportRates imports the content of the European Central Bank's daily file, and returns the rates in
// force. Unless it is forced, a file that is likely to be wrong is refused.
func (o *Operator) ImportRates(ctx context.Context, file string, force bool) (Rates, error) {
	return call[Rates](ctx, o.c, request{method: http.MethodPost, path: path("operator", "rates", "import"), body: ratesImport{file, force}})
}

type ratesImport struct {
	File  string `json:"file"`
	Force bool   `json:"force"`
}

// Fees are the fees that are added to every price.
type Fees struct {
	ServiceFee           Decimal `json:"service_fee"` // per unit, or per booking with a group price; "" leaves it unchanged
	ServiceFeeCurrency   string  `json:"service_fee_currency,omitempty"`
	CommissionPercentage Decimal `json:"commission_percentage"` // "" leaves it unchanged
}

// Pricing reads the fees.
func (o *Operator) Pricing(ctx context.Context) (Fees, error) {
	return call[Fees](ctx, o.c, get(path("operator", "pricing"), nil))
}

// SetPricing sets the fees and returns those in force.
func (o *Operator) SetPricing(ctx context.Context, fees Fees) (Fees, error) {
	return call[Fees](ctx, o.c, request{method: http.MethodPut, path: path("operator", "pricing"), body: fees})
}

// Sync pulls a partner's catalog and returns when it is stored. Slots are loaded afterwards. The
// *Error is 502 if the partner fails and 504 if it is too slow.
func (o *Operator) Sync(ctx context.Context, integration string, mode SyncMode) (Sync, error) {
	return call[Sync](ctx, o.c, post(path("operator", "integrations", integration, "sync"), syncRequest{mode}))
}

type syncRequest struct {
	Mode SyncMode `json:"mode,omitempty"` // "": Full
}

// ApproveSync pulls the catalog again and removes the products that the guard kept. The *Error is
// 409 if no sync waits for approval.
func (o *Operator) ApproveSync(ctx context.Context, integration string) (Sync, error) {
	return call[Sync](ctx, o.c, post(path("operator", "integrations", integration, "sync", "approve"), nil))
}

// Bookings lists all bookings, and checkouts without a booking, newest first.
func (o *Operator) Bookings(q BookingQuery) List[Booking] {
	query := q.values()
	if q.Attention {
		query.Set("attention", "true")
	}
	for name, value := range map[string]string{"mode": q.Mode, "reason": string(q.Reason), "integration_id": q.IntegrationID, "reseller_id": q.ResellerID} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return List[Booking]{o.c, path("operator", "bookings"), query}
}

// Booking reads the current state of a booking.
func (o *Operator) Booking(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, o.c, get(path("operator", "bookings", booking), nil))
}

// EraseGuest erases the guest's personal data permanently. The *Error is 409 while the partner may
// need the data: in the states Reserving, Held and Paid.
func (o *Operator) EraseGuest(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, o.c, post(path("operator", "bookings", booking, "erase-guest"), nil).asRepeatable())
}

// Confirm sends the confirm of a paid booking again and waits for the result.
func (o *Operator) Confirm(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayConfirm, nil)
}

// Cancel cancels a paid or confirmed booking. The marketplace does not refund payments. The reason
// is sent to the partner and may be "".
func (o *Operator) Cancel(ctx context.Context, booking, reason string) (Booking, error) {
	return o.settle(ctx, booking, MayCancel, cancelRequest{reason})
}

// Deliver sends a failed release or cancellation again.
func (o *Operator) Deliver(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayDeliver, nil)
}

// Resolve marks a booking's attention as resolved.
func (o *Operator) Resolve(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayResolve, nil)
}

func (o *Operator) settle(ctx context.Context, booking string, action Action, body any) (Booking, error) {
	return call[Booking](ctx, o.c, post(path("operator", "bookings", booking, string(action)), body))
}
