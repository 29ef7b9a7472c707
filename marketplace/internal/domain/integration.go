package domain

import (
	"net/url"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

// Integration is a partner's platform as registered.
type Integration struct {
	ID                uuid.UUID
	AccountID         uuid.UUID
	Name              string
	Mode              Mode     // never changes
	BaseURL           *url.URL // http or https; the endpoints are below it
	AuthType          partnerapi.AuthType
	AuthKey           []byte // encrypted for the integration's id
	ClientIdentity    []byte // the client certificate and its private key, encrypted like AuthKey; empty: none
	ClientCertificate *ClientCertificate
	WebhookSecretHash []byte // SHA-256
	// PreviousWebhookSecretHash is the hash of the secret before the last rotation. It is accepted
	// until PreviousWebhookSecretUntil. Both are zero if no earlier secret is accepted.
	PreviousWebhookSecretHash  []byte
	PreviousWebhookSecretUntil time.Time
	HandlesTicketDelivery      bool
	CreatedAt                  time.Time
	DeletedAt                  time.Time // zero: live
	LastSyncAt                 time.Time // when the last stored pull was sent; zero before the first
}

// ClientCertificate is what is shown of the certificate with which the marketplace identifies itself to
// a partner.
type ClientCertificate struct {
	Fingerprint string    `json:"fingerprint"` // SHA-256, in hexadecimal digits
	ExpiresAt   time.Time `json:"expires_at"`
}

// Origin returns the scheme, host and port that the integration's key was given for. The key is sent
// nowhere else: a caller who can change the address must not receive it.
func (i Integration) Origin() string { return i.BaseURL.Scheme + "://" + i.BaseURL.Host }

// MoveTo returns the integration with another base URL. The error is Unprocessable if the URL has
// another origin and no key is given for it.
func (i Integration) MoveTo(base *url.URL, keyGiven bool) (Integration, error) {
	moved := i
	moved.BaseURL = base
	if origin := i.Origin(); !keyGiven && moved.Origin() != origin {
		return i, &Error{
			Code: Unprocessable, Reason: KeyRequired, Message: "the key is required for another origin; send auth_key in the same request",
			Details: []string{"auth_key: required, because base_url has another scheme, host or port than the stored key was given for (" + origin + ")"},
		}
	}
	return moved, nil
}

// JudgedSettings are the settings of an integration that a conformance run and an operator judge. A
// certificate, an approval to go live and an integration's own policy hold for these alone.
type JudgedSettings struct {
	BaseURL               string              `json:"base_url"`
	AuthType              partnerapi.AuthType `json:"auth_type"`
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
}

// JudgedSettings returns the integration's settings that are judged.
func (i Integration) JudgedSettings() JudgedSettings {
	return JudgedSettings{i.BaseURL.String(), i.AuthType, i.HandlesTicketDelivery}
}

// Overview is what needs attention now.
type Overview struct {
	Bookings        int                  `json:"bookings_needing_attention"`
	BookingsSince   *time.Time           `json:"bookings_needing_attention_since"` // of the booking that has waited longest; nil: no booking waits
	Causes          List[AttentionCause] `json:"attention_causes"`                 // why bookings need attention: the first ones, the next to depart first
	Integrations    int                  `json:"integrations"`                     // the number of live ones
	IntegrationsDue List[Due]            `json:"integrations_needing_attention"`   // the first ones

	OldestSync  *Dated            `json:"oldest_sync"`  // the integration with the oldest last sync, also if skipped; nil: none was synced
	OldestSlots *Dated            `json:"oldest_slots"` // the integration whose slots were completely loaded longest ago; nil: none was
	Recent      List[RecentEvent] `json:"recent"`       // the last events, newest first

	JudgingPaused List[JudgingPause] `json:"judging_paused"` // longest first

	RatesMissing List[MissingRate] `json:"rates_missing"`
	RatesOf      *string           `json:"rates_as_of"`   // YYYY-MM-DD, of the newest file; nil: none was imported
	RatesOld     bool              `json:"rates_old"`     // RatesOf is older than the maximum age
	RatesKept    List[KeptRate]    `json:"rates_kept"`    // of currencies that the newest file lacks
	RatesRefused string            `json:"rates_refused"` // why the last published file was refused; "": it was not

	Days     List[SalesDay]     `json:"days"`     // the last SalesDays, oldest first
	Partners List[PartnerSales] `json:"partners"` // with bookings on these days, most bookings first
}

// AttentionCause is the live bookings that need attention for one reason at one partner.
type AttentionCause struct {
	Integration     uuid.UUID           `json:"integration_id"`
	IntegrationName string              `json:"integration_name"`
	Reason          AttentionReason     `json:"reason"`
	Message         string              `json:"message"` // the most frequent one; "": none
	Bookings        int                 `json:"bookings"`
	Since           time.Time           `json:"since"`       // of the one that has waited longest
	FirstStart      *time.Time          `json:"first_start"` // of those whose slot has not begun; nil: all have
	Totals          map[Currency]Number `json:"totals"`      // what the guests paid or will pay, by currency
}

// Dated is an integration with the time of something that happened to it.
type Dated struct {
	ID   uuid.UUID `json:"integration_id"`
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

// JudgingPause is an integration whose calls are not judged for a while, because the judge stopped while it
// judged them.
type JudgingPause struct {
	ID    uuid.UUID `json:"integration_id"`
	Name  string    `json:"name"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// RecentEvent is something that happened to an integration or its bookings.
type RecentEvent struct {
	At              time.Time  `json:"at"`
	Kind            RecentKind `json:"kind"`
	Integration     uuid.UUID  `json:"integration_id"`
	IntegrationName string     `json:"integration_name"`
	Booking         *uuid.UUID `json:"booking_id"` // nil: the event is about the integration
	Run             *uuid.UUID `json:"run_id"`     // nil: it is not about a conformance run
	Says            string     `json:"says"`       // a state, reason or verdict
}

// RecentKind is what happened.
type RecentKind string

// The kinds. Says is the new state, why the sync failed, how much the guard holds, the reason of the
// attention (twice), and the verdict.
const (
	HealthChanged     RecentKind = "health_changed"
	SyncFailed        RecentKind = "sync_failed"
	SyncHeld          RecentKind = "sync_held"
	AttentionNeeded   RecentKind = "attention_needed"
	AttentionResolved RecentKind = "attention_resolved"
	RunEnded          RecentKind = "run_ended"
)

// SalesDays is how many days the overview shows.
const SalesDays = 14

// SalesDay counts the live bookings made on a day, by their present state.
type SalesDay struct {
	Day       string              `json:"day"`      // YYYY-MM-DD, UTC
	Bookings  int                 `json:"bookings"` // with a hold of the partner
	Confirmed int                 `json:"confirmed"`
	Cancelled int                 `json:"cancelled"`
	Revenue   map[Currency]Number `json:"revenue"` // of the confirmed bookings, by currency
}

// PartnerSales counts an integration's live bookings of the last SalesDays and their confirm calls.
type PartnerSales struct {
	ID        uuid.UUID           `json:"integration_id"`
	Name      string              `json:"name"`
	Bookings  int                 `json:"bookings"`
	Confirmed int                 `json:"confirmed"`
	Cancelled int                 `json:"cancelled"`
	Revenue   map[Currency]Number `json:"revenue"`
	Answered  int                 `json:"confirms_answered"` // with 2xx
	Refused   int                 `json:"confirms_refused"`  // with 4xx
	Failed    int                 `json:"confirms_failed"`   // any other answer, or no answer
	MedianMS  *int                `json:"confirm_median_ms"` // of the last day with an answered confirm; nil: no answered confirm
}

// MissingRate is a pair of currencies that prices need and that has no exchange rate.
type MissingRate struct {
	Currency   Currency `json:"currency"` // of the prices
	Base       Currency `json:"base"`
	Activities int      `json:"activities"` // with such a price
}

// Due is an integration that needs attention.
type Due struct {
	ID             uuid.UUID         `json:"integration_id"`
	Name           string            `json:"name"`
	Health         partnerapi.Health `json:"health"`
	HealthSince    *time.Time        `json:"health_since"`    // nil: never changed
	LastSyncAt     *time.Time        `json:"last_sync_at"`    // nil: never synced
	AwaitsApproval bool              `json:"awaits_approval"` // the guard holds a pull
	SlotsSince     *time.Time        `json:"slots_since"`     // when the oldest slots were pulled; nil: no options
	SlotsLate      bool              `json:"slots_late"`
	// CertificateUntil is when the certificate ended or will end soon; nil: neither.
	CertificateUntil *time.Time `json:"certificate_until"`
	CertificateEnded *string    `json:"certificate_ended"` // breach, expired or settings_changed; nil: it has not ended
	// GoLiveRequested is since when the partner waits for the approval to go live; nil: it does not.
	GoLiveRequested *time.Time `json:"go_live_requested_at"`
	// AdmissionEnded says what a change of its settings has ended, and no operator has decided since:
	// the approval to go live (go_live), its own certification policy (certification).
	AdmissionEnded List[string] `json:"admission_ended"`
}

// CertificateSoon is how long before its end a certificate needs attention.
const CertificateSoon = 7 * 24 * time.Hour

// SlotsLateAfter is the normal maximum age of an option's slots: they are pulled every night, which
// may take two hours.
const SlotsLateAfter = 26 * time.Hour
