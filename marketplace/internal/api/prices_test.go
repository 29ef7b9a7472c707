package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas/partnerapi"
)

// A missing rate removes only the prices that need it.
func TestAPriceWithoutARateIsLeftOutAndAnOperatorReadsWhichRateIsMissing(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	listed := len(s.list(t, resellersList+"?limit=100", s.reseller).Data)
	_, err := s.store.Pool().Exec(t.Context(), `
		UPDATE variations SET option = jsonb_set(jsonb_set(option, '{units,0,pricingFrom}', '[{"original":1000,"currency":"XPF"}]'),
			'{units,1}', '{"id":"student","internalName":"Student","type":"STUDENT","pricingFrom":[{"original":1000,"currency":"EUR"}]}')
		WHERE id = ($1::jsonb ->> 'variation_id')::uuid`, s.order)
	must(t, err)
	page := s.list(t, resellersList+"?limit=100&currency=EUR", s.reseller)
	if len(page.Data) != listed || page.Pagination.TotalCount != listed {
		t.Errorf("want all %d listed, got %d of %d", listed, len(page.Data), page.Pagination.TotalCount)
	}
	wantProblem(t, s.do(t, "POST", "/api/v1/resellers/bookings", strings.Replace(s.order, `"contact"`, `"currency":"EUR","contact"`, 1), s.reseller), 400, "no_exchange_rate")
	pgtest.Exec(t, s.store, `INSERT INTO exchange_rates VALUES ('KWD', 0.3), ('NZD', 2), ('USD', 1.25) ON CONFLICT DO NOTHING`)
	s.wantMissing(t, "EUR", "XPF")
}

func TestAnOperatorReadsWhichRatesTheSlotsOwnPricesNeed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, option, slots := b.pullSlots(t)
	pgtest.Exec(t, b.store, `UPDATE variations SET option = option - 'units'`)
	pgtest.Exec(t, b.store, `DELETE FROM exchange_rates`)
	pgtest.Exec(t, b.store, `UPDATE pricing_terms SET rates_base = 'XAF'`)
	b.wantMissing(t, "XAF", "EUR") // the currency of the partner
	own := slots[0]
	own.UnitPricing = []partnerapi.UnitPricing{{UnitID: "unit-adult", Original: 1000, Currency: "XPF"}}
	_, err := b.store.Catalog.StoreSlots(t.Context(), catalog.SlotPull{VariationID: option.VariationID, SentAt: b.now(), Answer: &catalog.SlotAnswer{Slots: []domain.Slot{own}}})
	must(t, err)
	b.wantMissing(t, "XAF", "XPF")
	wantUpdated(t, b.notify(t, made, news(option.ProductID, option.Option.ID, own.ID, own.Start, `"status":"AVAILABLE","unitPricing":[{"unitId":"unit-adult","original":1000,"currency":"XOF"}]`)))
	b.wantMissing(t, "XAF", "XOF", "XPF")
	if text, want := b.metrics(t), `marketplace_exchange_rate_missing{base="XAF",currency="XPF"} 1`; !strings.Contains(text, want) {
		t.Errorf("want the metric %s", want)
	}
	pgtest.Exec(t, b.store, `UPDATE activities SET operator_active = false`)
	b.wantMissing(t, "XAF")
}

func TestAnOperatorReadsHowOldTheExchangeRatesAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const age = "marketplace_exchange_rates_age_seconds"
	for days, old := range map[int]bool{0: false, 6: false, 8: true} {
		day := b.now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -days)
		pgtest.Exec(t, b.store, `UPDATE pricing_terms SET rates_as_of = '`+day.Format(time.DateOnly)+`'`)
		overview := read[client.Overview](t, b, "operator/overview-answer", "/api/v1/operator/overview", b.signIn(t, domain.Operator))
		if overview.RatesAsOf != day.Format(time.DateOnly) || overview.RatesOld != old {
			t.Errorf("Expected rates of %s, old %t, received %s, old %t", day.Format(time.DateOnly), old, overview.RatesAsOf, overview.RatesOld)
		}
		if !strings.Contains(b.metrics(t), "\n"+age+" ") {
			t.Errorf("Expected the metric %s", age)
		}
	}
	pgtest.Exec(t, b.store, `UPDATE pricing_terms SET rates_as_of = NULL`)
	overview := read[client.Overview](t, b, "operator/overview-answer", "/api/v1/operator/overview", b.signIn(t, domain.Operator))
	if overview.RatesAsOf != "" || overview.RatesOld || strings.Contains(b.metrics(t), "\n"+age+" ") {
		t.Errorf("Expected no day and no metric for rates that operators have set, received %+v", overview)
	}
}

// wantMissing expects that the overview names the currencies without a rate, of one activity
// each.
func (b *bench) wantMissing(t *testing.T, base string, currencies ...string) {
	t.Helper()
	overview := read[client.Overview](t, b, "operator/overview-answer", "/api/v1/operator/overview", b.signIn(t, domain.Operator))
	var got []string
	for _, missing := range overview.RatesMissing {
		got = append(got, missing.Currency)
		if missing.Base != base || missing.Activities != 1 {
			t.Errorf("want one activity without a rate to %s, got %+v", base, missing)
		}
	}
	if slices.Sort(currencies); !slices.Equal(got, currencies) {
		t.Errorf("want %v missing, got %v", currencies, got)
	}
}
