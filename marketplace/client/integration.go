package client

import (
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
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
	PreviousSecretUntil   time.Time           `json:"previous_webhook_secret_until"` // until when the webhook secret before a rotation is accepted; zero: it is not
	CreatedAt             time.Time           `json:"created_at"`
	LastSyncAt            time.Time           `json:"last_sync_at"` // when the last catalog that was stored had been asked for; zero: never
	Health                Health              `json:"health"`
	LastSync              *Sync               `json:"last_sync"`       // nil: there was none
	AwaitsApproval        bool                `json:"awaits_approval"` // by Operator.ApproveSync
	Slots                 SlotsKnown          `json:"slots"`
	Breaches              []Breach            `json:"breaches"` // the newest first
	Certification         *struct {
		State           string    `json:"state"`  // none, certified, failed or expired
		RunID           string    `json:"run_id"` // that the state rests on; empty: there is no such run
		ContractVersion string    `json:"contract_version"`
		SuiteVersion    string    `json:"suite_version"`
		ValidUntil      time.Time `json:"valid_until"` // zero: there was no certificate
		Ended           *struct {
			Reason string    `json:"reason"` // breach, expired or address_changed
			At     time.Time `json:"at"`     // zero: not recorded, where the address changed
			RunID  string    `json:"run_id"` // the run that found the breach; empty for other reasons
		} `json:"ended"` // nil: the certificate is valid, or there was none
		Withheld bool `json:"withheld"` // the activities are not listed until there is a valid certificate
	} `json:"certification"` // nil: the marketplace does not show it
}

// Health is how a partner fares, by what came of the calls to it.
type Health struct {
	State               partnerapi.Health `json:"state"`
	FailureCount        int               `json:"failure_count"`        // in all
	ConsecutiveFailures int               `json:"consecutive_failures"` // of those that speak of the whole platform
	LastOKAt            time.Time         `json:"last_ok_at"`           // to a minute or so; zero: never
	Changes             []HealthChange    `json:"changes"`              // the newest first
}

// HealthChange is a change of a partner's state.
type HealthChange struct {
	At     time.Time         `json:"at"`
	State  partnerapi.Health `json:"state"` // from then on
	Reason string            `json:"reason"`
}

// Sync is what came of one pull of a partner's catalog.
type Sync struct {
	Mode        SyncMode     `json:"mode"`
	Cause       string       `json:"cause"` // trigger (the partner's webhook), operator, schedule, or notify (news of an unknown slot)
	StartedAt   time.Time    `json:"started_at"`
	FinishedAt  time.Time    `json:"finished_at"`
	Synced      int          `json:"synced"`  // products of the answer that are stored
	Skipped     bool         `json:"skipped"` // the catalog is that of the full pull before, and nothing of it was written
	Failed      bool         `json:"failed"`  // nothing was written
	Reason      string       `json:"reason"`  // why it was skipped, or failed; else ""
	Created     int          `json:"created"` // activities
	Updated     int          `json:"updated"`
	Deactivated int          `json:"deactivated"`
	SetAside    []SetProduct `json:"set_aside"` // products that are not stored
	Guard       *Guard       `json:"guard"`     // nil: the guard held nothing back
}

// SyncMode says what a pull asks for.
type SyncMode string

// The two modes.
const (
	Full        SyncMode = "full"        // everything: what is missing is gone
	Incremental SyncMode = "incremental" // what has changed since the last pull
)

// Guard describes a held sync: it would have removed too much of the catalog. It is
// applied when the partner answers the same again, or with Operator.ApproveSync.
type Guard struct {
	WouldDeactivate int `json:"would_deactivate"`
	Of              int `json:"of"` // active activities
}

// SetProduct is a product that was set aside.
type SetProduct struct {
	ProductID string    `json:"product_id"` // "": it has none that can be read
	Problems  []Problem `json:"problems"`
}

// Problem is a place of a partner's answer that is wrong.
type Problem struct {
	Pointer string `json:"pointer"` // a JSON pointer
	Message string `json:"message"` // what is wanted there, and what was got
}

// SlotsKnown is how far the slots of a partner's options are known.
type SlotsKnown struct {
	Options      int       `json:"options"`        // in the partner's catalog
	Pulled       int       `json:"pulled"`         // those whose slots have been pulled
	OldestPullAt time.Time `json:"oldest_pull_at"` // zero: none was
	SetAside     []SetSlot `json:"set_aside"`      // the first few
}

// SetSlot is a slot that was set aside.
type SetSlot struct {
	ProductID      string    `json:"product_id"`
	OptionID       string    `json:"option_id"`
	AvailabilityID string    `json:"availability_id"` // "": it has none that can be read
	Problems       []Problem `json:"problems"`
}

// Breach is an answer to a booking call that broke the contract, but was still
// used.
type Breach struct {
	At        time.Time `json:"at"`
	BookingID string    `json:"booking_id"`
	Endpoint  string    `json:"endpoint"` // confirm, release or cancel
	Message   string    `json:"message"`  // what is wrong, with its place
}
