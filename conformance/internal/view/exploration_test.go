package view

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// withStory is a run in which a random lifecycle broke the contract.
func withStory(t testing.TB) *report.Result {
	t.Helper()
	r := sampleResult(t)
	r.Exploration = &report.Exploration{Stories: 50, Seed: 7, Played: 18, Steps: 190, Broken: &report.Story{
		Seed: 24, Drawn: 19, Tries: 65, Slots: []string{"slot A: \"nine\""},
		Steps: []report.StoryStep{
			{Does: "reserve 1 <unit> in slot A, which is hold 1", Want: "200; 4 left", Got: "200 OK; 4 left", Curl: []string{"curl 'a'", "curl 'b'"}},
			{Does: "release hold 1", Want: "200; 5 left", Got: "200 OK; 4 left", Curl: []string{"curl 'c'"}},
		},
	}}
	return r
}

func TestThePageAndThePullRequestTellTheStoryThatBreaksStepByStep(t *testing.T) {
	t.Parallel()
	r := withStory(t)
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
	for i := range r.Rules {
		if r.Rules[i].ID == rule.ReserveVacanciesMany.ID {
			r.Rules[i].Picture = "race-x.html"
		}
	}
	if page := string(render(t, HTML, r)); !strings.Contains(page, `href="race-x.html"`) {
		t.Error("want a link to the picture in the page")
	}
	if words := text(pullRequest(t, r)); !strings.Contains(words, "Drawn in race-x.html.") {
		t.Error("want the picture named in the pull request")
	}
}
