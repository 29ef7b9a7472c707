package api_test

import (
	"cmp"
	"fmt"
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
	_, err := b.store.Catalog.StoreSlots(t.Context(), catalog.SlotPull{VariationID: option.VariationID, SentAt: b.now(), PulledSlots: &catalog.PulledSlots{
		Answer: &catalog.SlotAnswer{Slots: []domain.Slot{own}}, Skipped: []time.Time{}, Currencies: []string{"XPF"},
	}})
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

// Every rate has its own date, from the import to the price and the metric.
func TestACurrencyThatTheNewestFileLacksIsNamedAndNotSoldInOnceItsRateIsTooOld(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	operator := s.signIn(t, domain.Operator)
	today := s.now().UTC().Truncate(24 * time.Hour)
	imports := func(daysAgo int, rates, more string) answer {
		t.Helper()
		file := `<Envelope><Cube><Cube time='` + today.AddDate(0, 0, -daysAgo).Format(time.DateOnly) + `'>` + "\n" + rates + `</Cube></Cube></Envelope>`
		return s.do(t, "POST", "/api/v1/operator/rates/import", asJSON(t, map[string]any{"file": file, "force": more == "force"}), operator)
	}
	const dollars, pounds, francs = `<Cube currency='USD' rate='1.25'/><Cube currency='JPY' rate='160'/>`, `<Cube currency='GBP' rate='0.9'/>`, `<Cube currency='CHF' rate='1.1'/>`
	imported := func(daysAgo int, rates, more string) {
		t.Helper()
		if a := imports(daysAgo, rates, more); a.StatusCode != 200 {
			t.Errorf("Expected the file imported, received %s", a.body)
		}
	}
	imported(9, dollars+pounds+francs, "")
	imported(6, dollars+francs, "")
	imported(1, dollars, "")
	overview := read[client.Overview](t, s.bench, "operator/overview-answer", "/api/v1/operator/overview", operator)
	if kept := overview.RatesKept; len(kept) != 2 || kept[0].Currency != "CHF" || !kept[0].SoldUntil.Equal(today.AddDate(0, 0, 1)) || kept[1].Currency != "GBP" || kept[1].AsOf != today.AddDate(0, 0, -9).Format(time.DateOnly) {
		t.Errorf("Expected the franc and the pound with their dates, received %+v", kept)
	}
	rates := read[client.Rates](t, s.bench, "operator/rates-answer", "/api/v1/operator/rates", operator)
	if pound := rates.Currencies[1]; rates.AsOf != client.DateOf(today.AddDate(0, 0, -1)) || pound.Currency != "GBP" || pound.Rate != "0.9" || pound.AsOf != client.DateOf(today.AddDate(0, 0, -9)) || pound.SoldUntil == nil {
		t.Errorf("Expected the pound's rate with its date, received %+v", rates)
	}
	in := func(currency string) string {
		return strings.Replace(s.order, `"contact"`, `"currency":"`+currency+`","contact"`, 1)
	}
	for currency, sold := range map[string]bool{"USD": true, "CHF": true, "GBP": false} {
		if a := s.do(t, "GET", resellersList+"?currency="+currency, "", s.reseller); (a.StatusCode == 200) != sold {
			t.Errorf("Expected %s sold in: %t, received %s", currency, sold, a.body)
		}
	}
	wantProblem(t, s.do(t, "POST", "/api/v1/resellers/bookings", in("GBP"), s.reseller), 400, "no_exchange_rate")
	if a := s.do(t, "POST", "/api/v1/resellers/bookings", in("CHF"), s.reseller); a.StatusCode != 201 {
		t.Errorf("Expected a booking in francs, received %s", a.body)
	}
	pgtest.Exec(t, s.store, `UPDATE variations SET option = jsonb_set(option, '{units,0,pricingFrom}', '[{"original":1000,"currency":"GBP"}]') WHERE id = (SELECT min(id::text)::uuid FROM variations)`)
	s.wantMissing(t, "EUR", "GBP", "KWD", "NZD")
	text := s.metrics(t)
	for _, want := range []string{`marketplace_exchange_rate_missing{base="EUR",currency="GBP"} 1`, `marketplace_exchange_rate_age_seconds{currency="GBP"}`, "marketplace_exchange_rates_age_seconds "} {
		if !strings.Contains(text, want) {
			t.Errorf("Expected the metric %s", want)
		}
	}

	wantProblem(t, imports(3, dollars, ""), 409, "the exchange rates were refused", "date: ")
	wantProblem(t, imports(-1, dollars, ""), 409, "is in the future")
	wantProblem(t, imports(0, dollars+"\n<Cube currency='USD' rate='1.26'/>\n<Cube currency='EUR' rate='1'/>\n<Cube currency='CHF' rate='11'/>", ""), 409,
		"rates.USD (line 3): already in line 2", "rates.EUR (line 4): is the base currency", "rates.CHF (line 5): 11 is more than twice the rate in force, 1.1")
	wantProblem(t, imports(0, "<Cube currency='USD' rate='many'/>", "force"), 400, "file: line 2: rates.USD: expected a decimal above 0")
	imported(3, dollars+"<Cube currency='CHF' rate='11'/>", "force")
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

// sellWithFees sells a product for 22.50 EUR, with a commission of 20 % and a fee of 1.50 EUR.
func (b *bench) sellWithFees(t *testing.T) (list []client.OperatorActivity, operator, reseller header) {
	t.Helper()
	_, list = b.sellProducts(t, aScriptedPartner(t), "a")
	operator, reseller = b.signIn(t, domain.Operator), b.signIn(t, domain.Reseller)
	b.do(t, "PUT", "/api/v1/operator/pricing", `{"service_fee":1.5,"service_fee_currency":"EUR","commission_percentage":20}`, operator)
	b.do(t, "PUT", "/api/v1/operator/rates", `{"base":"EUR","rates":{"USD":"1.25"}}`, operator)
	return list, operator, reseller
}

// What a preview promises is what resellers read after the change.
func TestAnOperatorReadsWhatCustomersWouldPayBeforeThePercentagesChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list, operator, reseller := b.sellWithFees(t)
	path := "/api/v1/operator/activities/" + list[0].ID
	b.do(t, "PATCH", path, `{"admin_discount_percentage":50}`, operator)
	preview := func(query string) client.PricePreview {
		t.Helper()
		return read[client.PricePreview](t, b, "operator/price-preview-answer", path+"/prices?"+query, operator)
	}
	wants := func(query string, base, now, changed client.Decimal) {
		t.Helper()
		price := preview(query).Variations[0].Prices[0]
		if price.BasePrice != base || price.Price != now || price.ChangedPrice != changed || price.UnitID != "unit-adult" {
			t.Errorf("%s: Expected %s of the partner, %s now and %s afterwards, received %+v", query, base, now, changed, price)
		}
	}
	wants("", "22.5", "15", "15") // 22.5 * 0.5 * 1.2 + 1.5
	wants("admin_price_percentage=10", "22.5", "15", "16.35")
	wants("admin_price_percentage=10&admin_discount_percentage=0", "22.5", "15", "31.2")
	wants("admin_price_percentage=10&currency=USD", "22.5", "18.75", "20.44")
	if got := preview("currency=USD"); got.Currency != "USD" || got.ServiceFee != "1.88" || got.CommissionPercentage != "20" {
		t.Errorf("Expected the fees that are part of the price, received %+v", got)
	}

	promised := preview("admin_price_percentage=12.5&admin_discount_percentage=5").Variations[0].Prices[0].ChangedPrice
	b.do(t, "PATCH", path, `{"admin_price_percentage":12.5,"admin_discount_percentage":5}`, operator)
	if paid := b.list(t, resellersList, reseller).Data[0].Variations[0].Pricing.Units[0].Price; paid != promised {
		t.Errorf("Expected the price %s, received %s", promised, paid)
	}
	b.do(t, "PUT", "/api/v1/operator/rates", `{"base":"USD","rates":{"EUR":null,"JPY":"160"}}`, operator)
	wantProblem(t, b.do(t, "GET", path+"/prices?currency=XPF", "", operator), 400, "no_exchange_rate")
	wantProblem(t, b.do(t, "GET", path+"/prices?admin_price_percentage=-101&admin_discount_percentage=much", "", operator), 400,
		"admin_price_percentage: expected a percentage from -100 to 1000", "admin_discount_percentage: expected a percentage from 0 to 100")
	wantProblem(t, b.do(t, "GET", path+"/prices?admin_price_percentage=null", "", operator), 400, "admin_price_percentage")
	wants("admin_price_percentage=&admin_discount_percentage=", "22.5", "30.36", "28.5") // cleared
	wantProblem(t, b.do(t, "GET", "/api/v1/operator/activities/"+list[0].IntegrationID+"/prices", "", operator), 404, "activity not found")
}

// A group price replaces the prices of the guests, and gives way to them when it is cleared.
func TestAnOperatorReadsWhatCustomersWouldPayBeforeAGroupPriceChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list, operator, reseller := b.sellWithFees(t)
	path, variation := "/api/v1/operator/activities/"+list[0].ID, list[0].Variations[0].ID
	preview := func(query string) (lines []string) {
		t.Helper()
		answer := read[client.PricePreview](t, b, "operator/price-preview-answer", path+"/prices?variation_id="+variation+query, operator)
		if len(answer.Variations) != 1 || answer.Variations[0].ID != variation {
			t.Fatalf("Expected the one variation, received %+v", answer)
		}
		for _, p := range answer.Variations[0].Prices {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s %s: %s -> %s", p.Change, p.UnitID, p.BasePrice, p.BaseCurrency, cmp.Or(p.Price, "-"), cmp.Or(p.ChangedPrice, "-"))))
		}
		return lines
	}
	wants := func(query string, lines ...string) {
		t.Helper()
		if got := preview(query); !slices.Equal(got, lines) {
			t.Errorf("%s: Expected\n%s\nreceived\n%s", query, strings.Join(lines, "\n"), strings.Join(got, "\n"))
		}
	}
	change := func(pricing string) {
		t.Helper()
		if a := b.do(t, "PATCH", path, `{"variations":[{"_id":"`+variation+`","pricing":`+pricing+`}]}`, operator); a.StatusCode != 200 {
			t.Fatalf("Expected the group price changed, received %s", a.body)
		}
	}
	paid := func() client.Pricing { return b.list(t, resellersList, reseller).Data[0].Variations[0].Pricing }

	const guest = "unit-adult 22.5 EUR: "
	wants("", "kept "+guest+"28.5 -> 28.5")
	wants("&group_price=100", "added  100 EUR: - -> 121.5", "removed "+guest+"28.5 -> -")
	wants("&group_price=100&group_price_currency=USD&admin_price_percentage=10", "added  100 USD: - -> 107.1", "removed "+guest+"28.5 -> -")
	wants("&group_price=100&group_price_currency=XPF", "added  100 XPF: - -> -", "removed "+guest+"28.5 -> -")
	if got := paid(); got.GroupPrice != "" {
		t.Errorf("Expected nothing saved, received %+v", got)
	}
	change(`{"group_price":100,"currency":"USD"}`)
	if got := paid(); got.GroupPrice != "97.5" || len(got.Units) != 0 {
		t.Errorf("Expected a group price of 97.5, received %+v", got)
	}
	wants("", "kept  100 USD: 97.5 -> 97.5")
	wants("&group_price=200", "kept  100 USD: 97.5 -> 193.5")
	wants("&group_price_currency=", "kept  100 USD: 97.5 -> 121.5") // the activity's own
	wants("&group_price=&group_price_currency=USD", "removed  100 USD: 97.5 -> -", "added "+guest+"- -> 28.5")
	change(`{"group_price":null,"currency":"USD"}`)
	if got := paid(); got.GroupPrice != "" || got.Units[0].Price != "28.5" {
		t.Errorf("Expected the partner's price, received %+v", got)
	}

	refuses := func(query string, words ...string) {
		t.Helper()
		wantProblem(t, b.do(t, "GET", path+"/prices?"+query, "", operator), 400, words...)
	}
	refuses("variation_id="+variation+"&group_price=-1&group_price_currency=EURO", "\"group_price: expected an amount from 0", "\"group_price_currency: expected an ISO 4217 code")
	refuses("variation_id="+variation+"&group_price_currency=EUR", "\"group_price_currency: requires a group price")
	refuses("group_price=100", "\"variation_id: ")
	refuses("variation_id=17", "\"variation_id: expected the id of a variation")
	refuses("variation_id="+list[0].ID, "\"variation_id: unknown variation of this activity")
	refuses("group_prize=100", "group_prize: unknown query parameter")
}
