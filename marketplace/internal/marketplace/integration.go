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
	CertificateEnded bool       `json:"certificate_ended"` // it is over, or a later run found a breach, or it is for another address
}

// CertificateSoon is how long before its end a certificate needs an operator.
const CertificateSoon = 7 * 24 * time.Hour

// SlotsLateAfter is how old an option's slots are at the most while all is well: they are
// pulled every night, which may take two hours.
const SlotsLateAfter = 26 * time.Hour
