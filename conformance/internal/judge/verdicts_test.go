package judge

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// blame has a lifecycle find a rule broken that is not the one that is judged.
func blame(v *Verdicts, r rule.Rule, message string, shown ...*report.Exchange) bool {
	return v.Blame(Finding{Outcome: report.Failed, Message: message, Cause: &r, Exchanges: shown}) != nil
}

func TestABreachThatWasFoundBeforeItsCauseIsBlockedByIt(t *testing.T) {
	t.Parallel()
	v := NewVerdicts(strings.Clone)
	blame(v, rule.ReleaseVacanciesOne, "Expected 10 seats left, received 9")
	blame(v, rule.ReserveVacanciesOne, "Expected 9 seats left, received 10")
	v.Settle(NewFields(strings.Clone), nil)
	if got := v.Get(rule.ReserveVacanciesOne.ID); got.Outcome != report.Failed {
		t.Errorf("want the cause to stay broken, got %s", got.Outcome)
	}
	got := v.Get(rule.ReleaseVacanciesOne.ID)
	if got.Outcome != report.Blocked || got.BlockedBy != rule.ReserveVacanciesOne.ID || !strings.Contains(got.Message, rule.ReserveVacanciesOne.ID) {
		t.Errorf("want the consequence blocked by its cause, got %s by %q: %s", got.Outcome, got.BlockedBy, got.Message)
	}
}

// What fails in one option keeps only that one from being judged.
func TestABreachIsBlockedByItsCauseUnlessThatHoldsWhereItWasFound(t *testing.T) {
	t.Parallel()
	for independent, want := range map[bool]report.Outcome{true: report.Failed, false: report.Blocked} {
		v := NewVerdicts(strings.Clone)
		blame(v, rule.ReserveVacanciesOne, "Expected 9 seats left, received 10")
		v.HoldPartly(rule.ReserveVacanciesOne.ID)
		blame(v, rule.ReserveVacanciesMany, "Expected 8 seats left, received 10")
		v.Settle(NewFields(strings.Clone), func(string, string) bool { return independent })
		if got := v.Get(rule.ReserveVacanciesMany.ID); got.Outcome != want {
			t.Errorf("Expected %s, received %s", want, got.Outcome)
		}
	}
}

func TestAChainOfConsequencesEndsAtItsRoot(t *testing.T) {
	t.Parallel()
	v := NewVerdicts(strings.Clone)
	// Found from the far end on: each was blocked by, or found before, the next.
	blame(v, rule.ReleaseVacanciesMany, "seats")
	blame(v, rule.ReleaseVacanciesOne, "seats")
	v.block(v.Set(rule.ReleaseRepeatVacancies, report.Blocked, ""), rule.ReleaseVacanciesMany.ID)
	blame(v, rule.ReleaseJSON, "no JSON")
	blame(v, rule.ReleaseStatus, "Expected 200, received 500")
	v.Settle(NewFields(strings.Clone), nil)
	if got := v.Get(rule.ReleaseJSON.ID); got.BlockedBy != rule.ReleaseStatus.ID {
		t.Errorf("want %s blocked by %s, got %q", rule.ReleaseJSON.ID, rule.ReleaseStatus.ID, got.BlockedBy)
	}
	root := v.Get(rule.ReleaseVacanciesMany.ID).BlockedBy
	if got := v.Get(rule.ReleaseRepeatVacancies.ID); root == "" || got.BlockedBy != root || got.Message != whileBroken(root) {
		t.Errorf("want what %s blocked to name the root %q, got %q: %s", rule.ReleaseVacanciesMany.ID, root, got.BlockedBy, got.Message)
	}
}

func TestABreachIsBlockedByACauseFarBelowIt(t *testing.T) {
	t.Parallel()
	v := NewVerdicts(strings.Clone)
	for _, between := range []rule.Rule{rule.CancelRepeatVacancies, rule.ConfirmRepeatVacancies, rule.ConfirmVacancies} {
		v.Set(between, report.Passed, "")
	}
	breach := Finding{Outcome: report.Failed, Message: "expected 14 left, received 13"}
	if outcome, _ := v.Decide(rule.CancelRace, breach); outcome != report.Failed {
		t.Errorf("Expected a breach without a cause to be failed, received %s", outcome)
	}
	blame(v, rule.ReserveVacanciesOne, "in one product, a hold takes no seat")
	if outcome, cause := v.Decide(rule.CancelRace, breach); outcome != report.Blocked || cause != rule.ReserveVacanciesOne.ID {
		t.Errorf("Expected the breach to be blocked by %s, received %s by %q", rule.ReserveVacanciesOne.ID, outcome, cause)
	}
	if outcome, _ := v.Decide(rule.CancelRace, Finding{}); outcome != report.Passed {
		t.Errorf("Expected a rule without a breach to pass, received %s", outcome)
	}
}

