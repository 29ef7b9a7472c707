package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
)

// ofStories is the filter that picks the rule about random lifecycles.
const ofStories = "availability.lifecycle"

func TestTheShortestStoryThatBreaksIsToldAndItsSeedRepeatsIt(t *testing.T) {
	t.Parallel()
	// The day decides which slots there are. On this one few have as many seats as those of the story that breaks.
	broken := mockpartner.Options{
		Defects: []string{"release-after-a-cancellation-gives-nothing-back"}, Now: time.Date(2026, 11, 22, 3, 40, 0, 0, time.UTC),
	}
	_, address := startMock(t, broken)
	r := judge(t, address, ofMock(address, "--label", ofStories, "--explore", "50", "--seed", "1")...)
	found := r.rule(t, ofStories)
	if r.code != 1 || found.Outcome != report.Failed || r.result.Exploration == nil || r.result.Exploration.Broken == nil {
		t.Fatalf("want the story that breaks, got exit %d, %s: %s", r.code, found.Outcome, found.Message)
	}
	story := r.result.Exploration.Broken
	var does []string
	for _, step := range story.Steps {
		verb, _, _ := strings.Cut(step.Does, " ")
		does = append(does, verb)
		if step.Want == "" || step.Got == "" || len(step.Curl) == 0 || !strings.Contains(r.stdout, step.Does) {
			t.Errorf("want each step told, with what was wanted, what came and its calls, got %+v", step)
		}
	}
	slices.Sort(does)
	if !slices.Equal(does, []string{"cancel", "confirm", "release", "reserve", "reserve"}) || !strings.HasPrefix(story.Steps[4].Does, "release") {
		t.Errorf("want the five steps that it takes, the release last, got %+v", story.Steps)
	}
	if len(r.result.NotUndone) > 0 {
		t.Errorf("want everything undone, got %+v", r.result.NotUndone)
	}

	_, address = startMock(t, broken)
	again := judge(t, address, ofMock(address, "--label", ofStories, "--explore", "1", "--seed", fmt.Sprint(story.Seed))...)
	if e := again.result.Exploration; e == nil || e.Broken == nil || e.Broken.Drawn != story.Drawn || len(e.Broken.Steps) != len(story.Steps) {
		t.Errorf("want the same story again by its seed alone, got %+v", e)
	}
}

func TestRandomLifecyclesAreLeftOutUnlessTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	r := judge(t, serve(t, small(t).ServeHTTP), "--label", ofStories)
	if got := r.rule(t, ofStories); got.Outcome != report.Skipped || !strings.Contains(got.Message, "--explore N") || r.result.Exploration != nil {
		t.Errorf("want it skipped, and --explore named, got %s: %s, %+v", got.Outcome, got.Message, r.result.Exploration)
	}
}

func TestRandomLifecyclesEndInTimeAtASlowPartnerAndLeaveNothing(t *testing.T) {
	t.Parallel()
	mock := small(t)
	address := between(t, mock, after(20*time.Millisecond))
	r := judge(t, address, "--label", ofStories, "--explore", "1000", "--seed", "1", "--max-duration", "15s")
	if got := r.rule(t, ofStories); got.Outcome != report.Inconclusive || !strings.Contains(got.Message, "of 1000 stories") {
		t.Errorf("want it inconclusive, and how many stories were played, got %s: %s", got.Outcome, got.Message)
	}
	if e := r.result.Exploration; e == nil || e.Played == 0 || e.Played >= 1000 || e.Broken != nil {
		t.Errorf("want some of the stories played, got %+v", e)
	}
	allUndone(t, r, mock)
}
