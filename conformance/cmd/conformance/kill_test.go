package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// killing is when, seen from the partner, a run is killed: at its nth request that
// changes something.
type killing struct {
	nth  int64
	when string
}

// The moments of a request at which a run may be killed.
const (
	beforeTheWork   = "before it is worked on"
	beforeTheAnswer = "before it is answered"
	afterTheAnswer  = "as the answer arrives"
)

// killings are all over the 110 requests that a run sends at least.
func killings() (all []killing) {
	for i, nth := range []int64{1, 7, 12, 18, 24, 29, 33, 40, 41, 48, 54, 60, 63, 68, 71, 77, 83, 89, 96, 103} {
		all = append(all, killing{nth, []string{beforeTheWork, beforeTheAnswer, afterTheAnswer}[i%3]})
	}
	return all
}

// killed starts a run against a mock, and returns when it has been killed.
func (k killing) killed(t *testing.T, mock *mockpartner.Mock) (address, account string) {
	t.Helper()
	var requests atomic.Int64
	started, gone := make(chan *process, 1), make(chan struct{})
	address = between(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if endpoint := partnerapi.EndpointOf(r); endpoint == partnerapi.Products || endpoint == partnerapi.Availability || requests.Add(1) != k.nth {
			next.ServeHTTP(w, r)
			return
		}
		switch k.when {
		case beforeTheAnswer:
			next.ServeHTTP(httptest.NewRecorder(), r)
		case afterTheAnswer:
			next.ServeHTTP(w, r)
			_ = http.NewResponseController(w).Flush()
		}
		if err := (<-started).command.Process.Kill(); err != nil {
			t.Error(err)
		}
		<-gone
	})
	p := start(t, withKey(), append([]string{"run", "--base-url", address}, ofMock(address)...)...)
	started <- p
	err := <-p.ended
	close(gone)
	if err != nil {
		t.Fatal(err)
	}
	if p.code != -1 {
		t.Fatalf("want the run killed at request %d, got exit %d after %d requests\n%s", k.nth, p.code, requests.Load(), p.stdout)
	}
	return address, filepath.Join(p.dir, "ledger.jsonl")
}

// cleaned is what a clean-up says.
type cleaned struct {
	Undone    []report.Leftover `json:"undone"`
	NotUndone []report.Leftover `json:"not_undone"`
}

// cleanUp runs conformance cleanup, and fails where its exit code does not say
// what it lists.
func cleanUp(t *testing.T, account, address string) (said cleaned) {
	t.Helper()
	r := start(t, withKey(), "cleanup", account, "--json", "--clock-url", address+"/_mock/clock").wait(t)
	if err := json.Unmarshal([]byte(r.stdout), &said); err != nil {
		t.Fatalf("want JSON, got exit %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	want := 0
	if len(said.NotUndone) > 0 {
		want = 1
	}
	if r.code != want || r.stderr != "" {
		t.Errorf("want exit %d where %d are left, got %d\n%s", want, len(said.NotUndone), r.code, r.stderr)
	}
	return said
}

func TestAfterARunIsKilledACleanupLeavesOnlyHoldsWhoseAnswerNeverArrivedAndListsThem(t *testing.T) {
	t.Parallel()
	for i, k := range killings() {
		if !isTried(i) {
			continue
		}
		t.Run(fmt.Sprintf("request %d, %s", k.nth, k.when), func(t *testing.T) {
			t.Parallel()
			mock := small(t)
			address, account := k.killed(t, mock)
			said := cleanUp(t, account, address)
			for _, booking := range mock.Default().Platform().Bookings() {
				if booking.CancelledAt.IsZero() {
					t.Errorf("want every booking cancelled, got %+v", booking)
				}
			}
			latest := time.Time{}
			for _, left := range said.NotUndone {
				if left.Kind != "hold" || left.Code != "" || !strings.Contains(left.Reason, "before reserve was answered") {
					t.Errorf("want only holds whose answer never arrived left, got %+v", left)
				}
				expires, err := time.Parse(time.RFC3339, left.ExpiresAt)
				if err != nil {
					t.Errorf("want each with its latest expiry, got %+v", left)
				}
				if expires.After(latest) {
					latest = expires
				}
			}
			for _, hold := range holdsOf(mock) {
				if !isListed(hold, said.NotUndone) {
					t.Errorf("want %+v undone or listed, got %+v", hold, said.NotUndone)
				}
			}
			if len(said.NotUndone) == 0 {
				return
			}
			if again := cleanUp(t, account, address); len(again.NotUndone) != len(said.NotUndone) {
				t.Errorf("want the same said again, got %+v", again)
			}
			mock.Default().Clock().Set(latest.Add(time.Second))
			if left := holdsOf(mock); len(left) > 0 {
				t.Errorf("want none left after the latest expiry, %s, got %+v", latest, left)
			}
			if over := cleanUp(t, account, address); len(over.NotUndone) > 0 {
				t.Errorf("want nothing listed after the latest expiry, got %+v", over)
			}
		})
	}
}

// holdsOf returns the holds that a mock has now.
func holdsOf(mock *mockpartner.Mock) (holds []mockpartner.Hold) {
	for _, hold := range mock.Default().Platform().Holds() {
		if hold.State == mockpartner.Held {
			holds = append(holds, hold)
		}
	}
	return holds
}

// isListed reports whether a hold is among what is left: by its reference or,
// where its reserve had none, by its slot.
func isListed(hold mockpartner.Hold, left []report.Leftover) bool {
	return slices.ContainsFunc(left, func(one report.Leftover) bool {
		return one.Reference == hold.ResellerReference || hold.ResellerReference == "" && one.AvailabilityID == hold.AvailabilityID
	})
}
