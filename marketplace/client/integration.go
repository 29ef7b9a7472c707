package client

import (
	"encoding/json"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Integration is the connection of a partner's platform to the marketplace.
type Integration struct {
	ID                    string              `json:"integration_id"`
	Name                  string              `json:"name"`
	Mode                  string              `json:"mode"` // live or test
	BaseURL               string              `json:"base_url"`
	AuthType              partnerapi.AuthType `json:"auth_type"`
	ClientCertificate     *ClientCertificate  `json:"client_certificate"` // nil: the platform requires none
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
	InRegistry            bool                `json:"in_registry"`                               // it is in the public registry while it has a valid certificate
	PreviousSecretUntil   time.Time           `json:"previous_webhook_secret_until" wire:"null"` // until when the previous webhook secret is accepted; zero: it is not
	CreatedAt             time.Time           `json:"created_at"`
	LastSyncAt            time.Time           `json:"last_sync_at" wire:"null"` // when the stored catalog was requested; zero: never
	Health                Health              `json:"health"`
	LastSync              *Sync               `json:"last_sync"`       // nil: no sync yet
	Syncing               *RunningSync        `json:"syncing"`         // nil: no sync runs
	AwaitsApproval        bool                `json:"awaits_approval"` // by Operator.ApproveSync
	Slots                 Slots               `json:"slots"`
	Calls                 []HourOfCalls       `json:"calls"`         // of the last 24 hours, oldest first; hours without calls are left out
	Breaches              []Breach            `json:"breaches"`      // newest first
	Certification         *Certification      `json:"certification"` // nil: the marketplace does not show it
	Admission             Admission           `json:"admission"`
}

// RunningSync is a sync that has not ended yet.
type RunningSync struct {
	Mode      SyncMode  `json:"mode"`
	Cause     string    `json:"cause"` // as of a Sync
	StartedAt time.Time `json:"started_at"`
}

// Slots says for how many of an integration's options slots are loaded.
type Slots struct {
	Options      int            `json:"options"`                    // in the partner's catalog
	Pulled       int            `json:"pulled"`                     // options whose slots have been pulled
	OldestPullAt time.Time      `json:"oldest_pull_at" wire:"null"` // zero: no pull yet
	SetAside     []SlotSetAside `json:"set_aside"`                  // the first few
}

// SlotSetAside is a slot that is invalid and not sold.
type SlotSetAside struct {
	ProductID      string    `json:"product_id"`
	OptionID       string    `json:"option_id"`
	AvailabilityID string    `json:"availability_id"` // "": the slot has no readable id
	Problems       []Problem `json:"problems"`
}

// Certification says whether an integration has a certificate.
type Certification struct {
	State           string          `json:"state"`              // none, certified, failed or expired
	RunID           string          `json:"run_id" wire:"null"` // the run that the state is based on; empty: no run
	ContractVersion string          `json:"contract_version" wire:"null"`
	SuiteVersion    string          `json:"suite_version" wire:"null"`
	ValidUntil      time.Time       `json:"valid_until" wire:"null"` // zero: never certified
	Ended           *CertificateEnd `json:"ended"`                   // nil: the certificate is valid, or there was none
	Withheld        bool            `json:"withheld"`                // the activities are not listed until there is a valid certificate
}

// CertificateEnd says when and why a certificate ended.
type CertificateEnd struct {
	Reason string    `json:"reason"`             // breach, expired or settings_changed
	At     time.Time `json:"at" wire:"null"`     // zero: not recorded, where a setting changed
	RunID  string    `json:"run_id" wire:"null"` // the run that found the breach; empty for other reasons
}

// Admission says under which conditions an integration's activities are listed.
type Admission struct {
	Policy           string    `json:"certification"`                    // in force: off, advise or require
	Own              string    `json:"certification_own" wire:"null"`    // set for this integration; empty: the marketplace's
	EndedOwn         string    `json:"certification_ended" wire:"null"`  // set for it until its settings changed, and not decided since; empty: none
	GoLive           string    `json:"go_live"`                          // none, requested, approved, declined or ended
	ApprovalRequired bool      `json:"approval_required"`                // not listed until an operator has approved it
	RequestedAt      time.Time `json:"go_live_requested_at" wire:"null"` // zero: not requested
	DecidedAt        time.Time `json:"go_live_decided_at" wire:"null"`   // or when the approval ended; zero: no decision
	Reason           string    `json:"go_live_reason" wire:"null"`       // of the decision or the end
}

// IntegrationEvents are events of an integration.
type IntegrationEvents struct {
	Events     []IntegrationEvent `json:"events"`
	NextCursor string             `json:"next_cursor"` // for the events after these
}

// IntegrationEvent is something that changed an integration's certificate or its admission.
type IntegrationEvent struct {
	ID   int64     `json:"id"` // increases with each event
	At   time.Time `json:"at"`
	Type string    `json:"type"` // such as certificate.issued or go_live.approved
	Data struct {
		RunID      string    `json:"run_id"`
		ValidUntil time.Time `json:"valid_until"`
		Reason     string    `json:"reason"`
		Settings   []string  `json:"settings"` // that were changed
	} `json:"data"` // what the type needs
}

// Call is a call to a partner.
type Call struct {
	At         time.Time           `json:"at"`
	Endpoint   partnerapi.Endpoint `json:"endpoint"`
	Status     int                 `json:"status" wire:"null"` // 0: no answer
	DurationMS int                 `json:"duration_ms"`
	Outcome    string              `json:"outcome"`           // ok, refused (as the contract allows) or failed
	Error      string              `json:"error" wire:"null"` // "": the call succeeded
}

// ReceivedWebhook is a webhook that a partner's platform sent.
type ReceivedWebhook struct {
	At         time.Time `json:"at"`
	Webhook    string    `json:"webhook"` // sync_trigger or availability_notify
	Status     int       `json:"status"`  // of the answer
	DurationMS int       `json:"duration_ms"`
	Reason     string    `json:"reason" wire:"null"` // why it was refused; "": it was accepted
}

// PartnerBooking is a booking as its partner sees it: with the partner's codes, and without the guest, the
// reseller and the marketplace's prices.
type PartnerBooking struct {
	ID                  string        `json:"booking_id"` // resellerReference in calls to the partner
	Status              BookingStatus `json:"status"`
	ReleaseReason       ReleaseReason `json:"release_reason" wire:"null"`
	ProductID           string        `json:"product_id"`
	OptionID            string        `json:"option_id"`
	AvailabilityID      string        `json:"availability_id"`
	Start               time.Time     `json:"start" wire:"offset"` // in the product's zone
	End                 time.Time     `json:"end" wire:"offset"`
	Units               []PartnerUnit `json:"units"`
	ReservationCode     string        `json:"reservation_code"`
	ExternalBookingID   string        `json:"external_booking_id" wire:"null"`
	CreatedAt           time.Time     `json:"created_at"`
	ExpiresAt           time.Time     `json:"expires_at" wire:"null"` // zero: no hold
	PartnerRelease      Delivery      `json:"partner_release" wire:"null"`
	PartnerCancellation Delivery      `json:"partner_cancellation" wire:"null"`
}

// ClientCertificate is the certificate with which the marketplace identifies itself to a platform.
type ClientCertificate struct {
	Fingerprint string    `json:"fingerprint"` // SHA-256, in hexadecimal digits
	ExpiresAt   time.Time `json:"expires_at"`
}

// HourOfCalls counts the calls to a partner in an hour.
type HourOfCalls struct {
	Hour    time.Time `json:"hour"` // its beginning
	OK      int       `json:"ok"`
	Refused int       `json:"refused"` // as the contract allows, such as a reserve of a slot that has sold out
	Failed  int       `json:"failed"`
}

// Health is the condition of a partner, judged by the calls to it.
type Health struct {
	State               partnerapi.Health `json:"state"`
	FailureCount        int               `json:"failure_count"`          // in total
	ConsecutiveFailures int               `json:"consecutive_failures"`   // only failures that concern the whole platform
	LastOKAt            time.Time         `json:"last_ok_at" wire:"null"` // accurate to about a minute; zero: never
	Changes             []HealthChange    `json:"changes"`                // newest first
}

// HealthChange is a change of a partner's condition.
type HealthChange struct {
	At     time.Time         `json:"at"`
	State  partnerapi.Health `json:"state"` // the new state
	Reason string            `json:"reason"`
}

// Sync is the result of one pull of a partner's catalog.
type Sync struct {
	Mode        SyncMode   `json:"mode"`
	Cause       string     `json:"cause"` // trigger (the partner's webhook), operator, schedule, or notify (a webhook named an unknown slot)
	StartedAt   time.Time  `json:"started_at"`
	FinishedAt  time.Time  `json:"finished_at"`
	Synced      int        `json:"synced"`             // products that were stored
	Skipped     bool       `json:"skipped"`            // the catalog equals the one of the last full pull, so nothing was written
	Failed      bool       `json:"failed"`             // nothing was written
	Reason      string     `json:"reason" wire:"null"` // why it was skipped or failed; otherwise ""
	Created     int        `json:"created"`            // activities
	Updated     int        `json:"updated"`
	Deactivated int        `json:"deactivated"`
	SetAside    []SetAside `json:"set_aside"` // products that are not stored
	Guard       *Guard     `json:"guard"`     // nil: the guard held nothing
}

// SetAside is a product that is invalid and not sold.
type SetAside struct {
	ProductID string    `json:"product_id"` // "": the product has no readable id
	Problems  []Problem `json:"problems"`
}

// Guard is a sync that would deactivate so many activities that an operator must approve it.
type Guard struct {
	WouldDeactivate int `json:"would_deactivate"`
	Of              int `json:"of"` // active activities
}

// SyncMode says what a sync requests.
type SyncMode string

// The two modes.
const (
	Full        SyncMode = "full"        // all products: missing ones are removed
	Incremental SyncMode = "incremental" // products that changed since the last pull
)

// Problem is an invalid place in a partner's answer.
type Problem struct {
	Pointer string `json:"pointer"` // a JSON pointer
	Message string `json:"message"` // what was expected and what was received
}

// Breach is a breach of the partner contract: a rule that the partner's answers break, or an answer
// about a booking that broke the contract and was used.
type Breach struct {
	At        time.Time       `json:"at"`         // the last time
	Since     time.Time       `json:"since"`      // the first time
	Count     int             `json:"count"`      // how often since then
	BookingID string          `json:"booking_id"` // empty: it is not about one booking
	Endpoint  string          `json:"endpoint"`   // products, availability, reserve, confirm, release or cancel
	Message   string          `json:"message"`    // what is wrong, with its place
	Rule      string          `json:"rule"`       // empty: it was noted while the answer was used
	Title     string          `json:"title"`
	Clause    string          `json:"clause"`
	Level     string          `json:"level"` // MUST or SHOULD
	Fix       string          `json:"fix"`
	Exchanges json.RawMessage `json:"exchanges"` // of one integration: the most recent calls, as in report.json
}

// PartnerUnit is a number of guests of one unit in a PartnerBooking.
type PartnerUnit struct {
	UnitID   string `json:"unit_id"`
	Quantity int    `json:"quantity"`
}
