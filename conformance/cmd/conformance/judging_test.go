package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
)

// The rules that startBroken's partner breaks.
var (
	brokenFirst = rule.ConfirmRepeatBooking.ID // judged before the other
	brokenLast  = rule.ReleaseVacanciesOne.ID  // keeps many others from being judged
)

// startBroken starts a mock partner that breaks two rules, and gives no seats back.
func startBroken(t *testing.T) string {
	t.Helper()
	_, url := startMock(t, mockpartner.Options{Defects: []string{"second-confirm-books-again", "release-gives-nothing-back"}, Variants: []string{"one-product"}})
	return url
}

// writeBaseline writes a baseline of these lines.
func writeBaseline(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.yaml")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOnlyTheNamedRulesAreJudgedAndWhatTheyNeedIsRun(t *testing.T) {
	t.Parallel()
	mock, url := startMock(t, mockpartner.Options{})
	r := judge(t, url, ofMock(url, "--rule", "cancel.race,reserve.vacancies.one", "--rule", "products.status", "--label", "!products")...)
	want := []string{"reserve.vacancies.one", "cancel.race"}
	if passed := r.outcomes(report.Passed); r.code != 0 || !slices.Equal(passed, want) {
		t.Errorf("want exit 0 and %v passed, got %d and %v", want, r.code, passed)
	}
	if skipped := len(r.outcomes(report.Skipped)); skipped != len(rule.All())-len(want) {
		t.Errorf("want all others skipped, got %d\n%s", skipped, r.notPassed())
	}
	if r.rule(t, rule.CancelStatus.ID).Message != "left out by --rule and --label" {
		t.Errorf("want the flags named that left cancel.status out, got %q", r.rule(t, rule.CancelStatus.ID).Message)
	}
	if !strings.Contains(r.stdout, "by 2 of ") || strings.Contains(r.stdout, rule.CancelStatus.ID) {
		t.Errorf("want two rules announced and no other shown, got\n%s", r.stdout)
	}
	allUndone(t, r, mock)
}

func TestARuleThatIsOnlyNeededIsShownWhereItKeepsANamedOneFromBeingJudged(t *testing.T) {
	t.Parallel()
	r := judge(t, startBroken(t), "--rule", rule.ReserveRace.ID)
	if failed, blocked := r.outcomes(report.Failed), r.outcomes(report.Blocked); r.code != 1 ||
		!slices.Equal(failed, []string{brokenLast}) || !slices.Equal(blocked, []string{rule.ReserveRace.ID}) {
		t.Errorf("want exit 1, %s failed and %s blocked by it, got %d\n%s", brokenLast, rule.ReserveRace.ID, r.code, r.notPassed())
	}
}

func TestFailingFastEndsWithTheFirstFailureAndUndoesEverything(t *testing.T) {
	t.Parallel()
	mock, url := startMock(t, mockpartner.Options{Defects: []string{"hold-expiry-without-offset"}})
	r := judge(t, url, ofMock(url, "--fail-fast")...)
	broken := rule.ReserveExpiresAt.ID
	if failed := r.outcomes(report.Failed); r.code != 1 || !slices.Equal(failed, []string{broken}) {
		t.Errorf("want exit 1 and %s alone failed, got %d\n%s", broken, r.code, r.notPassed())
	}
	if after := r.rule(t, rule.ReleaseStatus.ID); after.Outcome != report.Skipped || after.Message != "left out after "+broken+" failed (--fail-fast)" {
		t.Errorf("want what comes later skipped with the reason, got %s: %s", after.Outcome, after.Message)
	}
	if before := r.rule(t, rule.ReserveStatus.ID); before.Outcome != report.Passed {
		t.Errorf("want what came before judged, got %s: %s", before.Outcome, before.Message)
	}
	allUndone(t, r, mock)
}

func TestFailingFastDoesNotNameWhatAnotherRuleIsTheCauseOf(t *testing.T) {
	t.Parallel()
	known := writeBaseline(t, "- {rule: "+brokenFirst+", reason: it is being fixed}")
	r := judge(t, startBroken(t), "--fail-fast", "--baseline", known)
	if failed := r.outcomes(report.Failed); !slices.Equal(failed, []string{brokenLast}) {
		t.Errorf("want %s named, which is the cause of all that fails, got %v", brokenLast, failed)
	}
}

