package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// onlyBadInput picks the rules about calls that make no sense, and what they may not
// be counted for.
const onlyBadInput = `/\.bad-input/ || availability.limit || availability.aim || reserve.nobody`

// when has a partner answer as it does, but for some bodies sent to one endpoint.
func when(endpoint partnerapi.Endpoint, odd func(body string) bool, answer http.HandlerFunc) func(http.Handler, http.ResponseWriter, *http.Request) {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if partnerapi.EndpointOf(r) == endpoint && odd(string(body)) {
			answer(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}
}

func TestALateAnswerToNonsenseIsNoBreachOfALimit(t *testing.T) {
	t.Parallel()
	odd := func(body string) bool { return strings.Contains(body, "2030-0") }
	address := between(t, small(t), when(partnerapi.Availability, odd, func(_ http.ResponseWriter, r *http.Request) { pause(r, time.Minute) }))
	r := judge(t, address, "--limit-scale", hurry, "--label", onlyBadInput)
	if one := r.rule(t, "availability.bad-input"); one.Outcome != report.Warned || len(one.Exchanges) > 4 {
		t.Errorf("want a few calls that were not answered, and no further ones, got %s with %d calls", one.Outcome, len(one.Exchanges))
	}
	for _, id := range []string{"availability.limit", "availability.aim"} {
		if one := r.rule(t, id); one.Outcome != report.Passed {
			t.Errorf("want %s passed, got %s: %s", id, one.Outcome, one.Message)
		}
	}
	for _, l := range r.result.Latency {
		if l.OverHealthy != 0 {
			t.Errorf("want no call that the marketplace would give up, since it sends none such, got %+v", l)
		}
	}
}

func TestWhateverIsAnsweredWith4xxOrIgnoredIsBorne(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"an empty list":     text(http.StatusOK, "application/json", "[]"),
		"not found":         text(http.StatusNotFound, "text/plain", "no"),
		"an unusual status": text(http.StatusTeapot, "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			odd := func(body string) bool { return !json.Valid([]byte(body)) || !strings.HasPrefix(body, `{"productId"`) }
			r := judge(t, between(t, small(t), when(partnerapi.Availability, odd, answer)), "--label", onlyBadInput)
			if one := r.rule(t, "availability.bad-input"); one.Outcome != report.Passed {
				t.Errorf("want it passed, got %s: %s", one.Outcome, one.Message)
			}
		})
	}
}

func TestNonsenseLeavesNoHoldBehindAlsoWhereItIsTaken(t *testing.T) {
	t.Parallel()
	mock := small(t)
	// A partner that reads what it is sent as JSON, whatever it is declared as.
	address := between(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Content-Type", "application/json")
		next.ServeHTTP(w, r)
	})
	r := judge(t, address, "--label", onlyBadInput)
	if r.code != 0 || len(r.outcomes(report.Warned)) != 0 {
		t.Errorf("want exit 0, got %d\n%s", r.code, r.said())
	}
	if len(mock.Default().Platform().Holds()) == 0 {
		t.Error("want holds by bodies that are declared as text, got none")
	}
	allUndone(t, r, mock)
}
