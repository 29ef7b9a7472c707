package certification

import (
	"time"

	"github.com/google/uuid"
)

// Standing is whether an integration's partner was found conformant.
type Standing string

// The standings.
const (
	NeverCertified Standing = "none"      // no full run has reached a verdict
	Certified      Standing = "certified" // there is a valid certificate
	NotConformant  Standing = "failed"    // the last full run found a breach, and none certified before
	Expired        Standing = "expired"   // the last certificate has ended; Ending says why
)

// EndReason says why a certificate ended.
type EndReason string

// The reasons.
const (
	EndedByBreach  EndReason = "breach"          // a later run found a breach
	EndedByTime    EndReason = "expired"         // its validity period has passed
	EndedByAddress EndReason = "address_changed" // base_url is not the one that was tested
)

// Ending says when and why the last certificate of an integration ended.
type Ending struct {
	Reason EndReason  `json:"reason"`
	At     *time.Time `json:"at"`     // nil: base_url changed, at a time that is not recorded
	Run    *uuid.UUID `json:"run_id"` // the run that found the breach; nil for other reasons
}

// Certification is an integration's standing and what it rests on.
type Certification struct {
	State           Standing   `json:"state"`
	Run             *uuid.UUID `json:"run_id"` // nil: no run
	ContractVersion *string    `json:"contract_version"`
	SuiteVersion    *string    `json:"suite_version"`
	ValidUntil      *time.Time `json:"valid_until"` // nil: there was no certificate
	Ended           *Ending    `json:"ended"`       // nil: the certificate is valid, or there was none
	Withheld        bool       `json:"withheld"`    // its activities are not listed for want of a certificate
}
