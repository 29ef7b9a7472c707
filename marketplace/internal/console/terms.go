package console

import (
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/marketplace/client"
)

type termsPage struct {
	frame
	client.Rates
	Table  []rateRow
	Change *form
	Import *form
	Fees   *form
}

// rateRow is a currency in the table.
type rateRow struct {
	field
	client.ExchangeRate        // without a rate if the currency has none
	Change              string // since the rate before, such as +1.25 %; "": the first one
	Far                 bool   // it is more than twice or less than half of the rate before
	Over                bool   // nothing is sold in the currency
	Activities          int    // with prices in a currency in which nothing is sold
}

// rateName returns the name of a currency's field, as in errors of the API.
func rateName(currency string) string { return "rates." + currency }

// rateRows returns the table with the fields of a form: first the currencies in which nothing is sold.
func rateRows(rates client.Rates, change *form, now time.Time) []rateRow {
	var rows []rateRow
	known := map[string]client.ExchangeRate{}
	for _, rate := range rates.Currencies {
		known[rate.Currency] = rate
	}
	add := func(currency string, activities int) {
		row := rateRow{field: change.Field(rateName(currency)), ExchangeRate: known[currency], Activities: activities}
		row.Over = activities > 0 || row.SoldUntil != nil && now.After(*row.SoldUntil)
		if now, before := row.Rate.Rat(), row.Previous.Rat(); now != nil && before != nil {
			ratio := new(big.Rat).Quo(now, before)
			percent := new(big.Rat).Mul(new(big.Rat).Sub(ratio, big.NewRat(1, 1)), big.NewRat(100, 1))
			row.Change, row.Far = percent.FloatString(2)+" %", ratio.Cmp(big.NewRat(2, 1)) > 0 || ratio.Cmp(big.NewRat(1, 2)) < 0
			if percent.Sign() > 0 {
				row.Change = "+" + row.Change
			}
		}
		rows = append(rows, row)
		delete(known, currency)
	}
	for _, missing := range rates.Missing {
		add(missing.Currency, missing.Activities)
	}
	for _, currency := range slices.Sorted(maps.Keys(known)) {
		add(currency, 0)
	}
	return rows
}

// ratesForm returns the form of the table, with a row for another currency.
func ratesForm(given url.Values, rates client.Rates) *form {
	fields := []field{
		{Name: "currency", Label: "Another currency", Hint: "An ISO 4217 code, for example USD."},
		{Name: "rate", Label: "Its rate", Hint: "The value of one " + rates.Base + ", for example 1.25."},
		{Name: "force", Kind: "checkbox", Label: "Also save rates that are more than twice or less than half of those in force"},
	}
	for _, missing := range rates.Missing {
		if _, known := rates.Rates[missing.Currency]; !known {
			fields = append(fields, field{Name: rateName(missing.Currency), Label: missing.Currency})
		}
	}
	for _, rate := range rates.Currencies {
		fields = append(fields, field{Name: rateName(rate.Currency), Label: rate.Currency, Value: string(rate.Rate)})
	}
	return newForm(given, fields...)
}

func importForm(given url.Values) *form {
	f := newForm(given,
		field{Name: "upload", Label: "File", Kind: "file", Hint: "The European Central Bank's eurofxref-daily.xml."},
		field{Name: "file", Label: "Or its content", Kind: "area", Rows: 3},
		field{Name: "force", Label: "Import it even if it is likely to be wrong", Kind: "checkbox", Hint: "Older than the table, from the future, a currency twice, the base itself, or a rate that is more than twice or less than half of the one in force."},
	)
	for i := range f.Fields {
		f.Fields[i].of = "import-"
	}
	return f
}

func feesForm(given url.Values, f client.Fees) *form {
	return newForm(given,
		field{Name: "service_fee", Label: "Service fee", Value: string(f.ServiceFee), Required: true, Hint: "Added to each guest's price, or once to a group's; in the currency of the fee, from 0 to 1,000,000."},
		field{Name: "service_fee_currency", Label: "Currency of the fee", Value: f.ServiceFeeCurrency, Required: true},
		field{Name: "commission_percentage", Label: "Commission, percent", Value: string(f.CommissionPercentage), Required: true, Hint: "Added to the partner's price, from 0 to 1000."},
	)
}

func showTerms(x *exchange) error { return x.showTerms(http.StatusOK, nil, nil, nil) }

