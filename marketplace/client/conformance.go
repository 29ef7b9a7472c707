package client

import "time"

// Run is a run of the conformance suite against a partner.
type Run struct {
	ID              string         `json:"run_id"`
	IntegrationID   string         `json:"integration_id"`
	Scope           string         `json:"scope"`               // full or read_only
	Rules           []string       `json:"rules"`               // that it judges; empty: all
	State           string         `json:"state"`               // queued, running, finished or failed
	Verdict         string         `json:"verdict" wire:"null"` // conformant, nonconformant, partial or incomplete; empty: none yet
	Reason          string         `json:"reason" wire:"null"`  // why it failed, or why its verdict is partial or incomplete
	SuiteVersion    string         `json:"suite_version" wire:"null"`
	ContractVersion string         `json:"contract_version" wire:"null"`
	Counts          map[string]int `json:"counts"` // of the rules, by outcome
	CreatedAt       time.Time      `json:"created_at"`
	StartedAt       time.Time      `json:"started_at" wire:"null"`  // zero: not started
	FinishedAt      time.Time      `json:"finished_at" wire:"null"` // zero: not finished
	Findings        []Finding      `json:"findings,omitzero"`       // not in lists
	NotUndone       []Leftover     `json:"not_undone,omitzero"`     // what is left at the partner; not in lists
}

// Leftover is a hold or booking that a run could not undo.
type Leftover struct {
	Kind      string `json:"kind"` // hold or booking
	Code      string `json:"code"` // empty: no answer
	Start     string `json:"start"`
	Reason    string `json:"reason"`
	ExpiresAt string `json:"expires_at"` // empty: unknown
}

// Finding is a rule that the partner breaches.
type Finding struct {
	Rule     string `json:"rule"`
	Title    string `json:"title"`
	Endpoint string `json:"endpoint"`
	Level    string `json:"level"`   // MUST, SHOULD or MAY
	Clause   string `json:"clause"`  // of the contract
	Outcome  string `json:"outcome"` // failed or warned
	Message  string `json:"message"` // what was expected and received
	Fix      string `json:"fix"`
}

// RunLink opens the report of a run without signing in.
type RunLink struct {
	ID        string    `json:"share_id"`
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Share is a link to the report of a run that works. Its URL is shown only when it is made.
type Share struct {
	ID        string    `json:"share_id"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
	CreatedBy string    `json:"created_by" wire:"null"` // an email address; empty: an operator, in answers to partners
}

// Matrix shows which partners breach which rules.
type Matrix struct {
	Endpoints []string    `json:"endpoints"` // the columns
	Days      []string    `json:"days"`      // YYYY-MM-DD in UTC, oldest first
	Partners  []MatrixRow `json:"partners"`
	Truncated bool        `json:"truncated"` // more partners match than are listed
}

// MatrixRow is a partner's row.
type MatrixRow struct {
	IntegrationID string       `json:"integration_id"`
	Name          string       `json:"name"`
	Mode          string       `json:"mode"`                    // live or test
	State         string       `json:"state"`                   // of the certificate: none, certified, failed or expired
	ValidUntil    time.Time    `json:"valid_until" wire:"null"` // zero: never certified
	Withheld      bool         `json:"withheld"`                // the activities are not listed
	Admission     Admission    `json:"admission"`
	FailingSince  time.Time    `json:"failing_since" wire:"null"` // of the oldest failed rule; zero: no rule fails
	JudgedAt      time.Time    `json:"judged_at" wire:"null"`     // the end of the last run with a verdict; zero: no run
	Cells         []MatrixCell `json:"cells"`                     // one for each endpoint
	Days          []string     `json:"days"`                      // the verdict of each day, failed, or "" without a run
}

// MatrixCell is the state of a partner's endpoint.
type MatrixCell struct {
	JudgedAt time.Time      `json:"judged_at" wire:"null"` // zero: never judged
	Breaches []MatrixBreach `json:"breaches"`              // the longest first
}

// MatrixBreach is a rule that a partner breaches.
type MatrixBreach struct {
	Rule    string    `json:"rule"`
	Outcome string    `json:"outcome"` // failed or warned
	Since   time.Time `json:"since"`
	RunID   string    `json:"run_id"` // the last run that found it
}

// HasEnded reports whether the run has ended.
func (r Run) HasEnded() bool { return r.State == "finished" || r.State == "failed" }
