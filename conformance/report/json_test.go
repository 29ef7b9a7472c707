package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
)

func decode(t *testing.T, r *Result) map[string]any {
	t.Helper()
	content, err := JSON(r)
	if err != nil {
		t.Fatalf("JSON: %v", err)
	}
	var fields map[string]any
	if err := json.Unmarshal(content, &fields); err != nil {
		t.Fatalf("report.json is no JSON: %v", err)
	}
	return fields
}

func TestJSONHasEveryFieldThatToolsReadOfARun(t *testing.T) {
	t.Parallel()
	fields := decode(t, sampleResult(t))
	for _, name := range []string{"verdict", "target", "suite_version", "started_at", "contract_version", "duration_ms", "summary", "rules", "coverage", "latency", "vacancies", "not_undone"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("report.json lacks %q", name)
		}
	}
	if fields["verdict"] != "nonconformant" {
		t.Errorf("verdict = %v, want nonconformant", fields["verdict"])
	}
}

func TestJSONHasEveryFieldThatToolsReadOfARule(t *testing.T) {
	t.Parallel()
	rules := decode(t, sampleResult(t))["rules"].([]any)
	if len(rules) != len(rule.All()) {
		t.Fatalf("report.json has %d rules, want the catalogue's %d", len(rules), len(rule.All()))
	}
	for _, one := range rules {
		fields := one.(map[string]any)
		for _, name := range []string{"id", "title", "endpoint", "level", "clause", "outcome", "message", "exchanges"} {
			if value, ok := fields[name]; !ok || value == nil {
				t.Errorf("rule %v: %q is absent or null", fields["id"], name)
			}
		}
	}
}

func TestJSONOfAnEmptyResultHasNoNullLists(t *testing.T) {
	t.Parallel()
	fields := decode(t, &Result{})
	for _, name := range []string{"rules", "latency", "vacancies", "not_undone"} {
		if list, ok := fields[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s = %v, want []", name, fields[name])
		}
	}
}

func TestJSONSummaryCountsEveryOutcomeAsTheRulesHaveIt(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	r.Summary = map[Outcome]int{Passed: 1_000_000} // what the rules say must win
	summary := decode(t, r)["summary"].(map[string]any)
	total := 0.0
	for _, o := range Outcomes() {
		n, ok := summary[string(o)].(float64)
		if !ok {
			t.Errorf("the summary lacks %q", o)
		}
		total += n
	}
	if int(total) != len(r.Rules) {
		t.Errorf("the summary adds up to %v rules, want %d", total, len(r.Rules))
	}
	if summary["failed"] != 2.0 || summary["warned"] != 1.0 {
		t.Errorf("failed, warned = %v, %v: want 2, 1", summary["failed"], summary["warned"])
	}
}

func TestJSONIsStableIndentedAndEndsWithANewline(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	first, _ := JSON(r)
	second, _ := JSON(r)
	if !bytes.Equal(first, second) {
		t.Error("the same result gives two different files")
	}
	if !strings.HasPrefix(string(first), "{\n  \"verdict\"") || !strings.HasSuffix(string(first), "}\n") {
		t.Errorf("the file is not indented by two spaces and ended by a newline: %.40q ... %q", first, first[len(first)-5:])
	}
}

func TestJSONLeavesTheResultAsItWas(t *testing.T) {
	t.Parallel()
	r := &Result{Rules: []RuleResult{{ID: "a"}}}
	if _, err := JSON(r); err != nil {
		t.Fatal(err)
	}
	if r.Rules[0].Exchanges != nil || r.Summary != nil || r.Latency != nil {
		t.Errorf("JSON changed the caller's result: %+v", r)
	}
}

func TestJSONKeepsURLsLegible(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	r.Target.BaseURL = "https://partner.example/?a=1&b=<2>"
	content, _ := JSON(r)
	if !bytes.Contains(content, []byte(`"https://partner.example/?a=1&b=<2>"`)) {
		t.Error("the base URL is spelled with escapes")
	}
}
