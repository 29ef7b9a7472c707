package server_test

import (
	"net/url"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/mockpartner"
)

// judge runs the conformance suite against a bridge.
func judge(t *testing.T, b *bridge, change func(*suite.Config)) *report.Result {
	t.Helper()
	address, err := url.Parse(b.url)
	check(t, err)
	config := suite.Config{BaseURL: address, AuthKey: key, HandlesTicketDelivery: true, ClockURL: b.mock.URL + "/_mock/clock"}
	change(&config)
	outcome, err := suite.Run(t.Context(), config)
	check(t, err)
	return outcome.Result
}

func TestABridgeToAnOCTOSupplierIsConformant(t *testing.T) {
	t.Parallel()
	b := start(t, options{mock: mockpartner.Options{Seed: 7}})
	result := judge(t, b, func(c *suite.Config) { c.Depth = "quick" })
	for _, r := range result.Rules {
		switch r.Outcome {
		case report.Passed, report.NotApplicable:
		default:
			t.Errorf("%s %s: %s", r.ID, r.Outcome, r.Message)
		}
	}
	t.Log(result.Verdict, result.Reason, result.Summary, result.Coverage.Calls, result.DurationMS)
	t.Log(b.log)
}
