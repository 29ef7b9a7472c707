package main_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
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
	return only(at.endpoint, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
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

func TestWhateverIsHeldIsUndoneWhenTheRunIsInterrupted(t *testing.T) {
	t.Parallel()
	once, often := []os.Signal{syscall.SIGINT}, []os.Signal{syscall.SIGINT, syscall.SIGINT, syscall.SIGINT}
	all := moments()
	for _, interrupt := range []struct {
		name    string
		signals []os.Signal
		moments []moment
	}{
		{"once", once, all},
		{"twice", often[:2], all[1:2]},
		{"three times", often, []moment{all[1], all[3]}},
		{"by SIGTERM", []os.Signal{syscall.SIGTERM}, all[1:2]},
		{"by SIGHUP", []os.Signal{syscall.SIGHUP}, all[1:2]},
	} {
		for _, at := range interrupt.moments {
			t.Run(interrupt.name+" "+at.name, func(t *testing.T) {
				t.Parallel()
				mock := small(t)
				slow, come := stopAt(at)
				p := start(t, withKey(), "run", "--base-url", between(t, mock, slow))
				p.interruptAt(t, come, interrupt.signals)
				r := p.wait(t)
				if r.code != 3 || r.result == nil || r.result.Verdict != report.Incomplete || r.result.Reason != "the run was interrupted" {
					t.Fatalf("want exit 3 and a report of an interrupted run, got exit %d and %+v\n%s", r.code, r.result, r.stderr)
				}
				if !strings.Contains(r.stdout, "COULD NOT BE JUDGED (the run was interrupted)") || r.stderr != "" {
					t.Errorf("want the screen to say that the run was interrupted, got\n%s%s", r.stdout, r.stderr)
				}
				if held := len(mock.Default().Platform().Holds()); held < at.holds || len(mock.Default().Platform().Bookings()) < at.bookings {
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
	mock := small(t)
	slow, come := stopAt(moment{endpoint: partnerapi.Confirm, call: 1})
	p := start(t, withKey(), "run", "--base-url", between(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
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
func TestARunWhoseOutputNobodyReadsGoesOnToItsEnd(t *testing.T) {
	t.Parallel()
	mock := small(t)
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
