package suitetest_test

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/mockpartner"
)

// A lifecycle is cut down for as long as the run has time, so the machine's speed would decide how short it gets.
func TestTheShortestFailingLifecycleIsReportedAndItsSeedRepeatsIt(t *testing.T) {
	t.Parallel()
	scenario, err := mockpartner.ParseScenario("cancelled.yaml", []byte("quirks: [{on: release, gives: none, once_cancelled: true}]"))
	if err != nil {
		t.Fatal(err)
	}
	explore := func(lifecycles int, seed uint64) (broken *report.Lifecycle) {
		inBubble(t, mockpartner.Options{Scenario: scenario}, nil, suite.Config{Rules: []string{"availability.lifecycle"}, Explore: lifecycles, Seed: seed, HandlesTicketDelivery: true}, func(t *testing.T, result *report.Result) {
			if result.Exploration == nil || result.Exploration.Broken == nil {
				t.Fatalf("Expected the lifecycle that breaks, received %+v", find(t, result, "availability.lifecycle"))
			}
			if len(result.NotUndone) > 0 {
				t.Errorf("Expected everything undone, received %+v", result.NotUndone)
			}
			broken = result.Exploration.Broken
		})
		return broken
	}
	shortest := explore(50, 21) // the slots of that day and catalog have enough seats to cut down what this seed draws
	var does []string
	for _, step := range shortest.Steps {
		verb, _, _ := strings.Cut(step.Does, " ")
		does = append(does, verb)
	}
	slices.Sort(does)
	if !slices.Equal(does, []string{"cancel", "confirm", "release", "reserve", "reserve"}) || !strings.HasPrefix(shortest.Steps[4].Does, "release") {
		t.Errorf("Expected the five steps that it takes, the release last, received %+v", shortest.Steps)
	}
	if again := explore(1, shortest.Seed); again.Drawn != shortest.Drawn || len(again.Steps) != len(shortest.Steps) {
		t.Errorf("Expected the same lifecycle again by its seed alone, received %+v", again)
	}
}
