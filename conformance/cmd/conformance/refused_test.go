package main_test

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
)

func TestAnOptionThatIsRefusedHidesNothingAboutTheOthers(t *testing.T) {
	t.Parallel()
	scenario, err := mockpartner.ParseScenario("refused.yaml", []byte(`faults: [{match: {endpoint: reserve, product: lisbon-walk}, status: 400, body: {message: "Not for you"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	_, address := startMock(t, mockpartner.Options{Scenario: scenario})
	r := judge(t, address, ofMock(address)...)
	for _, one := range r.result.Rules {
		if one.ID != "reserve.accepts" && (one.Outcome == report.Failed || one.Outcome == report.Warned || one.Outcome == report.Blocked) {
			t.Errorf("Expected only reserve.accepts to fail, received %s %s: %s", one.ID, one.Outcome, one.Message)
		}
	}
	found := r.rule(t, "reserve.accepts")
	for _, want := range []string{`product "lisbon-walk"`, "Not for you", "refused in 1 of "} {
		if found.Outcome != report.Failed || !strings.Contains(found.Message, want) {
			t.Errorf("Expected the refused option to fail reserve.accepts with %q, received %s: %s", want, found.Outcome, found.Message)
		}
	}
}
