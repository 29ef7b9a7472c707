package suite_test

import (
	"errors"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// TestConformance judges the partner at CONFORMANCE_BASE_URL, or the mock
// partner where none is named. It is what `go test` and `ginkgo` run.
func TestConformance(t *testing.T) {
	config, named := fromEnvironment(t)
	if !named {
		config = ofMock(t)
	}
	config.GinkgoOutput = true
	result := suite.Run(t, config).Result
	for _, r := range result.Rules {
		if !named && r.Outcome != report.Passed {
			t.Errorf("the mock partner has every feature and keeps the contract: want %s passed, got %s: %s", r.ID, r.Outcome, r.Message)
		}
	}
	if !named {
		if _, err := suite.Judge(t.Context(), config); !errors.Is(err, suite.ErrOnce) {
			t.Errorf("want a second run refused, got %v", err)
		}
	}
	for _, left := range result.NotUndone {
		t.Errorf("want everything undone, got %+v", left)
	}
}

// fromEnvironment reads the target from the environment; the second result is
// false where none is named.
func fromEnvironment(t *testing.T) (suite.Config, bool) {
	t.Helper()
	address := os.Getenv("CONFORMANCE_BASE_URL")
	if address == "" {
		return suite.Config{}, false
	}
	baseURL, err := url.Parse(address)
	if err != nil {
		t.Fatalf("CONFORMANCE_BASE_URL: %v", err)
	}
	return suite.Config{
		BaseURL:               baseURL,
		AuthType:              partnerapi.AuthType(os.Getenv("CONFORMANCE_AUTH_TYPE")),
		AuthKey:               os.Getenv(probe.KeyVariable),
		HandlesTicketDelivery: os.Getenv("CONFORMANCE_HANDLES_TICKET_DELIVERY") == "true",
		ClockURL:              os.Getenv("CONFORMANCE_CLOCK_URL"),
		Depth:                 os.Getenv("CONFORMANCE_DEPTH"),
		IncludeSlow:           os.Getenv("CONFORMANCE_INCLUDE_SLOW") == "true",
		NoRaces:               os.Getenv("CONFORMANCE_NO_RACES") == "true",
	}, true
}

// ofMock starts the mock partner in this process.
func ofMock(t *testing.T) suite.Config {
	t.Helper()
	const key = "a-key-for-the-suites-own-test"
	hooks := ofWebhooks(t)
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key, Variants: []string{"webhooks-for-every-change"}, Webhooks: hooks.sent})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mock)
	t.Cleanup(server.Close)
	baseURL, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if violations := mock.Default().Platform().Invariants(); len(violations) > 0 {
			t.Errorf("want the mock's ledger to agree, got %v", violations)
		}
	})
	t.Cleanup(mock.Close)
	return suite.Config{
		BaseURL: baseURL, AuthKey: key, HandlesTicketDelivery: true, ClockURL: server.URL + "/_mock/clock", Explore: 5, Depth: "quick", Webhooks: hooks.received,
	}
}

// hooks is how the mock sends its webhooks, and how the suite receives them.
type hooks struct {
	sent     *mockpartner.Webhooks
	received *suite.Webhooks
}

func ofWebhooks(t *testing.T) hooks {
	t.Helper()
	const secret = "a-secret-for-the-suites-own-test"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	base := &url.URL{Scheme: "http", Host: free, Path: "/integration"}
	return hooks{&mockpartner.Webhooks{URL: base.String(), Secret: secret}, &suite.Webhooks{Listen: free, Secret: secret, URL: base}}
}
