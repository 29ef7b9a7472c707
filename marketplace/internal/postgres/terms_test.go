package postgres_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func rate(text string) *decimal.Decimal {
	d := decimal.RequireFromString(text)
	return &d
}

func termsOf(t *testing.T, store *postgres.Store) domain.Terms {
	t.Helper()
	terms, err := store.Storefront.Terms(t.Context(), now)
	check(t, err)
	return terms
}

func TestAtFirstNothingIsAddedToAPrice(t *testing.T) {
	t.Parallel()
	terms := termsOf(t, pgtest.Open(t))
	if !terms.Fee.IsZero() || !terms.Commission.IsZero() || terms.FeeIn != "EUR" || terms.Rates.Base != "EUR" || len(terms.Rates.Per) != 0 {
		t.Errorf("want nothing, got %+v", terms)
	}
}

// aRate stores a rate for a currency.
func aRate(t *testing.T, store *postgres.Store, currency domain.Currency) {
	t.Helper()
	check(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "EUR", Rates: map[domain.Currency]*decimal.Decimal{currency: rate("1.25")}}, now))
}

func TestTheServiceFeesCurrencyAlwaysHasARate(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	dollars, pounds := domain.Currency("USD"), domain.Currency("GBP")
	aRate(t, store, dollars)
	check(t, store.Storefront.ChangeFees(t.Context(), domain.FeesChange{Fee: &domain.Number{Decimal: *rate("2")}, FeeIn: &dollars}))
	wantCode(t, store.Storefront.ChangeFees(t.Context(), domain.FeesChange{FeeIn: &pounds}), domain.Invalid)
	wantCode(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "EUR", Rates: map[domain.Currency]*decimal.Decimal{dollars: nil}}, now), domain.Invalid)
	wantCode(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "GBP"}, now), domain.Invalid)
	if terms := termsOf(t, store); terms.FeeIn != dollars || terms.Rates.Base != "EUR" || len(terms.Rates.Per) != 1 {
		t.Errorf("want nothing changed, got %+v", terms)
	}
}

// day is a midnight of July 2026 in UTC.
func day(of int) time.Time { return time.Date(2026, 7, of, 0, 0, 0, 0, time.UTC) }

func TestRatesAreMergedAndRemovedAndThoseOfAnotherBaseReplaceAll(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	for _, step := range []struct {
		base   domain.Currency
		of     time.Time
		rates  map[domain.Currency]*decimal.Decimal
		newest time.Time
		want   string
	}{
		{"EUR", day(1), map[domain.Currency]*decimal.Decimal{"USD": rate("1.25"), "JPY": rate("171.94")}, day(1), "JPY 171.94 of 07-01, USD 1.25 of 07-01"},
		{"EUR", time.Time{}, map[domain.Currency]*decimal.Decimal{"USD": rate("1.26"), "JPY": nil, "KWD": rate("0.333")}, day(1), "KWD 0.333 of 07-03, USD 1.26 of 07-03 after 1.25"},
		{"EUR", time.Time{}, map[domain.Currency]*decimal.Decimal{"USD": rate("1.26")}, day(1), "KWD 0.333 of 07-03, USD 1.26 of 07-03 after 1.25"},
		{"EUR", day(4), map[domain.Currency]*decimal.Decimal{"USD": rate("1.26")}, day(4), "KWD 0.333 of 07-03, USD 1.26 of 07-04 after 1.26"},
		{"USD", time.Time{}, map[domain.Currency]*decimal.Decimal{"EUR": rate("0.8")}, time.Time{}, "EUR 0.8 of 07-03"},
	} {
		check(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: step.base, Rates: step.rates, Of: step.of}, day(3).Add(9*time.Hour)))
		table, err := store.Storefront.Rates(t.Context())
		check(t, err)
		var got []string
		for _, c := range slices.Sorted(maps.Keys(table.Per)) {
			text := fmt.Sprintf("%s %s of %s", c, table.Per[c].Rate, table.Per[c].Of.Format("01-02"))
			if before := table.Per[c].Before; before.Valid {
				text += " after " + before.Decimal.String()
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); table.Base != step.base || !table.Of.Equal(step.newest) || text != step.want {
			t.Errorf("Expected %s per %s, newest of %s, received %s per %s, newest of %s", step.want, step.base, step.newest, text, table.Base, table.Of)
		}
	}
}

func TestRatesAreSeededOnceByReplicasThatStartTogether(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	seed := func() bool {
		seeded, err := store.Storefront.SeedRates(t.Context(), domain.RatesFile{Date: day(1), Rates: domain.Rates{Base: "EUR", Per: map[domain.Currency]decimal.Decimal{"USD": *rate("1.0705")}}}, now)
		if err != nil {
			t.Error(err)
		}
		return seeded
	}
	var all sync.WaitGroup
	var times atomic.Int64
	for range 4 {
		all.Go(func() {
			if seed() {
				times.Add(1)
			}
		})
	}
	all.Wait()
	if times.Load() != 1 {
		t.Errorf("want them seeded once, got %d times", times.Load())
	}
	check(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "EUR", Rates: map[domain.Currency]*decimal.Decimal{"USD": nil}}, now))
	if seed() {
		t.Error("want rates that operators took away left away")
	}
}
