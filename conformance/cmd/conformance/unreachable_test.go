package main_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
)

func TestAPartnerThatCannotBeReachedIsNotJudged(t *testing.T) {
	t.Parallel()
	for name, partner := range map[string]struct {
		address string
		says    string
	}{
		"nobody listens":                         {"http://127.0.0.1:1", "connection refused"},
		"the name has no address":                {"https://partner.invalid/api", `the name "partner.invalid" has no address`},
		"connections are not accepted":           {"http://" + fullPort(t), "no connection within 1.75s"},
		"the certificate's authority is unknown": {tlsServer(t, http.NotFoundHandler()).URL, "certificate signed by unknown authority"},
		"plain HTTP where the address says https": {
			strings.Replace(serve(t, http.NotFound), "http:", "https:", 1), "the server speaks plain HTTP where the base URL says https"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := judge(t, partner.address, "--limit-scale", hurry)
			if r.code != 3 || r.result.Verdict != report.Incomplete || !strings.Contains(r.result.Reason, partner.says) {
				t.Errorf("want exit 3 because %q, got exit %d, %s because %q", partner.says, r.code, r.result.Verdict, r.result.Reason)
			}
			for _, one := range r.plain() {
				switch {
				case one.ID == rule.Reachable.ID && (one.Outcome != report.Inconclusive || len(one.Exchanges) != 1 || one.Exchanges[0].Failure == nil):
					t.Errorf("want %s inconclusive, shown by one exchange that failed, got %+v", one.ID, one)
				case one.ID != rule.Reachable.ID && (one.Outcome != report.Blocked || !strings.Contains(one.Message, rule.Reachable.ID)):
					t.Errorf("want %s blocked by %s, got %s: %s", one.ID, rule.Reachable.ID, one.Outcome, one.Message)
				}
			}
			if r.took > soon {
				t.Errorf("want an end within %s, got one after %s", soon, r.took)
			}
		})
	}
}

// tlsServer serves with a certificate of an authority that nobody knows.
func tlsServer(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestACertificateOfThePartnersOwnAuthorityIsTrustedWhenItIsGiven(t *testing.T) {
	t.Parallel()
	server := tlsServer(t, newMock(t, mockpartner.Options{}))
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r := judge(t, server.URL, ofMock(server.URL, "--ca-file", file)...)
	if r.code != 0 {
		t.Fatalf("want exit 0, got %d\n%s%s", r.code, r.said(), r.stderr)
	}
	// The clock is the same server's.
	if expired := r.rule(t, rule.ConfirmExpired.ID); expired.Outcome != report.Passed {
		t.Errorf("want the expiry of holds judged, got %s: %s", expired.Outcome, expired.Message)
	}
}
