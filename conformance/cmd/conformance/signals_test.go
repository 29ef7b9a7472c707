package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// moment is a point of a run at which a test steps in: one call of an endpoint,
// before or after the mock has done what it asks for.
type moment struct {
	name     string
	endpoint partnerapi.Endpoint
	call     int // 1 is the first
	after    bool
	holds    int // that exist then
	bookings int
}

func moments() []moment {
	return []moment{
		{name: "while slots are fetched", endpoint: partnerapi.Availability, call: 1},
		{name: "while a reserve is on its way back", endpoint: partnerapi.Reserve, call: 1, after: true, holds: 1},
		{name: "while there is a hold", endpoint: partnerapi.Confirm, call: 1, holds: 1},
		{name: "while a confirm is on its way back", endpoint: partnerapi.Confirm, call: 1, after: true, bookings: 1},
		{name: "while there is a booking", endpoint: partnerapi.Release, call: 1, bookings: 1},
		{name: "while a cancellation is on its way back", endpoint: partnerapi.Cancel, call: 1, after: true},
	}
}

// slowFor is how long the call takes at which a test steps in: the run is
// waiting for it when the signals come.
const slowFor = 300 * time.Millisecond

// stopAt makes a partner slow at one moment of the run; the channel is closed when it
// has come.
func stopAt(at moment) (slow change, come <-chan struct{}) {
	reached := make(chan struct{})
	var calls atomic.Int64
	return changeEndpoint(at.endpoint, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		switch now := calls.Add(1) == int64(at.call); {
		case now && at.after:
			recorder := httptest.NewRecorder()
			next.ServeHTTP(recorder, r)
			close(reached)
			pause(r, slowFor)
			w.WriteHeader(recorder.Code)
			_, _ = w.Write(recorder.Body.Bytes())
			return
		case now:
			close(reached)
			pause(r, slowFor)
		}
		next.ServeHTTP(w, r)
	}), reached
}

func TestHoldsAreUndoneWhenTheRunIsInterrupted(t *testing.T) {
	t.Parallel()
	once, often := []os.Signal{syscall.SIGINT}, []os.Signal{syscall.SIGINT, syscall.SIGINT, syscall.SIGINT}
	all := moments()
	for _, interrupt := range []struct {
		name    string
		signals []os.Signal
		moments []moment
	}{
		{"once", once, all},
		{"three times", often, []moment{all[1], all[3]}},
		{"by SIGTERM", []os.Signal{syscall.SIGTERM}, all[1:2]},
		{"by SIGHUP", []os.Signal{syscall.SIGHUP}, all[1:2]},
	} {
		for _, at := range interrupt.moments {
			t.Run(interrupt.name+" "+at.name, func(t *testing.T) {
				t.Parallel()
				mock := newMock(t, mockpartner.Options{})
				slow, come := stopAt(at)
				p := startProcess(t, withKey(), "run", "--base-url", serveChanged(t, mock, slow), "--reports", "report.json")
				p.interruptAt(t, come, interrupt.signals)
				r := p.wait(t)
				if r.code != 3 || r.result == nil || r.result.Verdict != report.Incomplete || r.result.Reason != "the run was interrupted" {
					t.Fatalf("want exit 3 and a report of an interrupted run, got exit %d and %+v\n%s", r.code, r.result, r.stderr)
				}
				if !strings.Contains(r.stdout, "Not judged. The run was interrupted.") || r.stderr != "" {
					t.Errorf("want the screen to say that the run was interrupted, got\n%s%s", r.stdout, r.stderr)
				}
				if held := len(mock.Default().Holds()); held < at.holds || len(mock.Default().Bookings()) < at.bookings {
					t.Errorf("want the run to have made %d holds and %d bookings by then", at.holds, at.bookings)
				}
				allUndone(t, r, mock)
			})
		}
	}
}

