package suite

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

func TestABreachThatWasFoundBeforeItsCauseIsBlockedByIt(t *testing.T) {
	t.Parallel()
	v := newVerdicts(strings.Clone)
	v.blame(rule.ReleaseVacanciesOne, "want 10 seats left, got 9", nil)
	v.blame(rule.ReserveVacanciesOne, "want 9 seats left, got 10", nil)
	v.settle()
	if got := v.get(rule.ReserveVacanciesOne.ID); got.Outcome != report.Failed {
		t.Errorf("want the cause to stay broken, got %s", got.Outcome)
	}
	got := v.get(rule.ReleaseVacanciesOne.ID)
	if got.Outcome != report.Blocked || got.cause != rule.ReserveVacanciesOne.ID || !strings.Contains(got.Message, rule.ReserveVacanciesOne.ID) {
		t.Errorf("want the consequence blocked by its cause, got %s by %q: %s", got.Outcome, got.cause, got.Message)
	}
}

func TestAChainOfConsequencesEndsAtItsRoot(t *testing.T) {
	t.Parallel()
	v := newVerdicts(strings.Clone)
	// Found from the far end on: each was blocked by, or found before, the next.
	v.blame(rule.ReleaseVacanciesMany, "seats", nil)
	v.blame(rule.ReleaseVacanciesOne, "seats", nil)
	v.set(rule.ReleaseRepeatVacancies, report.Blocked, blockedBy(rule.ReleaseVacanciesMany.ID)).cause = rule.ReleaseVacanciesMany.ID
	v.blame(rule.ReleaseJSON, "no JSON", nil)
	v.blame(rule.ReleaseStatus, "want 200, got 500", nil)
	v.settle()
	if got := v.get(rule.ReleaseJSON.ID); got.cause != rule.ReleaseStatus.ID {
		t.Errorf("want %s blocked by %s, got %q", rule.ReleaseJSON.ID, rule.ReleaseStatus.ID, got.cause)
	}
	root := v.get(rule.ReleaseVacanciesMany.ID).cause
	if got := v.get(rule.ReleaseRepeatVacancies.ID); root == "" || got.cause != root || got.Message != blockedBy(root) {
		t.Errorf("want what %s blocked to name the root %q, got %q: %s", rule.ReleaseVacanciesMany.ID, root, got.cause, got.Message)
	}
}

func TestNothingMakesABrokenRuleWholeAgain(t *testing.T) {
	t.Parallel()
	v := newVerdicts(strings.Clone)
	if !v.blame(rule.ReserveCode, "no code", []*probe.Exchange{{Number: 1}}) {
		t.Error("want the first breach to be news")
	}
	if v.blame(rule.ReserveCode, "no code again", nil) {
		t.Error("want the second breach of the same rule to be none")
	}
	if got := v.get(rule.ReserveCode.ID); got.Message != "no code" || len(got.Exchanges) != 1 {
		t.Errorf("want the first breach kept with its evidence, got %q", got.Message)
	}
}

func TestARuleWithoutABrokenNeedHasNoCause(t *testing.T) {
	t.Parallel()
	v := newVerdicts(strings.Clone)
	v.set(rule.ReleaseSuccess, report.Passed, "")
	v.set(rule.ReserveVacanciesOne, report.NotApplicable, "seats are not counted")
	if cause := v.cause(rule.ReleaseVacanciesOne); cause != "" {
		t.Errorf("want a rule judged whose needs are not broken, got cause %q", cause)
	}
	v.settle()
	if got := v.get(rule.ReleaseSuccess.ID); got.Outcome != report.Passed {
		t.Errorf("want what passed to stay so, got %s", got.Outcome)
	}
}

func TestABreachWeighsAsItsLevelDoes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule rule.Rule
		want report.Outcome
	}{
		{rule.ReserveCode, report.Failed}, {rule.ReserveExpiresWindow, report.Warned}, {rule.Reachable, report.Inconclusive},
	} {
		if got := broken(test.rule); got != test.want {
			t.Errorf("%s: want %s, got %s", test.rule.ID, test.want, got)
		}
	}
}

func TestEvidenceIsShownOnceAndBounded(t *testing.T) {
	t.Parallel()
	exchanges := []*probe.Exchange{nil}
	for number := range 50 {
		exchanges = append(exchanges, &probe.Exchange{Number: number}, &probe.Exchange{Number: number})
	}
	shown := evidence(exchanges)
	if len(shown) != 12 || shown[0].Number != 0 || shown[1].Number != 1 {
		t.Errorf("want the first 12 exchanges, each once, got %d", len(shown))
	}
}
