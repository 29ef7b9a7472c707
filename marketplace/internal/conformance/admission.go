package conformance

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Policy says what a certificate is needed for.
type Policy string

// The policies.
const (
	Off     Policy = "off"     // certificates are not shown
	Advise  Policy = "advise"  // they are shown
	Require Policy = "require" // also, activities of live integrations are listed only with one
)

// Policies lists all policies.
func Policies() []Policy { return []Policy{Off, Advise, Require} }

// Rules are the service's settings for live integrations.
type Rules struct {
	Default  Policy // of integrations without their own
	Approval bool   // an operator must approve an integration before its activities are listed
}

// GoLive is the progress of a partner's request to go live.
type GoLive string

// The states of a request.
const (
	NotRequested GoLive = "none"
	Requested    GoLive = "requested"
	Approved     GoLive = "approved"
	Declined     GoLive = "declined" // the partner may ask again
	Ended        GoLive = "ended"    // it was approved, and its settings changed since; the partner may ask again
)

// Admission says which conditions an integration must meet to be listed.
type Admission struct {
	Policy      Policy     `json:"certification"`        // in force
	Own         *Policy    `json:"certification_own"`    // set for this integration; nil: the service's
	EndedOwn    *Policy    `json:"certification_ended"`  // its own until its settings changed, and not decided since; nil: none
	GoLive      GoLive     `json:"go_live"`              // of the partner's request
	Approval    bool       `json:"approval_required"`    // not listed until an operator has approved it
	RequestedAt *time.Time `json:"go_live_requested_at"` // nil: not requested
	DecidedAt   *time.Time `json:"go_live_decided_at"`   // or the approval ended; nil: neither
	Reason      *string    `json:"go_live_reason"`       // of the decision or the end; nil: none was given
}

// Event is an event for an integration's partner.
type Event struct {
	ID   int64          `json:"id"` // increases with each event
	At   time.Time      `json:"at"`
	Type EventType      `json:"type"`
	Data map[string]any `json:"data"`
}

// EventType is a kind of event.
type EventType string

// The kinds of events.
const (
	CertificateIssued EventType = "certificate.issued"  // run_id, valid_until
	CertificateEnded  EventType = "certificate.ended"   // reason; run_id of the run that found a breach, or settings
	WentLive          EventType = "go_live.approved"    // reason
	GoLiveDeclined    EventType = "go_live.declined"    // reason
	ApprovalEnded     EventType = "go_live.ended"       // reason, settings: the approval ended because they changed
	PolicyEnded       EventType = "certification.ended" // reason, settings: so did the integration's own policy
)

// Judged is the outcome of a rule in a run.
type Judged struct {
	Rule     string `json:"id"`
	Endpoint string `json:"endpoint"`
	Outcome  string `json:"outcome"`
}

// isDecided reports whether the outcome says whether the partner keeps the rule.
func (j Judged) isDecided() bool {
	switch j.Outcome {
	case "passed", "failed", "warned", "not_applicable":
		return true
	}
	return false
}

// Matrix shows which partners breach which rules.
type Matrix struct {
	Endpoints []string               `json:"endpoints"` // the columns
	Days      []string               `json:"days"`      // YYYY-MM-DD in UTC, oldest first
	Partners  domain.List[MatrixRow] `json:"partners"`
	Truncated bool                   `json:"truncated"` // more partners match than are listed
}

// MatrixRow is a partner's row.
type MatrixRow struct {
	ID           uuid.UUID    `json:"integration_id"`
	Name         string       `json:"name"`
	Mode         domain.Mode  `json:"mode"`
	State        Standing     `json:"state"`
	ValidUntil   *time.Time   `json:"valid_until"` // nil: there was no certificate
	Withheld     bool         `json:"withheld"`
	Admission    Admission    `json:"admission"`
	FailingSince *time.Time   `json:"failing_since"` // of the oldest failed rule; nil: no rule fails
	JudgedAt     *time.Time   `json:"judged_at"`     // the end of the last run with a verdict; nil: no run
	Cells        []MatrixCell `json:"cells"`         // one for each endpoint
	Days         []string     `json:"days"`          // one for each day: conformant, nonconformant, partial, incomplete, failed, or "" without a run
}

// MatrixCell is the state of a partner's endpoint.
type MatrixCell struct {
	JudgedAt *time.Time                `json:"judged_at"` // nil: never judged
	Breaches domain.List[MatrixBreach] `json:"breaches"`  // the longest first
}

// MatrixBreach is a rule that a partner breaches.
type MatrixBreach struct {
	Rule    string    `json:"rule"`
	Outcome string    `json:"outcome"` // failed or warned
	Since   time.Time `json:"since"`
	Run     uuid.UUID `json:"run_id"` // the last run that found it
}

// MatrixFilter selects partners. Zero values select all.
type MatrixFilter struct {
	Mode     domain.Mode
	State    Standing
	Policy   Policy
	GoLive   GoLive
	Endpoint string // with a failed rule of the endpoint
	Failing  bool   // with a failed rule
	Words    string // in the name or the address
}