// interruptAt sends the signals when the moment has come, as fast as a person
// presses keys.
func (p *process) interruptAt(t *testing.T, come <-chan struct{}, signals []os.Signal) {
	t.Helper()
	select {
	case <-come:
	case err := <-p.ended:
		t.Fatalf("the run ended before the moment had come: %v\n%s%s", err, p.stdout, p.stderr)
	}
	keys := time.NewTicker(50 * time.Millisecond)
	defer keys.Stop()
	for i, signal := range signals {
		if i > 0 {
			<-keys.C
		}
		if err := p.command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABreachStandsAlsoWhenTheRunIsInterruptedLater(t *testing.T) {
	t.Parallel()
	mock := newMock(t, mockpartner.Options{})
	slow, come := stopAt(moment{endpoint: partnerapi.Confirm, call: 1})
	p := startProcess(t, withKey(), "run", "--base-url", serveChanged(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("updated_since") {
			http.Error(w, `{"message":"unknown parameter"}`, http.StatusBadRequest)
			return
		}
		slow(next, w, r)
	}))
	p.interruptAt(t, come, []os.Signal{syscall.SIGINT})
	r := p.wait(t)
	if failed := r.outcomes(report.Failed); r.code != 1 || len(failed) != 1 || failed[0] != "products.updated-since" {
		t.Errorf("want exit 1 for products.updated-since, got %d for %q", r.code, failed)
	}
	if confirm := r.rule(t, "confirm.status"); confirm.Message != "the run was interrupted" {
		t.Errorf("want the rules after it to say that the run was interrupted, got %s: %q", confirm.Outcome, confirm.Message)
	}
	allUndone(t, r, mock)
}

// A reader such as head closes the output after a few lines.
func TestARunFinishesEvenIfItsOutputIsNotRead(t *testing.T) {
	t.Parallel()
	mock := newMock(t, mockpartner.Options{})
	r := runPiped(t, serve(t, mock.ServeHTTP), func(output io.ReadCloser, _ *os.Process) {
		if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || !strings.HasPrefix(line, "judging") {
			t.Errorf("want the first line, got %q, %v", line, err)
		}
		_ = output.Close()
	})
	if r.code != 0 || r.result == nil {
		t.Fatalf("want exit 0 and a report, got exit %d and %+v", r.code, r.result)
	}
	allUndone(t, r, mock)
}

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

// killRun starts a run against a mock, and returns when it has been killed.
func (k killing) killRun(t *testing.T, mock *mockpartner.Mock) (address, account string) {
	t.Helper()
	var requests atomic.Int64
	started, gone := make(chan *process, 1), make(chan struct{})
	address = serveChanged(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
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
	p := startProcess(t, withKey(), append([]string{"run", "--base-url", address}, ofMock(address, "--reports", "report.json")...)...)
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
func cleanUp(t *testing.T, account, address string) (left cleaned) {
	t.Helper()
	r := start(t, withKey(), "cleanup", account, "--json", "--clock-url", address+"/_mock/clock").wait(t)
	if err := json.Unmarshal([]byte(r.stdout), &left); err != nil {
		t.Fatalf("want JSON, got exit %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	want := 0
	if len(left.NotUndone) > 0 {
		want = 1
	}
	if r.code != want || r.stderr != "" {
		t.Errorf("want exit %d where %d are left, got %d\n%s", want, len(left.NotUndone), r.code, r.stderr)
	}
	return left
}

func TestAfterARunIsKilledACleanupLeavesOnlyHoldsWhoseAnswerNeverArrivedAndListsThem(t *testing.T) {
	t.Parallel()
	for i, k := range killings() {
		if !isTried(i) {
			continue
		}
		t.Run(fmt.Sprintf("request %d, %s", k.nth, k.when), func(t *testing.T) {
			t.Parallel()
			mock := newMock(t, mockpartner.Options{})
			address, account := k.killRun(t, mock)
			cleanedUp := cleanUp(t, account, address)
			for _, booking := range mock.Default().Bookings() {
				if booking.CancelledAt.IsZero() {
					t.Errorf("want every booking cancelled, got %+v", booking)
				}
			}
			latest := time.Time{}
			for _, left := range cleanedUp.NotUndone {
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
				if !isListed(hold, cleanedUp.NotUndone) {
					t.Errorf("want %+v undone or listed, got %+v", hold, cleanedUp.NotUndone)
				}
			}
			if len(cleanedUp.NotUndone) == 0 {
				return
			}
			if again := cleanUp(t, account, address); len(again.NotUndone) != len(cleanedUp.NotUndone) {
				t.Errorf("want the same answer again, got %+v", again)
			}
			mock.Default().SetClock(latest.Add(time.Second))
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
func holdsOf(mock *mockpartner.Mock) (holds []client.Hold) {
	for _, hold := range mock.Default().Holds() {
		if hold.State == client.Held {
			holds = append(holds, hold)
		}
	}
	return holds
}

// isListed reports whether a hold is among what is left: by its reference or,
// where its reserve had none, by its slot.
func isListed(hold client.Hold, left []report.Leftover) bool {
	return slices.ContainsFunc(left, func(one report.Leftover) bool {
		return one.Reference == hold.ResellerReference || hold.ResellerReference == "" && one.AvailabilityID == hold.AvailabilityID
	})
}