func TestAKnownFailureIsShownAsSuchAndDoesNotCount(t *testing.T) {
	t.Parallel()
	known := writeBaseline(t,
		"- rule: "+brokenFirst, "  reason: the new engine comes in May", "  until: 2999-05-31",
		"- rule: "+brokenLast, "  reason: the queue is slow")
	r := judge(t, startBroken(t), "--depth", "standard", "--max-holds", "100", "--baseline", known, "--reports", "report.html,junit.xml")
	if r.code != 0 || r.result.Verdict != report.Conformant || !slices.Equal(r.outcomes(report.Known), []string{brokenFirst, brokenLast}) {
		t.Errorf("want exit 0, conformant, and both failures known, got %d, %s\n%s", r.code, r.result.Verdict, r.notPassed())
	}
	if one := r.rule(t, brokenFirst); one.Known != "the new engine comes in May (until 2999-05-31)" || len(one.Exchanges) == 0 || one.Message == "" {
		t.Errorf("want the reason beside what was found and its evidence, got %+v", one)
	}
	for _, want := range []string{"Conformant except for known failures", "KNOWN " + brokenLast + " (MUST", "Known: the queue is slow"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("want it to say %q, got\n%s", want, r.stdout)
		}
	}
	files := r.files(t)
	for _, name := range []string{"report.html", "junit.xml"} {
		if !strings.Contains(files[name], "the queue is slow") {
			t.Errorf("want the reason in %s", name)
		}
	}
}

func TestAStaleEntryOfTheBaselineFailsTheRunAndNamesItsLine(t *testing.T) {
	t.Parallel()
	_, url := startMock(t, mockpartner.Options{})
	known := writeBaseline(t, "# none is true", "- {rule: cancel.status, reason: it was broken}", "- {rule: cancel.statsu, reason: mistyped}")
	r := judge(t, url, "--rule", "cancel.status", "--handles-ticket-delivery", "--baseline", known)
	if r.code != 1 || r.result.Verdict != report.Partial {
		t.Errorf("want exit 1 although no rule failed, got %d, %s", r.code, r.result.Verdict)
	}
	for _, want := range []string{
		known + ":2: cancel.status passes now: delete this entry\n",
		known + `:3: there is no rule "cancel.statsu" (did you mean cancel.status`,
	} {
		if !strings.Contains(r.stdout, "stale "+want) {
			t.Errorf("want it to say %q, got\n%s", want, r.stdout)
		}
	}
}

// ofLifecycles is the filter that picks the rule about random lifecycles.
const ofLifecycles = "availability.lifecycle"

func TestTheLifecycleThatFailsIsPrintedStepByStep(t *testing.T) {
	t.Parallel()
	scenario, err := mockpartner.ParseScenario("cancelled.yaml", []byte("quirks: [{on: release, gives: none, once_cancelled: true}]"))
	if err != nil {
		t.Fatal(err)
	}
	_, address := startMock(t, mockpartner.Options{Catalog: catalog.Default(), Scenario: scenario})
	r := judge(t, address, ofMock(address, "--label", ofLifecycles, "--explore", "50", "--seed", "1")...)
	found := r.rule(t, ofLifecycles)
	if r.code != 1 || found.Outcome != report.Failed || r.result.Exploration == nil || r.result.Exploration.Broken == nil {
		t.Fatalf("want the lifecycle that breaks, got exit %d, %s: %s", r.code, found.Outcome, found.Message)
	}
	for _, step := range r.result.Exploration.Broken.Steps {
		if step.Want == "" || step.Got == "" || len(step.Curl) == 0 || !strings.Contains(r.stdout, step.Does) {
			t.Errorf("Expected each step with the expected and the received state and its calls, received %+v", step)
		}
	}
}

func TestRandomLifecyclesAreLeftOutUnlessTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	r := judge(t, serve(t, newMock(t, mockpartner.Options{}).ServeHTTP), "--label", ofLifecycles)
	if got := r.rule(t, ofLifecycles); got.Outcome != report.Skipped || !strings.Contains(got.Remedy, "--explore") || r.result.Exploration != nil {
		t.Errorf("want it skipped, and --explore named, got %s: %s, %+v", got.Outcome, got.Message, r.result.Exploration)
	}
}
