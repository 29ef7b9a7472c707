package view

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
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
	return r.Completed()
}

func TestAKnownFailureIsShownWithItsReasonAndAStaleEntryFails(t *testing.T) {
	t.Parallel()
	r := knownResult(t)
	heading, sentence := VerdictWords(r)
	if heading != "Conformant except for known failures" || !strings.Contains(sentence, "Apart from 1 known failure, ") || strings.Contains(sentence, "All") {
		t.Errorf("Expected a verdict that names the known failure, received %q, %q", heading, sentence)
	}
	const stale = "known.yaml:7: cancel.limit passes now: delete this entry"
	doc := parse(t, r)
	for id, wanted := range map[string][]string{
		rule.ReserveLimit.ID: {"Known", "the new cluster comes in May", "2 of 3 calls took longer"},
		"stale":              {stale},
	} {
		for _, want := range wanted {
			if shown := text(byID(t, doc, id)); !strings.Contains(shown, want) {
				t.Errorf("want %q on the page, got %q", want, shown)
			}
		}
	}
	suites := decodeJUnit(t, r)
	if c := caseOf(t, suites, rule.ReserveLimit.ID); c.Failure != nil || c.Skipped == nil || !strings.HasPrefix(c.Skipped.Message, "known: the new cluster") {
		t.Errorf("want it skipped as known in JUnit, got %+v", c)
	}
	last := suites.Suites[len(suites.Suites)-1]
	if suites.Failures != 1 || last.Name != "baseline" || len(last.Cases) != 1 || last.Cases[0].Failure == nil || last.Cases[0].Failure.Message != stale {
		t.Errorf("want one failure, %q, got %d and %+v", stale, suites.Failures, last)
	}
}

// withFailingLifecycle is a run in which a random lifecycle broke the contract.
func withFailingLifecycle(t testing.TB) *report.Result {
	t.Helper()
	r := sampleResult(t)
	r.Exploration = &report.Exploration{Lifecycles: 50, Seed: 7, Played: 18, Steps: 190, Broken: &report.Lifecycle{
		Seed: 24, Drawn: 19, Tries: 65, Slots: []string{"slot A: \"nine\""},
		Steps: []report.LifecycleStep{
			{Does: "reserve 1 <unit> in slot A, which is hold 1", Want: "200; 4 left", Got: "200 OK; 4 left", Curl: []string{"curl 'a'", "curl 'b'"}},
			{Does: "release hold 1", Want: "200; 5 left", Got: "200 OK; 4 left", Curl: []string{"curl 'c'"}},
		},
	}}
	return r
}

func TestThePageAndThePullRequestShowTheFailingLifecycleStepByStep(t *testing.T) {
	t.Parallel()
	r := withFailingLifecycle(t)
	for name, content := range map[string]string{"report.html": string(render(t, HTML, r)), "report.md": text(pullRequest(t, r))} {
		for _, want := range []string{"--explore 1 --seed 24", "release hold 1", "200; 5 left", "200 OK; 4 left"} {
			if !strings.Contains(content, want) {
				t.Errorf("%s: want it to tell %q", name, want)
			}
		}
		if strings.Contains(content, "<unit>") != (name == "report.md") {
			t.Errorf("%s: want the partner's text as text", name)
		}
	}
}

func TestThePageAndThePullRequestNameThePictureOfALostRace(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	ruleOf(t, r, rule.ReserveVacanciesMany.ID).Picture = "race-x.html"
	if page := string(render(t, HTML, r)); !strings.Contains(page, `href="race-x.html"`) {
		t.Error("want a link to the picture in the page")
	}
	if words := text(pullRequest(t, r)); !strings.Contains(words, "Drawn in race-x.html.") {
		t.Error("want the picture named in the pull request")
	}
}
