package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// between has a partner's answers pass through change, or leaves an endpoint to
// answer alone.
func between(t *testing.T, mock *mockpartner.Mock, change func(next http.Handler, w http.ResponseWriter, r *http.Request)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { change(mock, w, r) }))
	t.Cleanup(server.Close)
	return server.URL
}

// pause lets time pass, or the client go.
func pause(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}

// The contract's 2 s and 150 s, a tenth of each. Only what the partner takes is
// counted: the rest of the run may be on a busy machine.
func TestAPartnerThatTakesTwoSecondsForEveryReserveAndConfirmIsJudgedInFull(t *testing.T) {
	t.Parallel()
	const each, inAll = 200 * time.Millisecond, 15 * time.Second
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key})
	if err != nil {
		t.Fatal(err)
	}
	var slow overlapping
	address := between(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if endpoint := partnerapi.EndpointOf(r); endpoint == partnerapi.Reserve || endpoint == partnerapi.Confirm {
			slow.take(each)
			pause(r, each)
		}
		next.ServeHTTP(w, r)
	})
	args := append([]string{"run", "--base-url", address, "--limit-scale", hurry, "--strict"}, ofMock(address)...)
	r := start(t, quickCommand, withKey(), args...).wait(t)
	if r.code != 0 {
		t.Errorf("want exit 0, got %d: %s\n%s", r.code, r.result.Reason, r.troubles())
	}
	for _, one := range r.plain() {
		if one.Outcome != report.Passed && one.Outcome != report.NotApplicable && one.Outcome != report.Warned {
			t.Errorf("want %s judged, got %s: %s", one.ID, one.Outcome, one.Message)
		}
	}
	if slow.lasted < each || slow.lasted > inAll {
		t.Errorf("want a run that waits no more than %s for its partner, got %s", inAll, slow.lasted)
	}
}

// overlapping adds up how long anything lasts, where several may at the same time.
type overlapping struct {
	mu     sync.Mutex
	lasted time.Duration
	until  time.Time
}

// take enters what begins now.
func (o *overlapping) take(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	from, until := time.Now(), time.Now().Add(d)
	if from.Before(o.until) {
		from = o.until
	}
	o.lasted, o.until = o.lasted+until.Sub(from), until
}

func TestARunThatUsesItsTimeUpSaysSoAndIsIncomplete(t *testing.T) {
	t.Parallel()
	mock := small(t)
	address := between(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if partnerapi.EndpointOf(r) == partnerapi.Reserve {
			pause(r, 300*time.Millisecond)
		}
		next.ServeHTTP(w, r)
	})
	r := start(t, quickCommand, withKey(), "run", "--base-url", address, "--max-duration", "1s").wait(t)
	if r.code != 3 || !strings.Contains(r.result.Reason, "--max-duration") {
		t.Errorf("want exit 3 because of --max-duration, got %d because %q\n%s", r.code, r.result.Reason, r.troubles())
	}
	allUndone(t, r, mock)
}

// An array of millions of elements fits into the cap on bytes, and not into the
// time and memory of whoever takes each of them seriously.
func TestMillionsOfWrongProductsAreAFindingWithinTimeAndMemory(t *testing.T) {
	t.Parallel()
	address := serve(t, text(http.StatusOK, "application/json", "["+strings.Repeat("{},", inShort(10<<20))+"{}]"))
	p := start(t, quickCommand, withKey(), "run", "--base-url", address, "--max-duration", "15s")
	r := p.wait(t)
	if failed := r.outcomes(report.Failed); r.code != 1 || !slices.Contains(failed, rule.ProductID.ID) {
		t.Errorf("want exit 1 for %s, got %d after %s for %q\n%s", rule.ProductID.ID, r.code, r.took, failed, r.troubles())
	}
	p.staysSmall(t)
}

func TestMillionsOfWrongSlotsAreAFindingWithinTimeAndMemory(t *testing.T) {
	t.Parallel()
	slots := "[" + strings.Repeat("{},", inShort(5<<20)) + "{}]"
	address := between(t, small(t), func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if partnerapi.EndpointOf(r) == partnerapi.Availability {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, slots)
			return
		}
		next.ServeHTTP(w, r)
	})
	p := start(t, quickCommand, withKey(), "run", "--base-url", address, "--max-duration", "20s", "--rule", rule.SlotID.ID)
	r := p.wait(t)
	if failed := r.outcomes(report.Failed); r.code != 1 || !slices.Contains(failed, rule.SlotID.ID) {
		t.Errorf("want exit 1 for %s, got %d after %s for %q\n%s", rule.SlotID.ID, r.code, r.took, failed, r.troubles())
	}
	p.staysSmall(t)
}

