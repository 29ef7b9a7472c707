package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

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

// StartRun starts a run with a scope, full or read_only, of some rules, or of all without any. It
// returns the run's id. The *Error is 409 if another run of the integration is in progress.
func (p *Partner) StartRun(ctx context.Context, integration, scope string, rules ...string) (run string, err error) {
	body := map[string]any{"scope": scope, "rules": rules}
	if len(rules) == 0 {
		delete(body, "rules")
	}
	made, err := call[Run](ctx, p.c, post(path("partner-integrations", integration, "conformance-runs"), body))
	return made.ID, err
}

// Run reads a run with its findings.
func (p *Partner) Run(ctx context.Context, integration, run string) (Run, error) {
	return call[Run](ctx, p.c, get(path("partner-integrations", integration, "conformance-runs", run), nil))
}

// lookPause is the pause between two reads of a run in AwaitRun.
const lookPause = 2 * time.Second

// AwaitRun reads a run until it has ended. The context limits how long.
func (p *Partner) AwaitRun(ctx context.Context, integration, run string) (Run, error) {
	for {
		found, err := p.Run(ctx, integration, run)
		if err != nil || found.HasEnded() {
			return found, err
		}
		select {
		case <-ctx.Done():
			return found, ctx.Err()
		case <-time.After(lookPause):
		}
	}
}

// RequestGoLive asks the marketplace's operator to approve the integration. The *Error is 409 if it
// is approved, or in test mode.
func (p *Partner) RequestGoLive(ctx context.Context, integration string) (Integration, error) {
	return call[Integration](ctx, p.c, request{method: http.MethodPost, path: path("partner-integrations", integration, "go-live"), harmless: true})
}

// IntegrationEvents is what happened to an integration, for its partner.
type IntegrationEvents struct {
	Events []struct {
		ID   int64          `json:"id"`
		At   time.Time      `json:"at"`
		Type string         `json:"type"` // certificate.issued, certificate.ended, go_live.approved or go_live.declined
		Data map[string]any `json:"data"`
	} `json:"events"` // oldest first
	Next string `json:"next_cursor"` // for the next call
}

// Events reads an integration's events after a cursor; "" starts with the oldest that is kept.
func (p *Partner) Events(ctx context.Context, integration, after string) (IntegrationEvents, error) {
	return call[IntegrationEvents](ctx, p.c, get(path("partner-integrations", integration, "events"), queryOf("after", after, "limit", "100")))
}

// Conformance says which partners breach which rules, and since when.
type Conformance struct {
	Endpoints []string `json:"endpoints"`
	Days      []string `json:"days"` // YYYY-MM-DD in UTC, oldest first
	Partners  []struct {
		IntegrationID string    `json:"integration_id"`
		Name          string    `json:"name"`
		Mode          string    `json:"mode"`
		State         string    `json:"state"`
		ValidUntil    time.Time `json:"valid_until"`   // zero: there was no certificate
		Withheld      bool      `json:"withheld"`      // not listed
		FailingSince  time.Time `json:"failing_since"` // of the oldest failed rule; zero: none fails
		JudgedAt      time.Time `json:"judged_at"`     // zero: never
		Cells         []struct {
			JudgedAt time.Time `json:"judged_at"` // zero: never
			Breaches []struct {
				Rule    string    `json:"rule"`
				Outcome string    `json:"outcome"` // failed or warned
				Since   time.Time `json:"since"`
				RunID   string    `json:"run_id"`
			} `json:"breaches"`
		} `json:"cells"` // one for each endpoint
		Days []string `json:"days"` // one for each day: the worst result of its runs; empty: no run
	} `json:"partners"` // those that fail longest first
	Truncated bool `json:"truncated"` // more than 1,000 match
}

// Conformance reads which partners breach which rules. The filters are those of GET
// /operator/conformance: mode, state, certification, go_live, endpoint, failing and q.
func (o *Operator) Conformance(ctx context.Context, filters url.Values) (Conformance, error) {
	return call[Conformance](ctx, o.c, get(path("operator", "conformance"), filters))
}

// SetCertification sets an integration's own certification policy: off, advise, require, or "" for
// the marketplace's.
func (o *Operator) SetCertification(ctx context.Context, integration, policy string) (Integration, error) {
	body := map[string]any{"certification": nil}
	if policy != "" {
		body["certification"] = policy
	}
	return call[Integration](ctx, o.c, request{method: http.MethodPut, path: path("operator", "integrations", integration, "certification"), body: body, harmless: true})
}

// DecideGoLive approves an integration, or declines it with a reason for the partner.
func (o *Operator) DecideGoLive(ctx context.Context, integration string, approve bool, reason string) (Integration, error) {
	return call[Integration](ctx, o.c, post(path("operator", "integrations", integration, "go-live"), map[string]any{"approve": approve, "reason": reason}).asRepeatable())
}
