package api_test

import (
	"fmt"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
)

func TestRatesAreMergedAndTheTableInForceIsTheAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	put := func(body, want string) {
		t.Helper()
		for _, a := range []answer{b.do(t, "PUT", "/api/v1/operator/rates", body, operator), b.do(t, "GET", "/api/v1/operator/rates", "", operator)} {
			if string(a.body) != `{"success":1,"data":`+want+`}` {
				t.Errorf("want %s, got %s", want, a.body)
			}
		}
	}
	row := func(currency, rate, previous string) string {
		return fmt.Sprintf(`{"currency":%q,"rate":%q,"as_of":%q,"previous_rate":%s,"sold_until":null}`, currency, rate, b.now().UTC().Format(time.DateOnly), previous)
	}
	put(`{"base":"EUR","rates":{"USD":"1.25","JPY":"171.94"}}`, `{"base":"EUR","as_of":null,"rates":{"JPY":"171.94","USD":"1.25"},"currencies":[`+row("JPY", "171.94", "null")+`,`+row("USD", "1.25", "null")+`],"missing":[]}`)
	put(`{"base":"EUR","rates":{"USD":"1.0000000000001","JPY":null,"XAF":null}}`, `{"base":"EUR","as_of":null,"rates":{"USD":"1.0000000000001"},"currencies":[`+row("USD", "1.0000000000001", `"1.25"`)+`],"missing":[]}`)
	wantProblem(t, b.do(t, "PUT", "/api/v1/operator/rates", `{"base":"EUR","rates":{"USD":"10"},"check":true}`, operator), 400, "rates.USD: 10 is more than twice the rate in force, 1.0000000000001")
	put(`{"base":"USD","rates":{"EUR":"0.8"}}`, `{"base":"USD","as_of":null,"rates":{"EUR":"0.8"},"currencies":[`+row("EUR", "0.8", "null")+`],"missing":[]}`)
}

func TestEveryMistakeOfATableOfRatesIsNamedAndNothingOfItIsStored(t *testing.T) {
	t.Parallel()
	b := shared(t)
	operator := b.signIn(t, domain.Operator)
	before := b.do(t, "GET", "/api/v1/operator/rates", "", operator)
	for body, words := range map[string][]string{
		`{}`:                                   {"base: is required", "rates: is required"},
		`{"base":"eur","rates":{"USD":"1.2"}}`: {"base: expected an ISO 4217 code"},
		`{"base":"EUR","rates":["USD"]}`:       {"rates: expected an object"},
		`{"base":"EUR","rates":{"USD":"1.25","DOLLAR":"1","XXL":null,"GBP":"0","CHF":"-1","JPY":171.94,"SEK":"1e500000000","NOK":"NaN","EUR":"1","DKK":["7"],"KWD":"0.000000000000000000000000000000000000001"}}`: {
			"rates.DOLLAR: expected an ISO 4217 code", "rates.XXL: expected an ISO 4217 code", "rates.GBP: expected a decimal above 0", "rates.CHF: expected a decimal", "rates.JPY: expected a decimal above 0 as a text",
			"rates.SEK: expected", "rates.NOK: expected", "rates.EUR: is the base", "rates.DKK: expected", "rates.KWD: expected"},
	} {
		wantProblem(t, b.do(t, "PUT", "/api/v1/operator/rates", body, operator), 400, words...)
	}
	if after := b.do(t, "GET", "/api/v1/operator/rates", "", operator); string(after.body) != string(before.body) {
		t.Errorf("want nothing stored, got %s", after.body)
	}
}

func TestFeesAreExactAndWhatIsNotGivenStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	put := func(body, want string) {
		t.Helper()
		for _, a := range []answer{b.do(t, "PUT", "/api/v1/operator/pricing", body, operator), b.do(t, "GET", "/api/v1/operator/pricing", "", operator)} {
			if string(a.body) != `{"success":1,"data":`+want+`}` {
				t.Errorf("want %s, got %s", want, a.body)
			}
		}
	}
	b.do(t, "PUT", "/api/v1/operator/rates", `{"base":"EUR","rates":{"USD":"1.25"}}`, operator)
	put(`{"service_fee":1.995,"service_fee_currency":"USD","commission_percentage":"12.345678901234567891"}`,
		`{"service_fee":1.995,"service_fee_currency":"USD","commission_percentage":12.345678901234567891}`)
	put(`{"commission_percentage":0}`, `{"service_fee":1.995,"service_fee_currency":"USD","commission_percentage":0}`)
	for body, words := range map[string][]string{
		`{"service_fee":-1,"commission_percentage":1001}`: {"service_fee: expected 0 to 1000000, received -1", "commission_percentage: expected 0 to 1000, received 1001"},
		`{"service_fee":1000000.01}`:                      {"service_fee: expected 0 to 1000000"},
		`{"service_fee":"a lot"}`:                         {"service_fee: expected a number"},
		`{"commission_percentage":1e500000000}`:           {"commission_percentage: expected a number"},
		`{"service_fee":true}`:                            {"service_fee: expected a number"},
		`{"service_fee_currency":"usd"}`:                  {"service_fee_currency: expected an ISO 4217 code"},
		`{"service_fee_currency":"GBP"}`:                  {"service_fee_currency: there is no exchange rate for GBP"},
	} {
		wantProblem(t, b.do(t, "PUT", "/api/v1/operator/pricing", body, operator), 400, words...)
	}
	wantProblem(t, b.do(t, "PUT", "/api/v1/operator/rates", `{"base":"EUR","rates":{"USD":null}}`, operator), 400, "there is no exchange rate for USD")
}
