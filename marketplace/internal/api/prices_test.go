package api_test

import (
	"strings"
	"testing"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// One price without a rate costs that price only.
func TestAPriceWithoutARateIsLeftOutAndAnOperatorReadsWhichRateIsMissing(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	operator := s.signIn(t, marketplace.Operator)
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
	overview := read[client.Overview](t, s.bench, "operator/overview-answer", "/api/v1/operator/overview", operator)
	for _, missing := range overview.RatesMissing {
		if missing.Currency == "XPF" && missing.Base == "EUR" && missing.Activities == 1 {
			return
		}
	}
	t.Errorf("want XPF missing, got %+v", overview.RatesMissing)
}
