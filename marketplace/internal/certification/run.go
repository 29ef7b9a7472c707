// Package certification judges partners by the conformance command, which runs in a process
// of its own: it is given the partner's key, an address and limits, and neither the
// service's secret nor its database.
//
// A Service takes requests for runs, of an integration one at a time; a job has a Runner do
// each. While the command runs, the Runner holds a lease of the run and stores what the
// command writes: its progress, and its ledger of holds and bookings. If the replica dies,
// the lease ends, and another replica cleans up by the ledger.
package certification

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Scope is how much a run may do at the partner.
type Scope string

// The scopes.
const (
	Full     Scope = "full"      // makes holds and bookings, and undoes them
	ReadOnly Scope = "read_only" // reads the catalog and availability
)

// State is how far a run has come.
type State string

// The states.
const (
	Queued   State = "queued"
	Running  State = "running"
	Finished State = "finished" // there is a verdict
	Failed   State = "failed"   // the command broke or was ended: nothing is known of the partner
)

// Over reports whether a run in that state changes no more.
func (s State) Over() bool { return s == Finished || s == Failed }

// Run is one run of the command against an integration's partner.
type Run struct {
	ID          uuid.UUID
	Integration uuid.UUID
	Scope       Scope
	State       State
	CreatedAt   time.Time
	StartedAt   time.Time // zero: it has not
	FinishedAt  time.Time // zero: it has not
	Cleanups    int       // how often it was cleaned up after, since its replica died
	Result
}

// The verdicts that certificates depend on.
const (
	conformantVerdict    = "conformant"
	nonconformantVerdict = "nonconformant"
)

// Result is what came of a run: of its report, what people look at first.
type Result struct {
	Verdict         string // "": it has none
	Reason          string // why the run failed, or why the verdict is incomplete or partial
	SuiteVersion    string
	ContractVersion string
	Counts          map[string]int // of the rules, by outcome
	Findings        marketplace.List[Finding]
	NotUndone       marketplace.List[Leftover]
}

// Outcome is all that is stored of a run when it ends.
type Outcome struct {
	State State
	Result
	Reports     []Report
	Certificate *Certificate // nil: it certifies nothing
}

// Finding is a rule that the partner breaks.
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
	Code      string `json:"code"` // "": no answer came
	Start     string `json:"start"`
	Reason    string `json:"reason"`
	ExpiresAt string `json:"expires_at"` // when a hold ends by itself; "": unknown
}

// Report is a file that a run has written.
type Report struct {
	Name string
	Gzip []byte // its content, compressed
}

// ReportNames lists the reports of a run that are kept.
func ReportNames() []string { return []string{reportJSON, "report.html", "junit.xml"} }

const reportJSON = "report.json"

// Kind is what a part of a run's output belongs to.
type Kind string

// The kinds.
const (
	Progress Kind = "progress" // JSON objects, one a line: the rules as they are judged
	Ledger   Kind = "ledger"
)

// Part is a piece of what a run writes while it goes on.
type Part struct {
	Kind   Kind
	Number int // from 1 in each kind
	Body   []byte
}

// Lease is a replica's hold on a run: it ends by itself unless it is extended.
type Lease struct {
	Run    uuid.UUID
	Holder uuid.UUID // drawn for each
	Time   time.Duration
}

// Store keeps runs. Methods that take a lease return NotFound where the run is not held by
// it any more.
type Store interface {
	// Create stores a queued run and its job. The error is an *UnderWay where the
	// integration has one that is queued or running, and Conflict where its account has most
	// of them; 0 is any number.
	Create(ctx context.Context, r Run, most int) error
	// Begin takes a queued run, or returns NotFound if it is not queued.
	Begin(ctx context.Context, l Lease) (Run, error)
	// TakeOver takes a running one whose lease is over, or returns NotFound.
	TakeOver(ctx context.Context, l Lease) (Run, error)
	// Extend stores what was written, and has the lease end later.
	Extend(ctx context.Context, l Lease, parts []Part) error
	// Parts returns what a run has written of a kind, after that number.
	Parts(ctx context.Context, run uuid.UUID, kind Kind, after int) ([]Part, error)
	// Requeue has a run begin again, and forgets what it has written.
	Requeue(ctx context.Context, l Lease) error
	// Finish stores what came of a run. Its ledger is kept only where something was not
	// undone. A run that finds the partner nonconformant ends the integration's certificate:
	// Finish reports whether there was a valid one to end.
	Finish(ctx context.Context, l Lease, o Outcome) (ended bool, err error)
	// Recover inserts the jobs of runs that were left behind by dead replicas, and of those
	// whose job is lost.
	Recover(ctx context.Context) error
	// Withhold takes the activities of integrations out whose certificates have expired, where
	// certificates are required. It returns the integrations for which that has changed.
	Withhold(ctx context.Context) ([]Listing, error)
}

// Listing is whether an integration's activities are listed.
type Listing struct {
	Integration uuid.UUID
	Withheld    bool
}

// UnderWay says that an integration has a run that has not ended.
type UnderWay struct{ Run uuid.UUID }

func (u *UnderWay) Error() string {
	return fmt.Sprintf("a conformance run of this integration is under way: %s", u.Run)
}

// read reads what is kept of a report.json.
func (r *Result) read(text []byte) error {
	var said struct {
		Verdict         string         `json:"verdict"`
		Reason          string         `json:"reason"`
		SuiteVersion    string         `json:"suite_version"`
		ContractVersion string         `json:"contract_version"`
		Summary         map[string]int `json:"summary"`
		Rules           []struct {
			Finding
			ID string `json:"id"`
		} `json:"rules"`
		NotUndone []Leftover `json:"not_undone"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return fmt.Errorf("read %s: %w", reportJSON, err)
	}
	switch said.Verdict {
	case conformantVerdict, nonconformantVerdict, "partial", "incomplete":
	default:
		return fmt.Errorf("read %s: unknown verdict %.40q", reportJSON, said.Verdict)
	}
	*r = Result{
		Verdict: said.Verdict, Reason: said.Reason, SuiteVersion: said.SuiteVersion, ContractVersion: said.ContractVersion,
		Counts: said.Summary, NotUndone: said.NotUndone,
	}
	for _, rule := range said.Rules {
		if rule.Outcome == "failed" || rule.Outcome == "warned" {
			rule.Rule = rule.ID
			r.Findings = append(r.Findings, rule.Finding)
		}
	}
	return nil
}
