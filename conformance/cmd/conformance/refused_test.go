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

func TestPartnersThatShareSeatsOrStopSellingEarlyAreNotAccused(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"one-pool-for-the-season", "booking-cut-off-shown-as-open"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			_, address := startMock(t, mockpartner.Options{Variants: []string{variant}})
			r := judge(t, address, ofMock(address, "--depth", "standard")...)
			for _, one := range r.result.Rules {
				if one.Outcome == report.Failed || one.Outcome == report.Warned {
					t.Errorf("Expected no breach, received %s: %s", one.ID, one.Message)
				}
			}
		})
	}
}
