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
	"strings"
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

// tally is what came of the runs of one partner.
type tally struct {
	crowded
	found   int   // runs in which the defect's rule failed
	accused int   // runs in which another MUST rule did
	open    []int // rules left open, by run
	calls   int   // of the runs
	others  int64 // calls of the buyers meanwhile
}

func TestOtherCustomersNeitherAccuseALawfulPartnerNorHideABreach(t *testing.T) {
	t.Parallel()
	partners := []crowded{
		{runs: 2},
		{defect: "hold-takes-no-seats", rule: "reserve.vacancies.one", runs: 1},
		{defect: "release-gives-nothing-back", rule: "release.vacancies.one", runs: 1},
		{defect: "second-confirm-books-again", rule: "confirm.repeat.booking", runs: 1},
	}
	var tallies []tally
	for _, partner := range partners {
		if runs, err := strconv.Atoi(os.Getenv(soakRuns)); err == nil {
			partner.runs = runs
		}
		tallies = append(tallies, judgeInACrowd(t, partner))
	}
	t.Log(tableOf(tallies))
	for _, of := range tallies {
		// Eighteen of twenty; all, where there are few.
		if of.defect != "" && 10*of.found < 9*of.runs {
			t.Errorf("want %s found through %s, got it in %d of %d runs", of.defect, of.rule, of.found, of.runs)
		}
	}
}

// judgeInACrowd has a partner judged while others buy there. The buyers of each run
// have a seed of their own.
func judgeInACrowd(t *testing.T, partner crowded) tally {
	t.Helper()
	of := tally{crowded: partner}
	for seed := range uint64(partner.runs) {
		r, calls := judgeAmongBuyers(t, partner, seed)
		failed, open := r.outcomes(report.Failed), r.outcomes(report.Inconclusive)
		if partner.rule != "" && slices.Contains(failed, partner.rule) {
			of.found++
			failed = slices.DeleteFunc(failed, func(id string) bool { return id == partner.rule })
		}
		if len(failed) > 0 {
			of.accused++
			t.Errorf("%s, seed %d: want no other MUST rule failed, got %q\n%s", of, seed, failed, r.said())
		}
		if len(open) > mostOpen {
			t.Errorf("%s, seed %d: want at most %d rules left open, got %q\n%s", of, seed, mostOpen, open, r.said())
		}
		of.open, of.calls, of.others = append(of.open, len(open)), of.calls+r.result.Coverage.Calls, of.others+calls
	}
	return of
}

// judgeAmongBuyers has a mock judged once, and returns how many calls others made.
func judgeAmongBuyers(t *testing.T, partner crowded, seed uint64) (ran, int64) {
	t.Helper()
	options := mockpartner.Options{AuthKey: key, Seed: seed}
	if partner.defect != "" {
		options.Defects = []string{partner.defect}
	}
	mock, err := mockpartner.New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer mock.Close()
	buyers := goShopping(t, mock, seed)
	url := between(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) { buyers.follow(next, w, r) })
	r := judge(t, url, ofMock(url)...)
	buyers.goHome()
	if partner.defect == "" {
		leftAsItWas(t, mock)
	}
	return r, buyers.calls.Load()
}

func (of tally) String() string { return cmp.Or(of.defect, "lawful") }

func tableOf(tallies []tally) string {
	var table strings.Builder
	fmt.Fprintf(&table, "%d other customers\n%-28s %5s %6s %8s %6s %12s  %s\n", howManyBuyers(), "partner", "runs", "found", "accused", "calls", "others' calls", "rules left open, by run")
	for _, of := range tallies {
		fmt.Fprintf(&table, "%-28s %5d %6d %8d %6d %12d  %d\n", of, of.runs, of.found, of.accused, of.calls, of.others, of.open)
	}
	return table.String()
}

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