// Texts of a partner's choice stand in messages, addresses and headers; none of
// them may make a report that nobody can open.
func TestTextsOfAnyLengthLeaveTheReportSmall(t *testing.T) {
	t.Parallel()
	const length = 200 << 10
	long := strings.Repeat("long ", length/5)
	edit := func(answer []byte, change func(map[string]any)) []byte {
		var object map[string]any
		if json.Unmarshal(answer, &object) != nil {
			return answer
		}
		change(object)
		edited, _ := json.Marshal(object)
		return edited
	}
	address := between(t, small(t), func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		answer := recorder.Body.Bytes()
		switch partnerapi.EndpointOf(r) {
		case partnerapi.Reserve:
			answer = edit(answer, func(o map[string]any) {
				if code, ok := o["reservationConfirmationCode"].(string); ok {
					o["reservationConfirmationCode"] = code + long
				} else {
					o["message"] = long
				}
			})
		case partnerapi.Products:
			w.Header().Set("X-Long", long)
			w.Header().Set(strings.Repeat("X", 10_000), "a long name")
		}
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(answer)
	})
	p := start(t, quickCommand, withKey(), "run", "--base-url", address)
	r := p.wait(t)
	if r.result == nil {
		t.Fatalf("want a report, got exit %d\n%s", r.code, r.stderr)
	}
	p.staysSmall(t)
	for name, content := range r.files(t) {
		if len(content) > 2<<20 {
			t.Errorf("want %s to stay below 2 MB, got %d KB", name, len(content)>>10)
		}
	}
	if len(r.stdout) > 200<<10 {
		t.Errorf("want the output to stay below 200 KB, got %d KB", len(r.stdout)>>10)
	}
}

// allUndone fails where the mock still has a hold or a booking of the run.
func allUndone(t *testing.T, r ran, mock *mockpartner.Mock) {
	t.Helper()
	p := mock.Default().Platform()
	for _, hold := range p.Holds() {
		if hold.State == "HELD" {
			t.Errorf("want every hold released, got %+v", hold)
		}
	}
	for _, booking := range p.Bookings() {
		if booking.CancelledAt.IsZero() {
			t.Errorf("want every booking cancelled, got %+v", booking)
		}
	}
	for _, violation := range p.Invariants() {
		t.Errorf("want the mock's ledger to agree, got %+v", violation)
	}
	for _, left := range r.result.NotUndone {
		t.Errorf("want nothing left, got %+v", left)
	}
}

// One slow answer is bad luck (LIM-3), whichever call it is.
func TestASingleLateAnswerIsAWarningAtMost(t *testing.T) {
	t.Parallel()
	for _, late := range []moment{
		{endpoint: partnerapi.Products, call: 1}, {endpoint: partnerapi.Products, call: 4}, {endpoint: partnerapi.Availability, call: 1}, {endpoint: partnerapi.Availability, call: 5},
		{endpoint: partnerapi.Reserve, call: 1}, {endpoint: partnerapi.Reserve, call: 2}, {endpoint: partnerapi.Reserve, call: 4}, {endpoint: partnerapi.Reserve, call: 7},
		{endpoint: partnerapi.Confirm, call: 1}, {endpoint: partnerapi.Confirm, call: 2}, {endpoint: partnerapi.Confirm, call: 3}, {endpoint: partnerapi.Confirm, call: 5},
		{endpoint: partnerapi.Release, call: 1}, {endpoint: partnerapi.Cancel, call: 1},
	} {
		t.Run(fmt.Sprintf("%s, call %d", late.endpoint, late.call), func(t *testing.T) {
			t.Parallel()
			mock := small(t)
			var calls atomic.Int64
			address := between(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if partnerapi.EndpointOf(r) == late.endpoint && calls.Add(1) == int64(late.call) {
					_, _ = io.Copy(io.Discard, r.Body)
					<-r.Context().Done()
					return
				}
				next.ServeHTTP(w, r)
			})
			r := start(t, quickCommand, withKey(), "run", "--base-url", address, "--limit-scale", hurry, "--reports", "report.json").wait(t)
			if failed := r.outcomes(report.Failed); r.code != 0 || len(failed) != 0 {
				t.Errorf("want exit 0, got %d for %q\n%s", r.code, failed, r.troubles())
			}
			limit := r.rule(t, string(late.endpoint)+".limit")
			if limit.Outcome != report.Warned || len(limit.Exchanges) != 1 {
				t.Errorf("want a warning with the one late call, got %s and %d exchanges", limit.Outcome, len(limit.Exchanges))
			}
		})
	}
}
