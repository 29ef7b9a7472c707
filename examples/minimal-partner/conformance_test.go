package main

import (
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/conformance/suitetest"
)

// This is all that a Go partner needs to run the suite in its own tests. Every rule is a subtest,
// which fails if the partner breaches the rule.
func TestTheConformanceSuiteFindsNothing(t *testing.T) {
	products, err := catalog()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(requireKey(testKey, endpoints(newPlatform(products, time.Now))))
	defer server.Close()
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}

	outcome := suitetest.Run(t, suite.Config{BaseURL: address, AuthKey: testKey, HandlesTicketDelivery: true, Depth: "quick"})

	if _, _, err := outcome.WriteReports(t.TempDir()); err != nil {
		t.Errorf("want the reports written, as a folder of your own would have them, got %v", err)
	}
	if passed := outcome.Result.Summary[report.Passed]; passed < 60 {
		t.Errorf("want at least 60 rules passed, got %d", passed)
	}
	for _, rule := range outcome.Result.Rules {
		if rule.Outcome == report.Warned {
			t.Errorf("want no warning, got %s: %s", rule.ID, rule.Message)
		}
	}
}
