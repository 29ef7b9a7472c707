package client

import "time"

// Run is a run of the conformance suite against a partner.
type Run struct {
	ID              string         `json:"run_id"`
	IntegrationID   string         `json:"integration_id"`
	Scope           string         `json:"scope"`   // full or read_only
	Rules           []string       `json:"rules"`   // that it judges; empty: all
	State           string         `json:"state"`   // queued, running, finished or failed
	Verdict         string         `json:"verdict"` // conformant, nonconformant, partial or incomplete; empty: none yet
	Reason          string         `json:"reason"`  // why it failed, or why its verdict is partial or incomplete
	SuiteVersion    string         `json:"suite_version"`
	ContractVersion string         `json:"contract_version"`
	Counts          map[string]int `json:"counts"` // of the rules, by outcome
	CreatedAt       time.Time      `json:"created_at"`
	StartedAt       time.Time      `json:"started_at"`  // zero: not started
	FinishedAt      time.Time      `json:"finished_at"` // zero: not finished
	Findings        []Finding      `json:"findings"`
	NotUndone       []struct {
		Kind      string `json:"kind"` // hold or booking
		Code      string `json:"code"` // empty: no answer
		Start     string `json:"start"`
		Reason    string `json:"reason"`
		ExpiresAt string `json:"expires_at"` // empty: unknown
	} `json:"not_undone"` // what is left at the partner
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

// HasEnded reports whether the run has ended.
func (r Run) HasEnded() bool { return r.State == "finished" || r.State == "failed" }
