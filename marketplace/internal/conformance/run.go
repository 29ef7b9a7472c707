package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Scope says which calls a run makes at the partner.
type Scope string

// The scopes.
const (
	Full     Scope = "full"      // makes holds and bookings, and undoes them
	ReadOnly Scope = "read_only" // reads the catalog and availability
)

// State is the progress of a run.
type State string

// The states.
const (
	Queued   State = "queued"
	Running  State = "running"
	Finished State = "finished" // with a verdict
	Failed   State = "failed"   // the command failed or was stopped, so nothing is known about the partner
)

// HasEnded reports whether a run in that state has ended.
func (s State) HasEnded() bool { return s == Finished || s == Failed }

// Run is one run of the command for an integration.
type Run struct {
	ID          uuid.UUID
	Integration uuid.UUID
	Scope       Scope
	Rules       domain.List[string] // the ids of the rules to judge; empty: all
	State       State
	CreatedAt   time.Time
	StartedAt   time.Time // zero: not started
	FinishedAt  time.Time // zero: not finished
	Cleanups    int       // how many cleanups were tried after its replica crashed
	Result
}

// The verdicts that affect certificates.
const (
	conformantVerdict    = "conformant"
	nonconformantVerdict = "nonconformant"
)

// Result is the part of a run's report that is shown first.
type Result struct {
	Verdict         string // "": no verdict
	Reason          string // why the run failed, or why its verdict is incomplete or partial
	SuiteVersion    string
	ContractVersion string
	Counts          map[string]int       // of the rules, by outcome
	Findings        domain.List[Finding] // in the order in which they are best fixed
	NotUndone       domain.List[Leftover]
}

// Outcome is everything that is stored when a run ends.
type Outcome struct {
	State State
	Result
	Judged      []Judged // the rules whose outcome is known
	Reports     []Report
	Certificate *Certificate // nil: no certificate is issued
}

// Finding is a rule that the partner breaches.
type Finding struct {
	Rule     string `json:"rule"`
	Title    string `json:"title"`
	Endpoint string `json:"endpoint"`
	Level    string `json:"level"`
	Clause   string `json:"clause"`
	Outcome  string `json:"outcome"` // failed or warned
	Message  string `json:"message"`
	Fix      string `json:"fix"`
}

// Leftover is a hold or booking that a run could not undo.
type Leftover struct {
	Kind      string `json:"kind"` // hold or booking
	Code      string `json:"code"` // "": no answer
	Start     string `json:"start"`
	Reason    string `json:"reason"`
	ExpiresAt string `json:"expires_at"` // when a hold expires; "": unknown
}

// Report is a report file of a run.
type Report struct {
	Name string
	Gzip []byte // the compressed content
}

// ReportNames lists the reports that are stored.
func ReportNames() []string { return []string{reportJSON, "report.html", "junit.xml"} }

const reportJSON = "report.json"

// Kind is a kind of a run's output.
type Kind string

// The kinds.
const (
	Progress Kind = "progress" // JSON objects, one for each judged rule
	Ledger   Kind = "ledger"
)

// Part is a piece of a running command's output.
type Part struct {
	Kind   Kind
	Number int // starts at 1 in each kind
	Body   []byte
}

// Lease is a replica's claim to a run. It expires unless it is extended.
type Lease struct {
	Run    uuid.UUID
	Holder uuid.UUID // a random id for each claim
	Time   time.Duration
}

// Effect is the effect of a run's outcome on the integration's certificate.
type Effect struct{ Issued, Ended bool }

// SettingsChanged is the reason of a conformant run that issues no certificate.
const SettingsChanged = "the integration's settings changed during the run, so it issues no certificate; start another run"

// Store stores runs. Methods with a lease return NotFound if the lease no longer holds the run.
type Store interface {
	// Create stores a queued run and its job. The error is an *UnderWay if the integration has a
	// queued or running one. It is Conflict if the account has most other runs; 0 means no limit.
	Create(ctx context.Context, r Run, most int) error
	// Begin starts a queued run, or returns NotFound if it is not queued.
	Begin(ctx context.Context, l Lease) (Run, error)
	// TakeOver claims a running run whose lease has expired, or returns NotFound.
	TakeOver(ctx context.Context, l Lease) (Run, error)
	// Extend stores output and extends the lease.
	Extend(ctx context.Context, l Lease, parts []Part) error
	// Parts returns a run's output of a kind after that number.
	Parts(ctx context.Context, run uuid.UUID, kind Kind, after int) ([]Part, error)
	// Requeue resets a run to queued and deletes its output.
	Requeue(ctx context.Context, l Lease) error
	// Finish stores a run's outcome. Its ledger is kept only if something was not undone. A
	// nonconformant run ends the integration's certificate. The certificate of a run whose
	// integration has other settings by now is not stored.
	Finish(ctx context.Context, l Lease, o Outcome) (Effect, error)
	// Recover inserts jobs for runs that crashed replicas abandoned, and for runs whose job was
	// lost.
	Recover(ctx context.Context) error
	// Withhold updates which activities are listed after certificates have expired, if certificates
	// are required. It returns the integrations that changed.
	Withhold(ctx context.Context) ([]Listing, error)
}

// Listing says whether an integration's activities are listed.
type Listing struct {
	Integration uuid.UUID
	Withheld    bool
}

// UnderWay is the error for an integration with a run that has not ended.
type UnderWay struct{ Run uuid.UUID }

func (u *UnderWay) Error() string {
	return fmt.Sprintf("a conformance run of this integration is in progress: %s", u.Run)
}

// read parses the stored part of a report.json.
func (o *Outcome) read(text []byte) error {
	var result struct {
		Verdict         string         `json:"verdict"`
		Reason          string         `json:"reason"`
		SuiteVersion    string         `json:"suite_version"`
		ContractVersion string         `json:"contract_version"`
		Summary         map[string]int `json:"summary"`
		Rules           []struct {
			Finding
			ID string `json:"id"`
		} `json:"rules"`
		Causes []struct {
			Rules []string `json:"rules"`
		} `json:"causes"`
		NotUndone []Leftover `json:"not_undone"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return fmt.Errorf("read %s: %w", reportJSON, err)
	}
	switch result.Verdict {
	case conformantVerdict, nonconformantVerdict, "partial", "incomplete":
	default:
		return fmt.Errorf("read %s: unknown verdict %.40q", reportJSON, result.Verdict)
	}
	o.Result = Result{
		Verdict: result.Verdict, Reason: result.Reason, SuiteVersion: result.SuiteVersion, ContractVersion: result.ContractVersion,
		Counts: result.Summary, NotUndone: result.NotUndone,
	}
	for _, rule := range result.Rules {
		if j := (Judged{rule.ID, rule.Endpoint, rule.Outcome}); j.isDecided() {
			o.Judged = append(o.Judged, j)
		}
		if rule.Outcome == "failed" || rule.Outcome == "warned" {
			rule.Rule = rule.ID
			o.Findings = append(o.Findings, rule.Finding)
		}
	}
	urgency := map[string]int{}
	for _, cause := range result.Causes {
		for _, id := range cause.Rules {
			urgency[id] = len(urgency) + 1
		}
	}
	slices.SortStableFunc(o.Findings, func(a, b Finding) int { return cmp.Compare(urgency[a.Rule], urgency[b.Rule]) })
	return nil
}
