package main_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// mostOpen is how many rules may be left open where others buy.
const mostOpen = 5

// crowded is a partner that is judged while others buy.
type crowded struct {
	defect string // "": it keeps the contract
	rule   string // that the defect breaks
	runs   int    // without a soak
}

func TestOtherCustomersNeitherAccuseALawfulPartnerNorHideABreach(t *testing.T) {
	t.Parallel()
	for _, partner := range []crowded{
		{runs: 2},
		{defect: "hold-takes-no-seats", rule: "reserve.vacancies.one", runs: 1},
		{defect: "release-gives-nothing-back", rule: "release.vacancies.one", runs: 1},
		{defect: "second-confirm-books-again", rule: "confirm.repeat.booking", runs: 1},
	} {
		if runs, err := strconv.Atoi(os.Getenv(soakRuns)); err == nil {
			partner.runs = runs
		}
		found := 0
		for seed := range uint64(partner.runs) {
			if partner.judgedAmongBuyers(t, seed) {
				found++
			}
		}
		// Eighteen of twenty; all, where there are few.
		if partner.defect != "" && 10*found < 9*partner.runs {
			t.Errorf("want %s found through %s, got it in %d of %d runs", partner, partner.rule, found, partner.runs)
		}
	}
}

// judgedAmongBuyers has a mock judged while others buy there, with a seed of their
// own, and reports whether the defect's rule failed.
func (partner crowded) judgedAmongBuyers(t *testing.T, seed uint64) (found bool) {
	t.Helper()
	options := mockpartner.Options{Seed: seed}
	if partner.defect != "" {
		options.Defects = []string{partner.defect}
	}
	mock := newMock(t, options)
	buyers := goShopping(t, mock, seed)
	url := between(t, mock, buyers.follow)
	r := judge(t, url, ofMock(url)...)
	buyers.goHome()
	if partner.defect == "" {
		leftAsItWas(t, mock)
	}
	failed, open := r.outcomes(report.Failed), r.outcomes(report.Inconclusive)
	found = slices.Contains(failed, partner.rule)
	if accused := slices.DeleteFunc(failed, func(id string) bool { return id == partner.rule }); len(accused) > 0 {
		t.Errorf("%s, seed %d: want no other MUST rule failed, got %q\n%s", partner, seed, accused, r.said())
	}
	if len(open) > mostOpen {
		t.Errorf("%s, seed %d: want at most %d rules left open, got %q\n%s", partner, seed, mostOpen, open, r.said())
	}
	t.Logf("%s, seed %d, %d other customers: found %t, %d rules left open, %d calls beside %d of theirs",
		partner, seed, howManyBuyers(), found, len(open), r.result.Coverage.Calls, buyers.calls.Load())
	return found
}

func (partner crowded) String() string { return cmp.Or(partner.defect, "lawful") }

// A slot that is sold out may be left out of an answer (AVL-14), also when others buy
// its last seats between two looks at it.
func TestASlotThatSellsOutWhileItIsLookedAtMayBeLeftOut(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	gone := map[string]bool{}
	address := between(t, small(t), func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if partnerapi.EndpointOf(r) != partnerapi.Availability {
			next.ServeHTTP(w, r)
			return
		}
		var asked partnerapi.AvailabilityRequest
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &asked)
		r.Body = io.NopCloser(bytes.NewReader(body))
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		var slots []map[string]any
		if json.Unmarshal(recorder.Body.Bytes(), &slots) != nil {
			w.WriteHeader(recorder.Code)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if asked.LocalDateStart == asked.LocalDateEnd && len(slots) > 0 && len(gone) < 2 {
			gone[fmt.Sprint(slots[0]["id"])] = true
		}
		slots = slices.DeleteFunc(slots, func(slot map[string]any) bool { return gone[fmt.Sprint(slot["id"])] })
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(slots)
	})
	r := judge(t, address, "--label", "availability")
	if got := r.rule(t, "availability.one-day"); got.Outcome != report.Passed || len(gone) == 0 {
		t.Errorf("want it passed, with slots that sold out, got %s: %s, %v", got.Outcome, got.Message, gone)
	}
}
