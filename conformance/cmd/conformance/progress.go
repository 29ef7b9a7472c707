package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/schemas/partnerapi"
)

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
		if text, err := json.Marshal(ruleLine{r.ID, r.Title, r.Endpoint, r.Level, r.Outcome, safetext.Line(r.Message)}); err == nil {
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
