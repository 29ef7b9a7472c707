package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// writeSample is a result in a file, as the run writes it.
func writeSample(t *testing.T, r *Result) (path string, text []byte) {
	t.Helper()
	text, err := JSON(r)
	if err != nil {
		t.Fatal(err)
	}
	return inFile(t, text), text
}

func inFile(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestJSONHasEveryFieldThatToolsRead(t *testing.T) {
	t.Parallel()
	wanted := map[string][]string{
		"the report": {"verdict", "target", "suite_version", "started_at", "contract_version", "duration_ms", "summary", "rules", "coverage", "latency", "vacancies", "not_undone"},
		"a rule":     {"id", "title", "endpoint", "level", "clause", "outcome", "message", "exchanges"},
	}
	for name, r := range map[string]*Result{"a run": sample(), "an empty run": {Rules: []RuleResult{{}}}} {
		_, text := writeSample(t, r)
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		for what, object := range map[string]map[string]any{"the report": fields, "a rule": fields["rules"].([]any)[0].(map[string]any)} {
			for _, field := range wanted[what] {
				if object[field] == nil {
					t.Errorf("%s: want %q in %s, and not null", name, field, what)
				}
			}
		}
	}
}

func TestJSONCountsEveryOutcomeAsTheRulesHaveItAndLeavesTheResultAsItWas(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Summary = map[Outcome]int{Passed: 1_000_000} // what the rules say must win
	var read Result
	_, text := writeSample(t, r)
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if want := (map[Outcome]int{Failed: 1, Warned: 1, Known: 0, Inconclusive: 0, Blocked: 0, Skipped: 0, NotApplicable: 0, Passed: 3}); !reflect.DeepEqual(read.Summary, want) {
		t.Errorf("want %v, got %v", want, read.Summary)
	}
	if r.Summary[Passed] != 1_000_000 || r.Rules[0].Exchanges != nil || r.Vacancies != nil {
		t.Errorf("want the caller's result as it was, got %+v", r)
	}
}

func TestJSONIsStableIndentedLegibleAndEndsWithANewline(t *testing.T) {
	t.Parallel()
	_, first := writeSample(t, sample())
	_, second := writeSample(t, sample())
	if !bytes.Equal(first, second) {
		t.Error("want the same file of the same result")
	}
	if text := string(first); !strings.HasPrefix(text, "{\n  \"verdict\"") || !strings.HasSuffix(text, "}\n") || !strings.Contains(text, `"https://partner.example/?a=1&b=<2>"`) {
		t.Errorf("want it indented by two spaces, addresses as they are, and a newline at the end, got\n%s", text)
	}
}

func TestAReportIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	path, _ := writeSample(t, sample())
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := sample().Completed(); !reflect.DeepEqual(read, want) {
		t.Errorf("want %+v, got %+v", want, read)
	}
}

func TestAnInvalidReportIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]struct{ text, want string }{
		"nothing":        {"", "invalid JSON at byte 0"},
		"words":          {"not a report", "invalid JSON at byte 2"},
		"half":           {`{"verdict": "conf`, "invalid JSON at byte"},
		"a list":         {`[]`, "a JSON array is not allowed at its top"},
		"a wrong type":   {`{"verdict": 7}`, "a JSON number is not allowed at verdict"},
		"many rules":     {`{"verdict": "conformant", "rules": [` + strings.Repeat("{},", 500_000) + "{}]}", "too large: more than 1000000 names and values"},
		"another object": {`{"name": "x"}`, "it has no verdict or no rules"},
		"no rules":       {`{"verdict": "conformant", "rules": []}`, "it has no verdict or no rules"},
	} {
		path := inFile(t, []byte(wrong.text))
		_, err := Read(path)
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), wrong.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: want one line that begins with the file and says %q, got %v", name, wrong.want, err)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "missing.json"), t.TempDir()} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path+" cannot be read: ") {
			t.Errorf("want %s not to be read, got %v", path, err)
		}
	}
}

// sample is a run over five rules, of which one failed and one warned.
func sample() *Result {
	r := &Result{
		Verdict: Nonconformant, SuiteVersion: "1.0.0", ContractVersion: "0c1d2e3f4a5b",
		Target:    Target{BaseURL: "https://partner.example/?a=1&b=<2>", AuthType: partnerapi.Bearer},
		StartedAt: time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC), DurationMS: 18_420,
		Latency: []Latency{{Endpoint: partnerapi.Products, Calls: 9, P95MS: 1630, HealthyLimitMS: 15000}},
	}
	for _, one := range []rule.Rule{rule.ReserveCode, rule.ReserveLimit, rule.ReserveExpiresWindow, rule.ConfirmLimit, rule.CancelLimit} {
		r.Rules = append(r.Rules, RuleResult{
			ID: one.ID, Title: one.Title, Endpoint: one.Endpoint, Level: one.Level, Clause: one.Clause, Why: one.Why, Fix: one.Fix, Outcome: Passed,
		})
	}
	r.Rules[1].Outcome, r.Rules[1].Exchanges = Failed, []Exchange{{Number: 1, Duration: time.Second}}
	r.Rules[2].Outcome = Warned
	return r
}

// ruleOf finds the result of a rule.
func ruleOf(t *testing.T, r *Result, of rule.Rule) *RuleResult {
	t.Helper()
	for i := range r.Rules {
		if r.Rules[i].ID == of.ID {
			return &r.Rules[i]
		}
	}
	t.Fatalf("the result has no rule %q", of.ID)
	return nil
}
