package view

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// knownResult is a run in which one MUST rule is broken, as the baseline knows,
// and an entry of the baseline is stale.
func knownResult(t testing.TB) *report.Result {
	t.Helper()
	r := sampleResult(t)
	r.Verdict = report.Conformant
	for i := range r.Rules {
		r.Rules[i].Outcome = report.Passed
	}
	known := ruleOf(t, r, rule.ReserveLimit.ID)
	known.Outcome, known.Message, known.Known = report.Known, "2 of 3 calls took longer than 5 s", "the new cluster comes in May (until 2027-05-31)"
	r.Baseline = &report.Baseline{File: "known.yaml", Stale: []report.StaleEntry{{
		Rule: rule.CancelLimit.ID, Line: 7, Message: "known.yaml:7: cancel.limit passes now: delete this entry",
	}}}
	return r.Complete()
}

func TestAKnownFailureIsShownWithItsReasonAndIsNotCalledAPass(t *testing.T) {
	t.Parallel()
	r := knownResult(t)
	heading, sentence := verdictWords(r)
	if heading != "Conformant but for known failures" || !strings.Contains(sentence, "; 1 known failure.") || strings.Contains(sentence, "All") {
		t.Errorf("want a verdict that tells of the known failure, got %q, %q", heading, sentence)
	}
	doc := parse(t, r)
	shown := text(byID(t, doc, rule.ReserveLimit.ID))
	for _, want := range []string{"Known", "the new cluster comes in May", "2 of 3 calls took longer"} {
		if !strings.Contains(shown, want) {
			t.Errorf("want %q on the page, got %q", want, shown)
		}
	}
	if c := caseOf(t, decodeJUnit(t, r), rule.ReserveLimit.ID); c.Failure != nil || c.Skipped == nil || !strings.HasPrefix(c.Skipped.Message, "known: the new cluster") {
		t.Errorf("want it skipped as known in JUnit, got %+v", c)
	}
}

func TestAStaleEntryOfTheBaselineIsShownAndFailsInJUnit(t *testing.T) {
	t.Parallel()
	r := knownResult(t)
	const want = "known.yaml:7: cancel.limit passes now: delete this entry"
	if shown := text(byID(t, parse(t, r), "stale")); !strings.Contains(shown, want) {
		t.Errorf("want %q on the page, got %q", want, shown)
	}
	suites := decodeJUnit(t, r)
	last := suites.Suites[len(suites.Suites)-1]
	if suites.Failures != 1 || last.Name != "baseline" || len(last.Cases) != 1 || last.Cases[0].Failure == nil || last.Cases[0].Failure.Message != want {
		t.Errorf("want one failure, %q, got %d and %+v", want, suites.Failures, last)
	}
}
