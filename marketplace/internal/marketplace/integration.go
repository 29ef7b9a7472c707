package marketplace

import (
	"net/url"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

// Integration is a partner's platform as its account has registered it.
type Integration struct {
	ID                uuid.UUID
	AccountID         uuid.UUID
	Name              string
	Mode              Mode     // never changes
	BaseURL           *url.URL // http or https; the endpoints lie below it
	AuthType          partnerapi.AuthType
	AuthKey           []byte // sealed for the integration's id
	WebhookSecretHash []byte // SHA-256
	// PreviousWebhookSecretHash is that of the secret before the last rotation, which is
	// accepted until PreviousWebhookSecretUntil; nil and zero where none is any more.
	PreviousWebhookSecretHash  []byte
	PreviousWebhookSecretUntil time.Time
	HandlesTicketDelivery      bool
	CreatedAt                  time.Time
	DeletedAt                  time.Time // zero: it is live
	LastSyncAt                 time.Time // when the last stored pull was sent; zero before the first
}

// Overview is what needs an operator now.
type Overview struct {
	Bookings        int        `json:"bookings_needing_attention"`
	BookingsSince   *time.Time `json:"bookings_needing_attention_since"` // of the booking that has waited the longest; nil if none waits
	Integrations    int        `json:"integrations"`                     // that are live
	IntegrationsDue List[Due]  `json:"integrations_needing_attention"`   // the first of them

	RatesMissing List[MissingRate] `json:"rates_missing"`
	RatesOf      *string           `json:"rates_as_of"` // YYYY-MM-DD; nil where operators have set rates by hand
	RatesOld     bool              `json:"rates_old"`   // that was more than RatesOldAfter ago

	Days     List[SalesDay]     `json:"days"`     // the last SalesDays, the oldest first
	Partners List[PartnerSales] `json:"partners"` // those with bookings in these days, the most first
}

// SalesDays is how many days the overview shows.
const SalesDays = 14

// SalesDay counts the live bookings that were made on a day, by their present states.
type SalesDay struct {
	Day       string              `json:"day"`      // YYYY-MM-DD, UTC
	Bookings  int                 `json:"bookings"` // that the partner held
	Confirmed int                 `json:"confirmed"`
	Cancelled int                 `json:"cancelled"`
	Revenue   map[Currency]Number `json:"revenue"` // of the confirmed bookings, by currency
}

// PartnerSales counts an integration's live bookings of SalesDays, and the confirm calls for them.
type PartnerSales struct {
	ID        uuid.UUID           `json:"integration_id"`
	Name      string              `json:"name"`
	Bookings  int                 `json:"bookings"`
	Confirmed int                 `json:"confirmed"`
	Cancelled int                 `json:"cancelled"`
	Revenue   map[Currency]Number `json:"revenue"`
	Answered  int                 `json:"confirms_answered"` // with 2xx
	Refused   int                 `json:"confirms_refused"`  // with 4xx
	Failed    int                 `json:"confirms_failed"`   // another answer, or none
	MedianMS  *int                `json:"confirm_median_ms"` // of the last day with an answered confirm; nil: no confirm was answered
}

// MissingRate is a pair of currencies without an exchange rate, which prices need.
type MissingRate struct {
	Currency   Currency `json:"currency"` // of the prices
	Base       Currency `json:"base"`
	Activities int      `json:"activities"` // that have such a price
}

// Due is an integration that needs an operator.
type Due struct {
	ID             uuid.UUID         `json:"integration_id"`
	Name           string            `json:"name"`
	Health         partnerapi.Health `json:"health"`
	HealthSince    *time.Time        `json:"health_since"`    // nil: it has never changed
	LastSyncAt     *time.Time        `json:"last_sync_at"`    // nil: it has never been synced
	AwaitsApproval bool              `json:"awaits_approval"` // the guard holds a pull back
	SlotsSince     *time.Time        `json:"slots_since"`     // when the slots were pulled that are the oldest; nil: there are no options
	SlotsLate      bool              `json:"slots_late"`
	// CertificateUntil is when the certificate ends soon, or has ended; nil: neither.
	CertificateUntil *time.Time `json:"certificate_until"`
	CertificateEnded *string    `json:"certificate_ended"` // why it has ended: breach, expired or address_changed; nil: it has not
}

// CertificateSoon is how long before its end a certificate needs an operator.
const CertificateSoon = 7 * 24 * time.Hour

// SlotsLateAfter is how old an option's slots are at the most while all is well: they are
// pulled every night, which may take two hours.
const SlotsLateAfter = 26 * time.Hour
