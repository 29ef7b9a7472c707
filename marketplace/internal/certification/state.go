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
	Expired        Standing = "expired"   // a certificate's time is over, a breach ended it, or the address is another one
)

// Certification is an integration's standing and what it rests on.
type Certification struct {
	State           Standing   `json:"state"`
	Run             *uuid.UUID `json:"run_id"` // nil: no run
	ContractVersion *string    `json:"contract_version"`
	SuiteVersion    *string    `json:"suite_version"`
	ValidUntil      *time.Time `json:"valid_until"` // nil: there was no certificate
	Withheld        bool       `json:"withheld"`    // its activities are not listed for want of a certificate
}
