package view

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// openResult is a run of that verdict in which nothing failed, four MUST rules were not
// judged for two reasons, and one does not apply.
func openResult(t *testing.T, verdict report.Verdict) *report.Result {
	t.Helper()
	r := sampleResult(t)
	r.Verdict = verdict
	for i := range r.Rules {
		r.Rules[i].Outcome, r.Rules[i].Message, r.Rules[i].Exchanges = report.Passed, "", nil
	}
	for _, id := range []string{rule.ConfirmExpired.ID, rule.ReleaseExpired.ID, rule.ReleaseExpiredVacancies.ID} {
		skipped := ruleOf(t, r, id)
		skipped.Outcome, skipped.Message, skipped.Remedy = report.Skipped, "the run did not wait", "Run with --include-slow."
	}
	open := ruleOf(t, r, rule.ReserveVacanciesMixed.ID)
	open.Outcome, open.Message, open.Remedy = report.Inconclusive, "no slot has 3 seats left", "Offer a slot with 3 seats."
	ruleOf(t, r, rule.CancelStatus.ID).Outcome = report.NotApplicable
	return r.Completed()
}

func TestEveryViewNamesTheMustRulesThatWereNotJudgedWithTheReasonAndTheRemedy(t *testing.T) {
	t.Parallel()
	r := openResult(t, report.Conformant)
	for name, draw := range map[string]func(*report.Result) ([]byte, error){"report.md": drawMarkdown, "junit.xml": drawJUnit, "report.html": HTML} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := string(render(t, draw, r))
			for _, want := range []string{"the run did not wait", "include", rule.ReleaseExpiredVacancies.ID, "no slot has 3 seats left", "Offer a slot with 3 seats."} {
				if !strings.Contains(content, want) {
					t.Errorf("%s lacks %q", name, want)
				}
			}
		})
	}
}

func TestAConformantVerdictSaysHowManyMustRulesWereNotJudged(t *testing.T) {
	t.Parallel()
	heading, sentence := VerdictWords(openResult(t, report.Conformant))
	if heading != "Conformant, 4 MUST rules not judged" || !strings.Contains(sentence, "that were judged hold.") {
		t.Errorf("Expected the open rules beside the verdict, received %q, %q", heading, sentence)
	}
}

func TestAPartialRunNeverSaysConformant(t *testing.T) {
	t.Parallel()
	r := openResult(t, report.Partial)
	r.Reason, r.NarrowedBy = "the run was narrowed by --read-only", []string{"--read-only"}
	for name, draw := range map[string]func(*report.Result) ([]byte, error){
		"report.md": drawMarkdown, "junit.xml": drawJUnit, "report.html": HTML, "badge.svg": drawBadge, "report.json": report.JSON,
	} {
		content := string(render(t, draw, r))
		if strings.Contains(strings.ToLower(content), "conformant") || name != "badge.svg" && !strings.Contains(strings.ReplaceAll(content, "\\-", "-"), "narrowed by --read-only") {
			t.Errorf("Expected %s to say that the run is partial and why, and never \"conformant\"", name)
		}
	}
}

func TestTheRulesThatWaitForACauseAreOneGroup(t *testing.T) {
	t.Parallel()
	r := openResult(t, report.Nonconformant)
	cause := ruleOf(t, r, rule.ReserveJSON.ID)
	cause.Outcome, cause.Message = report.Failed, "not JSON"
	for _, id := range []string{rule.ReserveCode.ID, rule.ReserveExpiresWindow.ID} {
		blocked := ruleOf(t, r, id)
		blocked.Outcome, blocked.BlockedBy, blocked.Message = report.Blocked, cause.ID, "cannot be judged until "+cause.ID+" passes"
	}
	if causes := r.Completed().Causes; len(causes) != 1 || WaitWords(causes[0]) != "2 rules wait for it" {
		t.Errorf("Expected one cause that two rules wait for, received %+v", causes)
	}
	if groups := NotJudged(r.Rules); !groups[0].Waits || !slices.Equal(groups[0].IDs, []string{rule.ReserveCode.ID}) {
		t.Errorf("Expected what is blocked first, and of it the MUST rule alone, received %+v", groups[0])
	}
}
