package main_test

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"testing"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
)

// How many other customers a partner has during a run: in a soak, and without one.
// They take the machine's time, from the run as well.
const manyBuyers, fewBuyers = 50, 10

// howManyBuyers is how many there are.
func howManyBuyers() int {
	if os.Getenv(soakRuns) != "" {
		return manyBuyers
	}
	return fewBuyers
}

// mostOpen is how many rules may be left open where others buy.
const mostOpen = 5

// crowded is a partner that is judged while others buy.
type crowded struct {
	defect string // "": it keeps the contract
	rule   string // that the defect breaks
	runs   int    // without a soak
}

func TestOtherCustomersNeitherAccuseALawfulPartnerNorHideABreach(t *testing.T) {
	// It is alone: on a busy machine the customers do much between two looks of the run.
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
	options := mockpartner.Options{Seed: seed, Catalog: catalog.Default()}
	if partner.defect != "" {
		options.Defects = []string{partner.defect}
	}
	mock := newMock(t, options)
	buyers := selftest.Shop(mock, howManyBuyers(), seed)
	t.Cleanup(buyers.GoHome)
	url := serveChanged(t, mock, buyers.Follow)
	r := judge(t, url, ofMock(url)...)
	buyers.GoHome()
	if partner.defect == "" {
		everythingUndone(t, mock)
	}
	failed, open := r.outcomes(report.Failed), r.outcomes(report.Inconclusive)
	found = slices.Contains(failed, partner.rule)
	if accused := slices.DeleteFunc(failed, func(id string) bool { return id == partner.rule }); len(accused) > 0 {
		t.Errorf("%s, seed %d: want no other MUST rule failed, got %q\n%s", partner, seed, accused, r.notPassed())
	}
	if partner.defect == "" && len(open) > mostOpen { // a quick run leaves rules open once one is broken
		t.Errorf("%s, seed %d: want at most %d rules left open, got %q\n%s", partner, seed, mostOpen, open, r.notPassed())
	}
	t.Logf("%s, seed %d, %d other customers: found %t, %d rules left open, %d calls beside %d of theirs",
		partner, seed, howManyBuyers(), found, len(open), r.result.Coverage.Calls, buyers.Calls())
	return found
}

func (partner crowded) String() string { return cmp.Or(partner.defect, "lawful") }
