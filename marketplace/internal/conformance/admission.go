package conformance

import (
	"time"

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
	JudgingPaused     EventType = "judging.paused"      // until; for operators only
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
