package postgres_test

import (
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
	terms, err := store.Storefront.Terms(t.Context())
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
	check(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "EUR", Rates: map[domain.Currency]*decimal.Decimal{currency: rate("1.25")}}))
}

func TestTheServiceFeesCurrencyAlwaysHasARate(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	dollars, pounds := domain.Currency("USD"), domain.Currency("GBP")
	aRate(t, store, dollars)
	check(t, store.Storefront.ChangeFees(t.Context(), domain.FeesChange{Fee: &domain.Number{Decimal: *rate("2")}, FeeIn: &dollars}))
	wantCode(t, store.Storefront.ChangeFees(t.Context(), domain.FeesChange{FeeIn: &pounds}), domain.Invalid)
	wantCode(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "EUR", Rates: map[domain.Currency]*decimal.Decimal{dollars: nil}}), domain.Invalid)
	wantCode(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "GBP"}), domain.Invalid)
	if terms := termsOf(t, store); terms.FeeIn != dollars || terms.Rates.Base != "EUR" || len(terms.Rates.Per) != 1 {
		t.Errorf("want nothing changed, got %+v", terms)
	}
}

func TestRatesAreMergedAndRemovedAndThoseOfAnotherBaseReplaceAll(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	day := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	merge := func(base domain.Currency, of time.Time, rates map[domain.Currency]*decimal.Decimal, want map[domain.Currency]string) {
		t.Helper()
		check(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: base, Rates: rates, Of: of}))
		terms := termsOf(t, store)
		if terms.Rates.Base != base || !terms.RatesOf.Equal(of) || len(terms.Rates.Per) != len(want) {
			t.Errorf("want %v of %s, of %s, got %+v", want, base, of, terms)
		}
		for currency, rate := range want {
			if got := terms.Rates.Per[currency]; got.String() != rate {
				t.Errorf("want %s %s, got %s", rate, currency, got)
			}
		}
	}
	merge("EUR", day, map[domain.Currency]*decimal.Decimal{"USD": rate("1.25"), "JPY": rate("171.94")}, map[domain.Currency]string{"USD": "1.25", "JPY": "171.94"})
	merge("EUR", time.Time{}, map[domain.Currency]*decimal.Decimal{"USD": rate("1.26"), "JPY": nil, "KWD": rate("0.333")}, map[domain.Currency]string{"USD": "1.26", "KWD": "0.333"})
	merge("USD", day, map[domain.Currency]*decimal.Decimal{"EUR": rate("0.8")}, map[domain.Currency]string{"EUR": "0.8"})
}

func TestRatesAreSeededOnceByReplicasThatStartTogether(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	day := time.Date(2024, 6, 28, 0, 0, 0, 0, time.UTC)
	seed := func() bool {
		seeded, err := store.Storefront.SeedRates(t.Context(), domain.Rates{Base: "EUR", Per: map[domain.Currency]decimal.Decimal{"USD": *rate("1.0705")}}, day)
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
	check(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "EUR", Rates: map[domain.Currency]*decimal.Decimal{"USD": nil}}))
	if seed() {
		t.Error("want rates that operators took away left away")
	}
}
