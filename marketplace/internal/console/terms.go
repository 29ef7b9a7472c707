package console

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"partnerkit.dev/marketplace/client"
)

type termsPage struct {
	frame
	client.Rates
	Listed []rate
	Change *form
	Fees   *form
}

// rate is the exchange rate of one unit of the base.
type rate struct {
	Currency string
	Rate     client.Decimal
}

func rateForm(given url.Values) *form {
	return newForm(given,
		field{Name: "currency", Label: "Currency", Required: true, Hint: "An ISO 4217 code, for example USD."},
		field{Name: "rate", Label: "Value of one unit of the base currency", Hint: "For example 1.25. Empty removes the rate; prices in that currency are then refused."},
	)
}

func feesForm(given url.Values, f client.Fees) *form {
	return newForm(given,
		field{Name: "service_fee", Label: "Service fee", Value: string(f.ServiceFee), Required: true, Hint: "Added to each guest's price, or once to a group's; in the currency of the fee, from 0 to 1,000,000."},
		field{Name: "service_fee_currency", Label: "Currency of the fee", Value: f.ServiceFeeCurrency, Required: true},
		field{Name: "commission_percentage", Label: "Commission, percent", Value: string(f.CommissionPercentage), Required: true, Hint: "Added to the partner's price, from 0 to 1000."},
	)
}

func showTerms(x *exchange) error { return x.showTerms(http.StatusOK, rateForm(nil), nil) }

// showTerms shows the rates and the fees. Forms that are nil show what is in force.
func (x *exchange) showTerms(status int, change, fees *form) error {
	rates, _, err := read[client.Rates](x, "/operator/rates", nil)
	if err != nil {
		return err
	}
	p := &termsPage{frame: frame{Page: "Rates and fees", Section: "terms"}, Rates: rates, Change: change, Fees: fees}
	for _, currency := range slices.Sorted(maps.Keys(rates.Rates)) {
		p.Listed = append(p.Listed, rate{currency, rates.Rates[currency]})
	}
	if fees == nil {
		found, _, err := read[client.Fees](x, "/operator/pricing", nil)
		if err != nil {
			return err
		}
		p.Fees = feesForm(nil, found)
	}
	return x.show(status, "terms.html", p)
}

func changeRates(x *exchange) error {
	given := x.given
	rates, _, err := read[client.Rates](x, "/operator/rates", nil)
	if err != nil {
		return err
	}
	currency, set := strings.ToUpper(strings.TrimSpace(given.Get("currency"))), (*string)(nil)
	if text := strings.TrimSpace(given.Get("rate")); text != "" {
		set = &text
	}
	_, err = send[client.Rates](x, http.MethodPut, "/operator/rates", map[string]any{"base": rates.Base, "rates": map[string]*string{currency: set}})
	if problem := asRefusal(err); problem != nil && problem.Status == http.StatusBadRequest {
		f, at := rateForm(given), "rate: "
		if set == nil || strings.Contains(strings.Join(problem.Details, " "), "ISO 4217") || currency == rates.Base {
			at = "currency: "
		}
		for i, detail := range problem.Details { // such as rates.USD: expected …
			_, words, _ := strings.Cut(detail, ": ")
			problem.Details[i] = at + strings.ReplaceAll(strings.ReplaceAll(words, " as a text", ""), `"`, "")
		}
		f.refuse(problem)
		return x.showTerms(http.StatusUnprocessableEntity, f, nil)
	}
	if err != nil {
		return err
	}
	if set == nil {
		return x.done(root+"/terms", "The rate for "+currency+" was removed.")
	}
	return x.done(root+"/terms", "One "+rates.Base+" buys "+*set+" "+currency+" from now on.")
}

func changeFees(x *exchange) error {
	given := x.given
	_, err := send[client.Fees](x, http.MethodPut, "/operator/pricing", map[string]any{
		"service_fee": strings.TrimSpace(given.Get("service_fee")), "service_fee_currency": strings.ToUpper(strings.TrimSpace(given.Get("service_fee_currency"))),
		"commission_percentage": strings.TrimSpace(given.Get("commission_percentage")),
	})
	if err != nil {
		return refusedForm(err, feesForm(given, client.Fees{}), func(status int, f *form) error { return x.showTerms(status, rateForm(nil), f) })
	}
	return x.done(root+"/terms", "Fees changed. All prices use them now.")
}