// showTerms shows the rates and the fees. Forms that are nil show what is in force.
func (x *exchange) showTerms(status int, change, file, fees *form) error {
	rates, _, err := read[client.Rates](x, "/operator/rates", nil)
	if err != nil {
		return err
	}
	if change == nil {
		change = ratesForm(nil, rates)
	}
	if file == nil {
		file = importForm(nil)
	}
	if fees == nil {
		found, _, err := read[client.Fees](x, "/operator/pricing", nil)
		if err != nil {
			return err
		}
		fees = feesForm(nil, found)
	}
	return x.show(status, "terms.html", &termsPage{frame{Page: "Rates and fees", Section: "terms"}, rates, rateRows(rates, change, x.Now()), change, file, fees})
}

// changeRates saves the changed rows of the table and the added one.
func changeRates(x *exchange) error {
	rates, _, err := read[client.Rates](x, "/operator/rates", nil)
	if err != nil {
		return err
	}
	f, changed := ratesForm(x.given, rates), map[string]*string{}
	set := func(currency, text string) {
		if changed[currency] = nil; text != "" {
			changed[currency] = &text
		}
	}
	for _, one := range f.Fields {
		currency, is := strings.CutPrefix(one.Name, rateName(""))
		if text := strings.TrimSpace(one.Value); is && x.given.Has(one.Name) && text != one.Was {
			set(currency, text)
		}
	}
	added, text := strings.ToUpper(strings.TrimSpace(f.Field("currency").Value)), strings.TrimSpace(f.Field("rate").Value)
	if added != "" || text != "" {
		set(added, text)
	}
	_, err = send[client.Rates](x, http.MethodPut, "/operator/rates", map[string]any{"base": rates.Base, "rates": changed, "check": f.Field("force").Value == ""})
	if problem := asRefusal(err); problem != nil && problem.Status == http.StatusBadRequest {
		for i, detail := range problem.Details { // such as rates.USD: expected …
			detail = strings.ReplaceAll(strings.ReplaceAll(detail, " as a text", ""), `"`, "")
			if words, is := strings.CutPrefix(detail, rateName(added)+": "); is {
				at := "rate: "
				if text == "" || strings.Contains(words, "ISO 4217") || added == rates.Base {
					at = "currency: "
				}
				detail = at + words
			}
			problem.Details[i] = detail
		}
		f.refuse(problem)
		return x.showTerms(http.StatusUnprocessableEntity, f, nil, nil)
	}
	if err != nil {
		return err
	}
	words := "Nothing was changed."
	if len(changed) > 0 {
		words = "Saved: " + strings.Join(slices.Sorted(maps.Keys(changed)), ", ") + ". All prices use the new rates now."
	}
	return x.done(root+"/terms", words)
}

// importRates imports a file that was uploaded or pasted.
func importRates(x *exchange) error {
	if uploaded, _, err := x.r.FormFile("upload"); err == nil {
		defer uploaded.Close()
		text, err := io.ReadAll(uploaded)
		if err != nil {
			return err
		}
		if len(text) > 0 {
			x.given.Set("file", string(text)) // it is shown again if it is refused
		}
	}
	f := importForm(x.given)
	rates, err := send[client.Rates](x, http.MethodPost, "/operator/rates/import", map[string]any{"file": f.Field("file").Value, "force": f.Field("force").Value == "true"})
	if problem := asRefusal(err); problem != nil && problem.Status == http.StatusConflict {
		f.Errors = append(f.Errors, sentence(problem.Message))
	}
	if err != nil {
		return refusedForm(err, f, func(status int, f *form) error { return x.showTerms(status, nil, f, nil) })
	}
	words := "Imported the rates of " + string(rates.AsOf) + "."
	for _, rate := range rates.Currencies {
		if rate.SoldUntil != nil {
			words += fmt.Sprintf(" Not in the file: %s keeps its rate of %s.", rate.Currency, rate.AsOf)
		}
	}
	return x.done(root+"/terms", words)
}

func changeFees(x *exchange) error {
	given := x.given
	_, err := send[client.Fees](x, http.MethodPut, "/operator/pricing", map[string]any{
		"service_fee": strings.TrimSpace(given.Get("service_fee")), "service_fee_currency": strings.ToUpper(strings.TrimSpace(given.Get("service_fee_currency"))),
		"commission_percentage": strings.TrimSpace(given.Get("commission_percentage")),
	})
	if err != nil {
		return refusedForm(err, feesForm(given, client.Fees{}), func(status int, f *form) error { return x.showTerms(status, nil, nil, f) })
	}
	return x.done(root+"/terms", "Fees changed. All prices use them now.")
}
