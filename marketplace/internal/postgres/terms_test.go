package postgres_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func rate(text string) *decimal.Decimal {
	d := decimal.RequireFromString(text)
	return &d
}

func termsOf(t *testing.T, store *postgres.Store) marketplace.Terms {
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
func aRate(t *testing.T, store *postgres.Store, currency marketplace.Currency) {
	t.Helper()
	check(t, store.Storefront.ChangeRates(t.Context(), marketplace.RatesChange{Base: "EUR", Rates: map[marketplace.Currency]*decimal.Decimal{currency: rate("1.25")}}))
}

func TestTheServiceFeesCurrencyAlwaysHasARate(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	dollars, pounds := marketplace.Currency("USD"), marketplace.Currency("GBP")
	aRate(t, store, dollars)
	check(t, store.Storefront.ChangeFees(t.Context(), marketplace.FeesChange{Fee: &marketplace.Number{Decimal: *rate("2")}, FeeIn: &dollars}))
	wantCode(t, store.Storefront.ChangeFees(t.Context(), marketplace.FeesChange{FeeIn: &pounds}), marketplace.Invalid)
	wantCode(t, store.Storefront.ChangeRates(t.Context(), marketplace.RatesChange{Base: "EUR", Rates: map[marketplace.Currency]*decimal.Decimal{dollars: nil}}), marketplace.Invalid)
	wantCode(t, store.Storefront.ChangeRates(t.Context(), marketplace.RatesChange{Base: "GBP"}), marketplace.Invalid)
	if terms := termsOf(t, store); terms.FeeIn != dollars || terms.Rates.Base != "EUR" || len(terms.Rates.Per) != 1 {
		t.Errorf("want nothing changed, got %+v", terms)
	}
}

func TestFeesKeepEveryDigit(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	aRate(t, store, "USD")
	in := marketplace.Currency("USD")
	for _, change := range []marketplace.FeesChange{
		{Fee: &marketplace.Number{Decimal: *rate("1.995")}, FeeIn: &in},
		{Commission: &marketplace.Number{Decimal: *rate("12.345678901234567890")}}, // the fee stays unchanged
	} {
		check(t, store.Storefront.ChangeFees(t.Context(), change))
	}
	if terms := termsOf(t, store); terms.Fee.String() != "1.995" || terms.FeeIn != "USD" || terms.Commission.String() != "12.34567890123456789" {
		t.Errorf("want every digit, got %+v", terms)
	}
}

func TestRatesAreMergedAndRemovedAndThoseOfAnotherBaseReplaceAll(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	day := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	merge := func(base marketplace.Currency, of time.Time, rates map[marketplace.Currency]*decimal.Decimal, want map[marketplace.Currency]string) {
		t.Helper()
		check(t, store.Storefront.ChangeRates(t.Context(), marketplace.RatesChange{Base: base, Rates: rates, Of: of}))
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
	merge("EUR", day, map[marketplace.Currency]*decimal.Decimal{"USD": rate("1.25"), "JPY": rate("171.94")}, map[marketplace.Currency]string{"USD": "1.25", "JPY": "171.94"})
	merge("EUR", time.Time{}, map[marketplace.Currency]*decimal.Decimal{"USD": rate("1.26"), "JPY": nil, "KWD": rate("0.333")}, map[marketplace.Currency]string{"USD": "1.26", "KWD": "0.333"})
	merge("USD", day, map[marketplace.Currency]*decimal.Decimal{"EUR": rate("0.8")}, map[marketplace.Currency]string{"EUR": "0.8"})
}

func TestRatesAreSeededOnceByReplicasThatStartTogether(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	day := time.Date(2024, 6, 28, 0, 0, 0, 0, time.UTC)
	seed := func() bool {
		seeded, err := store.Storefront.SeedRates(t.Context(), marketplace.Rates{Base: "EUR", Per: map[marketplace.Currency]decimal.Decimal{"USD": *rate("1.0705")}}, day)
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
	check(t, store.Storefront.ChangeRates(t.Context(), marketplace.RatesChange{Base: "EUR", Rates: map[marketplace.Currency]*decimal.Decimal{"USD": nil}}))
	if seed() {
		t.Error("want rates that operators took away left away")
	}
}
