package main_test

import (
	"bufio"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
)

// expiry are the rules about holds that expired.
var expiry = []string{
	"reserve.kept-until-expiry", "confirm.expired", "confirm.expired.no-effect", "release.expired.by-itself", "release.expired", "release.expired.vacancies",
}

func TestAHoldIsWaitedForOnlyIfRequestedAndShortEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		holdFor time.Duration
		flags   []string
		want    report.Outcome
		says    string
	}{
		{45 * time.Minute, []string{"--include-slow"}, report.Inconclusive, "the run waits at most 35m0s"},
		{0, nil, report.Skipped, "--include-slow"},
	} {
		_, address := startMock(t, mockpartner.Options{HoldFor: c.holdFor})
		r := judge(t, address, c.flags...)
		for _, id := range expiry {
			if one := r.rule(t, id); one.Outcome != c.want || !strings.Contains(one.Message+one.Remedy, c.says) {
				t.Errorf("want %s %s because %q, got %s: %s. %s", id, c.want, c.says, one.Outcome, one.Message, one.Remedy)
			}
		}
	}
}

// Holds of 20 minutes outlive the run: they are begun early, and the rest is judged
// before anybody waits.
func TestAnInterruptEndsTheWaitImmediatelyAndKeepsWhatWasJudged(t *testing.T) {
	t.Parallel()
	mock, address := startMock(t, mockpartner.Options{})
	r := runPiped(t, address, func(output io.ReadCloser, run *os.Process) {
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "waiting until ") {
				waitingBegan(t, mock)
				if err := run.Signal(os.Interrupt); err != nil {
					t.Error(err)
				}
			}
		}
	}, "--include-slow", "--max-duration", "150s")
	if r.code != 3 || r.result.Reason != "the run was interrupted" {
		t.Errorf("want exit 3 of an interrupted run, got %d: %q", r.code, r.result.Reason)
	}
	for _, id := range []string{"cancel.vacancies", "reserve.race", "reserve.contact.any-alphabet"} {
		if one := r.rule(t, id); one.Outcome != report.Passed {
			t.Errorf("want %s judged while the hold lived, got %s: %s", id, one.Outcome, one.Message)
		}
	}
	for _, id := range expiry {
		if one := r.rule(t, id); one.Outcome != report.Inconclusive && one.Outcome != report.Skipped {
			t.Errorf("want %s not judged any more, got %s: %s", id, one.Outcome, one.Message)
		}
	}
	allUndone(t, r, mock)
}

// waitingBegan fails the test if nothing is held when a run begins to wait, or where what
// is held was not held for long.
func waitingBegan(t *testing.T, mock *mockpartner.Mock) {
	t.Helper()
	made := mock.Default().Holds()
	held := slices.IndexFunc(made, func(h client.Hold) bool { return h.State == client.Held })
	if held < 0 || held > len(made)/2 {
		t.Errorf("want a hold of the run's first half to be still there, got the first at %d of %d", held, len(made))
	}
}

func TestAPartnerThatCannotBeReachedIsNotJudged(t *testing.T) {
	t.Parallel()
	for name, partner := range map[string]struct {
		address string
		says    string
	}{
		"a closed port":                          {"http://127.0.0.1:1", "connection refused"},
		"the name has no address":                {"https://partner.invalid/api", `the name "partner.invalid" has no address`},
		"connections are not accepted":           {"http://" + fullPort(t), "no connection within 1.75s"},
		"the certificate's authority is unknown": {tlsServer(t, http.NotFoundHandler()).URL, "certificate signed by unknown authority"},
		"plain HTTP where the address says https": {
			strings.Replace(serve(t, http.NotFound), "http:", "https:", 1), "the server speaks plain HTTP where the base URL says https"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := judge(t, partner.address, "--limit-scale", "0.1")
			if r.code != 3 || r.result.Verdict != report.Incomplete || !strings.Contains(r.result.Reason, partner.says) {
				t.Errorf("want exit 3 because %q, got exit %d, %s because %q", partner.says, r.code, r.result.Verdict, r.result.Reason)
			}
			for _, one := range r.rulesWithoutExploring() {
				switch {
				case one.ID == rule.Reachable.ID && (one.Outcome != report.Inconclusive || len(one.Exchanges) != 1 || one.Exchanges[0].Failure == nil):
					t.Errorf("want %s inconclusive, shown by one exchange that failed, got %+v", one.ID, one)
				case one.ID != rule.Reachable.ID && (one.Outcome != report.Blocked || !strings.Contains(one.Message, rule.Reachable.ID)):
					t.Errorf("want %s blocked by %s, got %s: %s", one.ID, rule.Reachable.ID, one.Outcome, one.Message)
				}
			}
		})
	}
}

// tlsServer serves with a certificate of an unknown authority.
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
		t.Fatalf("want exit 0, got %d\n%s%s", r.code, r.notPassed(), r.stderr)
	}
	// The mock's server also serves the clock.
	if expired := r.rule(t, rule.ConfirmExpired.ID); expired.Outcome != report.Passed {
		t.Errorf("want the expiry of holds judged, got %s: %s", expired.Outcome, expired.Message)
	}
}
