package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/schemas/partnerapi"
)

func (s *screen) begin(config suite.Config) {
	s.printf("judging %s (%s key) by %d of %d rules\n", config.BaseURL.Redacted(), config.AuthType, len(config.Judged()), len(rule.All()))
	s.plan(config.Plan())
	if config.LimitScale != 1 {
		s.printf("the contract's limits are multiplied by %g: this run proves nothing about them\n", config.LimitScale)
	}
	s.printf("\n")
}

// spoken returns an outcome in words.
func spoken(o report.Outcome) string { return strings.ReplaceAll(string(o), "_", " ") }

// rule shows a judged rule. A rule that is judged again with the same outcome is not shown twice.
func (s *screen) rule(r report.RuleResult) {
	before, again := s.judged[r.ID]
	if again && before == r.Outcome {
		return
	}
	s.judged[r.ID] = r.Outcome
	show := func() { s.found(r) }
	if again {
		s.above(show)
		return
	}
	s.step(show)
}

func (s *screen) found(r report.RuleResult) {
	shows := r.Outcome == report.Failed || r.Outcome == report.Warned || r.Outcome == report.Known ||
		r.ID == rule.Reachable.ID && r.Outcome != report.Passed
	switch {
	case shows:
		s.finding(r)
	case s.verbose:
		s.printf("%s  %-6s  %-*s  %s\n", s.paint(r.Outcome, pad(spoken(r.Outcome), longestOutcome)), r.Level, s.width, r.ID, r.Title)
	}
}

const longestOutcome = len("not applicable")

func pad(text string, width int) string { return text + strings.Repeat(" ", max(0, width-len(text))) }

// finding shows what is wrong, how to fix it, and the call that repeats it.
func (s *screen) finding(r report.RuleResult) {
	s.printf("%s %s (%s, %s)\n", s.paint(r.Outcome, strings.ToUpper(spoken(r.Outcome))), r.ID, r.Level, r.Clause)
	s.printf("  %s.\n", r.Title)
	s.note("  %s\n", r.Message)
	s.note("  Known: %s\n", r.Known)
	if r.Outcome == report.Known {
		s.printf("\n")
		return
	}
	s.printf("  Fix:    %s\n", r.Fix)
	s.note("  Picture: %s, in the report folder\n", r.Picture)
	if x := revealing(r); x != nil {
		s.note("  Repeat: %s\n", x.Curl)
	}
	s.printf("\n")
}

// revealing returns the call that shows most of a finding: the one with a marked place, else the
// last one to the rule's endpoint.
func revealing(r report.RuleResult) (best *probe.Exchange) {
	weight := func(x *probe.Exchange) int {
		switch {
		case x.Response != nil && x.Response.Body.Excerpt != "":
			return 2
		case x.Endpoint == r.Endpoint:
			return 1
		}
		return 0
	}
	for i := range r.Exchanges {
		if x := &r.Exchanges[i]; x.Curl != "" && (best == nil || weight(x) >= weight(best)) {
			best = x
		}
	}
	return best
}

func (s *screen) waiting(until time.Time) {
	s.above(func() { s.printf("waiting until %s for a hold to expire\n", until.Local().Format(time.TimeOnly)) })
}

// The values of --progress.
const (
	progressText = "text"
	progressJSON = "json"
)

// ruleLine is one rule in the output of --progress json.
type ruleLine struct {
	ID       string              `json:"id"`
	Title    string              `json:"title"`
	Endpoint partnerapi.Endpoint `json:"endpoint"`
	Level    rule.Level          `json:"level"`
	Outcome  report.Outcome      `json:"outcome"`
	Message  string              `json:"message"`
}

// jsonLines writes the output of --progress json. It ignores errors, as screen does.
type jsonLines struct {
	mu  sync.Mutex
	out io.Writer
}

func (j *jsonLines) print(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.out, "%s\n", text)
}

// rules returns a function that writes a line for each judged rule, and another one if its outcome
// changes.
func (j *jsonLines) rules(redact func(string) string) func(report.RuleResult) {
	judged := map[string]report.Outcome{}
	return func(r report.RuleResult) {
		if before, again := judged[r.ID]; again && before == r.Outcome {
			return
		}
		judged[r.ID] = r.Outcome
		if text, err := json.Marshal(ruleLine{r.ID, r.Title, r.Endpoint, r.Level, r.Outcome, oneLine(r.Message)}); err == nil {
			j.print(redact(string(text)))
		}
	}
}

// ledgerLine requests the caller to copy the ledger.
const ledgerLine = `{"ledger": true}`

// await returns a function that requests the caller to copy the ledger and waits for its reply.
func (j *jsonLines) await(in io.Reader) func() error {
	lines := bufio.NewReader(in)
	return func() error {
		j.print(ledgerLine)
		if _, err := lines.ReadSlice('\n'); err != nil {
			return fmt.Errorf("--await-ledger: standard input ended, so the ledger is not copied: %w", err)
		}
		return nil
	}
}
