package suite_test

import (
	"net"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/conformance/suitetest"
	"partnerkit.dev/mockpartner"
)

// TestConformance judges a partner, with a Ginkgo spec for each rule. It takes the settings of
// `conformance run` from the environment: CONFORMANCE_BASE_URL for --base-url, and so on. Without
// an address it judges the mock partner. It is the only test of this package, so that the ginkgo
// command runs and reports the rules and nothing else.
func TestConformance(t *testing.T) {
	environment := settings.Environment(os.Environ())
	ofMock := environment.Get("CONFORMANCE_BASE_URL") == "" && environment.Get("CONFORMANCE_CONFIG") == ""
	if ofMock {
		environment = append(startMock(t), environment...)
	}
	run, config, err := settings.FromEnvironment(environment)
	if err != nil {
		t.Fatal(err)
	}
	config.Ledger = ledger.New()
	if run.ReportDir != "" {
		if err := settings.PrepareFolder(run.ReportDir, ""); err != nil {
			t.Fatal(err)
		}
	}
	if run.ReportDir != "" || run.Ledger != "" {
		if config.Ledger, err = run.BeginLedger(config, run.ReportDir); err != nil {
			t.Fatal(err)
		}
	}
	outcome := suitetest.RunSpecs(t, config)
	if err := config.Ledger.Close(); err != nil {
		t.Error(err)
	}
	if outcome == nil {
		return
	}
	if run.ReportDir != "" {
		if _, _, err := outcome.WriteReports(run.ReportDir, run.Reports...); err != nil {
			t.Error(err)
		}
	}
	if ofMock {
		allPassed(t, outcome)
	}
}

// allPassed fails the test if a run of everything left a rule open: the mock partner has every feature, and declares none of
// the extensions.
func allPassed(t *testing.T, outcome *suite.Outcome) {
	t.Helper()
	if narrowed := outcome.Result.NarrowedBy; !slices.Equal(narrowed, []string{"--depth quick"}) {
		return
	}
	for _, r := range outcome.Result.Rules {
		if r.Outcome != report.Passed && !(strings.HasPrefix(r.Clause, "EXT-") && r.Outcome == report.NotApplicable) {
			t.Errorf("Expected %s to pass, received %s: %s", r.ID, r.Outcome, r.Message)
		}
	}
	for _, left := range outcome.Result.NotUndone {
		t.Errorf("Expected everything to be undone, received %+v", left)
	}
}

// startMock starts the mock partner in this process, and returns the settings to judge it in full.
func startMock(t *testing.T) settings.Environment {
	t.Helper()
	const key, secret = "a-key-for-the-suites-own-test", "a-secret-for-the-suites-own-test"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hooks := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	address := "http://" + hooks + "/integration"
	mock, err := mockpartner.New(mockpartner.Options{
		AuthKey: key, Variants: []string{"webhooks-for-every-change"}, Webhooks: mockpartner.Webhooks{URL: address, Secret: secret},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mock)
	t.Cleanup(func() {
		server.Close()
		mock.Close()
		if violations := mock.Default().Invariants(); len(violations) > 0 {
			t.Errorf("Expected the mock's ledger to agree, received %v", violations)
		}
	})
	return settings.Environment{
		"CONFORMANCE_BASE_URL=" + server.URL, "CONFORMANCE_AUTH_KEY=" + key, "CONFORMANCE_CLOCK_URL=" + server.URL + "/_mock/clock",
		"CONFORMANCE_HANDLES_TICKET_DELIVERY=true", "CONFORMANCE_DEPTH=quick", "CONFORMANCE_EXPLORE=5",
		"CONFORMANCE_WEBHOOK_LISTEN=" + hooks, "CONFORMANCE_WEBHOOK_SECRET=" + secret, "CONFORMANCE_WEBHOOK_URL=" + address,
	}
}

// The ginkgo command takes a package for a suite of specs only if one of its test files imports it.
var _ = ginkgo.Label
