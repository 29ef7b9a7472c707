package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// change stands between a run and its partner, and may answer in its place.
type change = func(next http.Handler, w http.ResponseWriter, r *http.Request)

// serveChanged has a partner's answers pass through a change.
func serveChanged(t *testing.T, mock *mockpartner.Mock, change change) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) { change(mock, w, r) })
}

// changeEndpoint changes the answers of one endpoint.
func changeEndpoint(endpoint partnerapi.Endpoint, change change) change {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if partnerapi.EndpointOf(r) == endpoint {
			change(next, w, r)
			return
		}
		next.ServeHTTP(w, r)
	}
}

// says answers in the partner's place.
func says(status int, body string) change {
	return func(_ http.Handler, w http.ResponseWriter, r *http.Request) {
		text(status, "application/json", body)(w, r)
	}
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

// Cases of the plan and races can use any number of holds. Every rule is judged before they do.
func TestARunWithFewHoldsJudgesEveryRuleAndLeavesOutCasesOfThePlan(t *testing.T) {
	t.Parallel()
	_, address := startMock(t, mockpartner.Options{})
	r := judge(t, address, ofMock(address, "--depth", "standard", "--max-holds", "100")...)
	for _, one := range r.result.Rules {
		if one.Outcome == report.Inconclusive {
			t.Errorf("Expected %s judged, received %s: %s", one.ID, one.Outcome, one.Message)
		}
	}
	if r.code != 0 || r.result.Coverage.CasesWithoutHolds == 0 || !strings.Contains(r.stdout, "There were too few holds for") {
		t.Errorf("Expected exit 0 with cases left out, received %d because %q, and %d cases\n%s", r.code, r.result.Reason, r.result.Coverage.CasesWithoutHolds, r.notPassed())
	}
}

// Texts of a partner's choice stand in messages, addresses and headers; none of
// them may make a report unreadable.
func TestTextsOfAnyLengthLeaveTheReportSmall(t *testing.T) {
	t.Parallel()
	const length = 50 << 10
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
	address := serveChanged(t, newMock(t, mockpartner.Options{}), func(next http.Handler, w http.ResponseWriter, r *http.Request) {
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
	p := startProcess(t, withKey(), "run", "--base-url", address)
	r := p.wait(t)
	p.staysSmall(t)
	for name, content := range r.files(t) {
		most := 1 << 20
		if name == "run.har" {
			most = 4 << 20 // it has complete answers
		}
		if len(content) > most {
			t.Errorf("want %s to stay below %d KB, got %d KB", name, most>>10, len(content)>>10)
		}
	}
	if len(r.stdout) > 50<<10 {
		t.Errorf("want the output to stay below 50 KB, got %d KB", len(r.stdout)>>10)
	}
}

// allUndone fails the test if something of the run is left that it could have undone, or a
// seat was lost.
func allUndone(t *testing.T, r ran, mock *mockpartner.Mock) {
	t.Helper()
	everythingUndone(t, mock)
	for _, left := range r.result.NotUndone {
		t.Errorf("want nothing left, got %+v", left)
	}
}
