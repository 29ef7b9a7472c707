package pricing_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/pricing"
)

// rates: a euro buys 1.25 dollars, 160 yen, 0.3333 dinars.
var rates = marketplace.Rates{Base: "EUR", Per: map[marketplace.Currency]decimal.Decimal{
	"USD": amount("1.25"), "JPY": amount("160"), "KWD": amount("0.3333"), "XXX": amount("3"),
}}

func amount(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func minor(amount int64, precision int, currency marketplace.Currency) marketplace.Minor {
	return marketplace.Minor{Amount: amount, Precision: precision, Currency: currency}
}

func TestAPriceIsThePartnersOnTheTermsRoundedOnce(t *testing.T) {
	t.Parallel()
	all := pricing.Terms{
		Markup: amount("10"), Discount: amount("5"), Commission: amount("3"), Fee: pricing.Fee{Amount: amount("1.5"), Currency: "EUR"},
	}
	for name, c := range map[string]struct {
		base  marketplace.Minor
		terms pricing.Terms
		in    marketplace.Currency
		want  string
	}{
		"nothing added":                           {minor(2250, 2, "EUR"), pricing.Terms{}, "EUR", "22.5"},
		"no decimals: 3500/160 = 21.875":          {minor(3500, 0, "JPY"), pricing.Terms{}, "EUR", "21.88"},
		"into no decimals: 10 x 160/1.25":         {minor(1000, 2, "USD"), pricing.Terms{}, "JPY", "1280"},
		"into three decimals: 10 x 0.3333":        {minor(1000, 2, "EUR"), pricing.Terms{}, "KWD", "3.333"},
		"from three decimals: 3.333/0.3333":       {minor(3333, 3, "KWD"), pricing.Terms{}, "EUR", "10"},
		"a third stays a third until the end":     {minor(100, 2, "XXX"), pricing.Terms{Fee: pricing.Fee{Amount: amount("2"), Currency: "XXX"}}, "EUR", "1"},
		"19.99 x 1.1 x 0.95 x 1.03 / 1.25 + 1.5":  {minor(1999, 2, "USD"), all, "EUR", "18.71"},
		"the same in yen: 17.2129892 x 160 + 240": {minor(1999, 2, "USD"), all, "JPY", "2994"},
		"half a cent is a cent":                   {minor(125, 3, "EUR"), pricing.Terms{}, "EUR", "0.13"},
		"half a cent below zero is none":          {minor(-125, 3, "EUR"), pricing.Terms{}, "EUR", "-0.12"},
		"just below half a cent is none":          {minor(1249999, 7, "EUR"), pricing.Terms{}, "EUR", "0.12"},
		"a discount of everything leaves the fee": {minor(5000, 2, "EUR"), pricing.Terms{Discount: amount("100"), Fee: all.Fee}, "EUR", "1.5"},
		"a fee in dollars, shown in yen":          {minor(1000, 2, "EUR"), pricing.Terms{Fee: pricing.Fee{Amount: amount("2.5"), Currency: "USD"}}, "JPY", "1920"},
		"percentages with decimals: 100 x 1.0725": {minor(10000, 2, "EUR"), pricing.Terms{Markup: amount("7.25")}, "EUR", "107.25"},
		"more than an int64 of cents":             {minor(9223372036854775807, 0, "EUR"), pricing.Terms{Markup: amount("100")}, "EUR", "18446744073709551614"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quote, err := pricing.NewQuote(c.terms, rates, c.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := quote.Price(c.base)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(amount(c.want)) {
				t.Errorf("want %s %s, got %s", c.want, c.in, got)
			}
		})
	}
}

func TestTheServiceFeeIsShownInTheQuotesCurrency(t *testing.T) {
	t.Parallel()
	quote, err := pricing.NewQuote(pricing.Terms{Fee: pricing.Fee{Amount: amount("1.99"), Currency: "EUR"}}, rates, "USD")
	if err != nil {
		t.Fatal(err)
	}
	if got := quote.Fee(); !got.Equal(amount("2.49")) { // 2.4875
		t.Errorf("want 2.49, got %s", got)
	}
}

func TestACurrencyWithoutARateIsTheRequestsMistake(t *testing.T) {
	t.Parallel()
	fee := pricing.Terms{Fee: pricing.Fee{Amount: amount("1"), Currency: "CHF"}}
	if _, err := pricing.NewQuote(fee, rates, "EUR"); marketplace.CodeOf(err) != marketplace.Invalid {
		t.Errorf("want the fee's currency refused, got %v", err)
	}
	quote, err := pricing.NewQuote(pricing.Terms{}, rates, "CHF")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := quote.Price(minor(1, 2, "EUR")); marketplace.CodeOf(err) != marketplace.Invalid {
		t.Errorf("want CHF refused, got %v", err)
	}
	if _, err := quote.Price(minor(1, 2, "CHF")); err != nil {
		t.Errorf("want no rate needed where nothing is changed, got %v", err)
	}
}

func TestAPriceIsWrittenWithTheDigitsThatItHas(t *testing.T) {
	t.Parallel()
	quote, err := pricing.NewQuote(pricing.Terms{}, rates, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	price, err := quote.Price(minor(10, 2, "EUR"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"price": price})
	if err != nil || string(text) != `{"price":0.1}` {
		t.Errorf(`want {"price":0.1}, got %s and %v`, text, err)
	}
}

// Whatever the terms, an amount never has more decimals than its currency, and is
// never more than half a unit away from the exact one.
func TestEveryPriceIsWithinHalfAUnitOfTheExactOne(t *testing.T) {
	t.Parallel()
	currencies := []marketplace.Currency{"EUR", "USD", "JPY", "KWD"}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SampledFrom(currencies).Draw(t, "in")
		base := minor(rapid.Int64Range(0, 1e12).Draw(t, "amount"), rapid.IntRange(0, 4).Draw(t, "precision"), rapid.SampledFrom(currencies).Draw(t, "from"))
		terms := pricing.Terms{Markup: decimal.New(rapid.Int64Range(0, 10000).Draw(t, "markup"), -2), Discount: decimal.New(rapid.Int64Range(0, 10000).Draw(t, "discount"), -2)}
		quote, err := pricing.NewQuote(terms, rates, in)
		if err != nil {
			t.Fatal(err)
		}
		price, err := quote.Price(base)
		if err != nil {
			t.Fatal(err)
		}
		if _, fraction, found := strings.Cut(price.String(), "."); found && len(fraction) > int(in.Decimals()) {
			t.Fatalf("want at most %d decimals in %s, got %s", in.Decimals(), in, price)
		}
		factor, err := rates.Factor(base.Currency, in)
		if err != nil {
			t.Fatal(err)
		}
		exact, _ := base.Major().Float64()
		rate, _ := factor.Float64()
		markup, _ := terms.Markup.Float64()
		discount, _ := terms.Discount.Float64()
		near := exact * (1 + markup/100) * (1 - discount/100) * rate
		unit, _ := decimal.New(1, -in.Decimals()).Float64()
		if off := price.InexactFloat64() - near; off > unit/2+near*1e-9 || off < -unit/2-near*1e-9 {
			t.Fatalf("want about %v, got %s", near, price)
		}
	})
}
