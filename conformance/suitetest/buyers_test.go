package suitetest_test

import (
	"cmp"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/mockpartner"
)

const (
	// buyers is how many other customers a partner has, and in a soak. Each makes about 13 calls a second.
	buyers, buyersInSoak = 10, 50
	// answersAfter is how long the partner takes for each answer to the run.
	answersAfter = 5 * time.Millisecond
	// mostOpen is how many rules may be left open where others buy: those of a story that they disturb each time.
	mostOpen = 7
)

// crowded is a partner that is judged while others buy.
type crowded struct {
	defect string   // "": it keeps the contract
	rules  []string // that the defect breaks
}

func TestOtherCustomersNeitherAccuseALawfulPartnerNorHideABreach(t *testing.T) {
	t.Parallel()
	runs, many := 5, buyers
	if testing.Short() {
		runs = 2
	}
	if soak, err := strconv.Atoi(os.Getenv("SOAK")); err == nil {
		runs, many = soak, buyersInSoak
	}
	for _, partner := range []crowded{
		{},
		{"hold-takes-no-seats", []string{"reserve.vacancies.one", "reserve.vacancies.many"}},
		{"release-gives-nothing-back", []string{"release.vacancies.one", "release.vacancies.many"}},
		{"second-confirm-books-again", []string{"confirm.repeat.booking"}},
	} {
		t.Run(cmp.Or(partner.defect, "lawful"), func(t *testing.T) {
			t.Parallel()
			found := 0
			for seed := range uint64(runs) {
				t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						if partner.judgedAmongBuyers(t, many, seed) {
							found++
						}
					})
				})
			}
			if partner.defect != "" && 10*found < 9*runs {
				t.Errorf("Expected it found through %q, received it in %d of %d runs", partner.rules, found, runs)
			}
		})
	}
}

// judgedAmongBuyers judges a mock while others buy there, with a seed of their own, and reports whether a rule of the defect failed.
func (partner crowded) judgedAmongBuyers(t *testing.T, many int, seed uint64) (found bool) {
	t.Helper()
	options := mockpartner.Options{Seed: seed}
	if partner.defect != "" {
		options.Defects = []string{partner.defect}
	}
	mock := mockInBubble(t, options)
	others := selftest.Shop(mock, many, seed)
	t.Cleanup(others.GoHome)
	result := judgeInBubble(t.Context(), t, mock, func(_ http.Handler, w http.ResponseWriter, r *http.Request) {
		time.Sleep(answersAfter)
		others.Follow(mock, w, r)
	}, suite.Config{Seed: seed, HandlesTicketDelivery: true})
	others.GoHome()
	if partner.defect == "" {
		for _, left := range selftest.LeftBehind(mock) {
			t.Errorf("Expected nothing left behind, received %s", left)
		}
	}
	failed, open := withOutcome(result, report.Failed), withOutcome(result, report.Inconclusive)
	for _, id := range failed {
		if slices.Contains(partner.rules, id) {
			found = true
		} else {
			t.Errorf("Expected no other failure, received %s: %s", id, find(t, result, id).Message)
		}
	}
	if partner.defect == "" && len(open) > mostOpen { // a quick run leaves rules open once one is broken
		t.Errorf("Expected at most %d rules left open, received %q", mostOpen, open)
	}
	t.Logf("%d other customers: %q failed, %d rules left open, %d calls beside %d of theirs", many, failed, len(open), result.Coverage.Calls, others.Calls())
	return found
}