func TestASharedIDExplainsBreachesOfAllThatIsDoneWithIt(t *testing.T) {
	t.Parallel()
	v := NewVerdicts(strings.Clone)
	blame(v, rule.ReserveVacanciesOne, "Expected 5 seats left, received 6")
	blame(v, rule.ReserveCodeUnique, "a code twice")
	v.Settle(NewFields(strings.Clone), nil)
	if got := v.Get(rule.ReserveCodeUnique.ID); got.Outcome != report.Failed {
		t.Errorf("Expected the rule about shared codes to be failed, received %s by %q", got.Outcome, got.BlockedBy)
	}
	if got := v.Get(rule.ReserveVacanciesOne.ID); got.BlockedBy != rule.ReserveCodeUnique.ID {
		t.Errorf("Expected the breach to be blocked by %s, received %q", rule.ReserveCodeUnique.ID, got.BlockedBy)
	}
}

func TestRulesThatBlockEachOtherDoNotHangTheRun(t *testing.T) {
	t.Parallel()
	v := NewVerdicts(strings.Clone)
	v.block(v.Set(rule.CancelRace, report.Blocked, ""), rule.ReserveRace.ID)
	v.block(v.Set(rule.ReserveRace, report.Blocked, ""), rule.CancelRace.ID)
	v.Settle(NewFields(strings.Clone), nil)
	if got := v.Get(rule.CancelRace.ID); got.Outcome != report.Blocked {
		t.Errorf("Expected a blocked rule, received %s", got.Outcome)
	}
}

func TestABrokenRuleStaysBroken(t *testing.T) {
	t.Parallel()
	v := NewVerdicts(strings.Clone)
	if !blame(v, rule.ReserveCode, "no code", &report.Exchange{Number: 1}) {
		t.Error("want the first breach to be news")
	}
	if blame(v, rule.ReserveCode, "no code again") {
		t.Error("want the second breach of the same rule to be none")
	}
	if got := v.Get(rule.ReserveCode.ID); got.Message != "no code" || len(got.Exchanges) != 1 {
		t.Errorf("want the first breach kept with its evidence, got %q", got.Message)
	}
}

func TestARuleWithoutABrokenNeedHasNoCause(t *testing.T) {
	t.Parallel()
	v := NewVerdicts(strings.Clone)
	v.Set(rule.ReleaseSuccess, report.Passed, "")
	v.Set(rule.ReserveVacanciesOne, report.NotApplicable, "seats are not counted")
	if _, cause := v.Decide(rule.ReleaseVacanciesOne, Finding{}); cause != "" {
		t.Errorf("want a rule judged whose needs are not broken, got cause %q", cause)
	}
	v.Settle(NewFields(strings.Clone), nil)
	if got := v.Get(rule.ReleaseSuccess.ID); got.Outcome != report.Passed {
		t.Errorf("want what passed to stay so, got %s", got.Outcome)
	}
}

func TestABreachOfSeatsExplainsWhateverIsWrongAboutSeats(t *testing.T) {
	t.Parallel()
	v := NewVerdicts(func(s string) string { return s })
	if of, found := v.FailedCause(rule.ReserveVacanciesMany); found {
		t.Errorf("want nothing known yet, got %s", of.ID)
	}
	v.Set(rule.ConfirmStatus, report.Failed, "")
	v.Set(rule.ReserveVacanciesOne, report.Failed, "")
	for _, test := range []struct{ of, want rule.Rule }{
		{rule.ReserveVacanciesOne, rule.ReserveVacanciesOne},
		{rule.ReleaseVacanciesMany, rule.ReserveVacanciesOne},
		{rule.ConfirmStatus, rule.ConfirmStatus},
		{rule.CancelStatus, rule.Rule{}},
	} {
		if got, found := v.FailedCause(test.of); found != (test.want.ID != "") || found && got.ID != test.want.ID {
			t.Errorf("%s: want %q, got %q, %t", test.of.ID, test.want.ID, got.ID, found)
		}
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
		if got := Weight(test.rule); got != test.want {
			t.Errorf("%s: want %s, got %s", test.rule.ID, test.want, got)
		}
	}
}

func TestEvidenceIsShownOnceAndBounded(t *testing.T) {
	t.Parallel()
	exchanges := []*report.Exchange{nil}
	for number := range 50 {
		exchanges = append(exchanges, &report.Exchange{Number: number}, &report.Exchange{Number: number})
	}
	shown := Evidence(exchanges)
	if len(shown) != 12 || shown[0].Number != 0 || shown[1].Number != 1 {
		t.Errorf("want the first 12 exchanges, each once, got %d", len(shown))
	}
}
