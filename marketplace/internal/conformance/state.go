package conformance

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Standing is an integration's certification state.
type Standing string

// The standings.
const (
	NeverCertified Standing = "none"      // no full run has reached a verdict
	Certified      Standing = "certified" // the certificate is valid
	NotConformant  Standing = "failed"    // the last full run found a breach, and there was no certificate
	Expired        Standing = "expired"   // the last certificate has ended; Ending says why
)

// EndReason says why a certificate ended.
type EndReason string

// The reasons.
const (
	EndedByBreach   EndReason = "breach"           // a later run found a breach
	EndedByTime     EndReason = "expired"          // its validity period has passed
	EndedBySettings EndReason = "settings_changed" // a setting is not the one that was tested
)

// ErrOtherSettings is returned for a decision about settings that are no longer in force.
var ErrOtherSettings = &domain.Error{Code: domain.Conflict, Message: "the integration's settings are not the ones that you looked at; read it and decide again"}

// Ending says when and why the last certificate of an integration ended.
type Ending struct {
	Reason EndReason  `json:"reason"`
	At     *time.Time `json:"at"`     // nil: a setting changed, at a time that is not recorded
	Run    *uuid.UUID `json:"run_id"` // the run that found the breach; nil for other reasons
}

// Certification is an integration's certification state with its basis.
type Certification struct {
	State           Standing   `json:"state"`
	Run             *uuid.UUID `json:"run_id"` // nil: no run
	ContractVersion *string    `json:"contract_version"`
	SuiteVersion    *string    `json:"suite_version"`
	ValidUntil      *time.Time `json:"valid_until"` // nil: there was no certificate
	Ended           *Ending    `json:"ended"`       // nil: the certificate is valid, or there was none
	Withheld        bool       `json:"withheld"`    // not listed, because a required certificate is missing
}
