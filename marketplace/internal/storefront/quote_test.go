package storefront

import (
	"cmp"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/domain"
)

// A euro is worth 1.25 dollars, 160 yen or 0.3333 dinars.
var rates = domain.Rates{Base: "EUR", Per: map[domain.Currency]decimal.Decimal{
	"USD": amount("1.25"), "JPY": amount("160"), "KWD": amount("0.3333"), "XXX": amount("3"),
}}

func amount(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func cents(amount int64, precision int, currency domain.Currency) domain.Minor {
	return domain.Minor{Amount: amount, Precision: precision, Currency: currency}
}

// charges are added to a price or subtracted from it: percentages, and a fee in the major unit.
type charges struct{ markup, discount, commission, fee, feeIn string }

func (c charges) quote(in domain.Currency) *quote {
	of := func(text string) decimal.Decimal { return amount(cmp.Or(text, "0")) }
	terms := domain.Terms{Rates: rates, Commission: of(c.commission), Fee: of(c.fee), FeeIn: domain.Currency(c.feeIn)}
	return newQuote(terms, percentages{of(c.markup), of(c.discount)}, in)
}

func TestAPriceIsThePartnersOnTheTermsRoundedOnce(t *testing.T) {
	t.Parallel()
	all := charges{"10", "5", "3", "1.5", "EUR"}
	for name, c := range map[string]struct {
		base domain.Minor
		charges
		in   domain.Currency
		want string
	}{
		"nothing added":                           {cents(2250, 2, "EUR"), charges{}, "EUR", "22.5"},
		"no decimals: 3500/160 = 21.875":          {cents(3500, 0, "JPY"), charges{}, "EUR", "21.88"},
		"into no decimals: 10 x 160/1.25":         {cents(1000, 2, "USD"), charges{}, "JPY", "1280"},
		"into three decimals: 10 x 0.3333":        {cents(1000, 2, "EUR"), charges{}, "KWD", "3.333"},
		"from three decimals: 3.333/0.3333":       {cents(3333, 3, "KWD"), charges{}, "EUR", "10"},
		"a third stays a third until the end":     {cents(100, 2, "XXX"), charges{fee: "2", feeIn: "XXX"}, "EUR", "1"},
		"19.99 x 1.1 x 0.95 x 1.03 / 1.25 + 1.5":  {cents(1999, 2, "USD"), all, "EUR", "18.71"},
		"the same in yen: 17.2129892 x 160 + 240": {cents(1999, 2, "USD"), all, "JPY", "2994"},
		"half a cent is a cent":                   {cents(125, 3, "EUR"), charges{}, "EUR", "0.13"},
		"half a cent below zero is rounded up":    {cents(-125, 3, "EUR"), charges{}, "EUR", "-0.12"},
		"just below half a cent is rounded down":  {cents(1249999, 7, "EUR"), charges{}, "EUR", "0.12"},
		"a discount of everything leaves the fee": {cents(5000, 2, "EUR"), charges{discount: "100", fee: "1.5", feeIn: "EUR"}, "EUR", "1.5"},
		"a fee in dollars, shown in yen":          {cents(1000, 2, "EUR"), charges{fee: "2.5", feeIn: "USD"}, "JPY", "1920"},
		"percentages with decimals: 100 x 1.0725": {cents(10000, 2, "EUR"), charges{markup: "7.25"}, "EUR", "107.25"},
		"more than an int64 of cents":             {cents(9223372036854775807, 0, "EUR"), charges{markup: "100"}, "EUR", "18446744073709551614"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := c.quote(c.in).price(c.base); err != nil || !got.Equal(amount(c.want)) {
				t.Errorf("want %s %s, got %s, %v", c.want, c.in, got, err)
			}
		})
	}
}

func TestTheServiceFeeIsShownInTheQuotesCurrency(t *testing.T) {
	t.Parallel()
	if got := (charges{fee: "1.99", feeIn: "EUR"}).quote("USD").roundedFee(); !got.Equal(amount("2.49")) { // 2.4875
		t.Errorf("want 2.49, got %s", got)
	}
}

func TestACurrencyWithoutARateIsTheRequestsMistake(t *testing.T) {
	t.Parallel()
	if _, err := (charges{fee: "1", feeIn: "CHF"}).quote("EUR").price(cents(1, 2, "EUR")); domain.CodeOf(err) != domain.Invalid {
		t.Errorf("want the fee's currency refused, got %v", err)
	}
	quote := charges{}.quote("CHF")
	if _, err := quote.price(cents(1, 2, "EUR")); domain.CodeOf(err) != domain.Invalid {
		t.Errorf("want CHF refused, got %v", err)
	}
	if _, err := quote.price(cents(1, 2, "CHF")); err != nil {
		t.Errorf("want no rate needed where nothing is changed, got %v", err)
	}
}

// With any terms, an amount never has more decimals than its currency, and never differs from the
// exact amount by more than half a unit.
func TestEveryPriceIsWithinHalfAUnitOfTheExactOne(t *testing.T) {
	t.Parallel()
	currencies := []domain.Currency{"EUR", "USD", "JPY", "KWD"}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SampledFrom(currencies).Draw(t, "in")
		base := cents(rapid.Int64Range(0, 1e12).Draw(t, "amount"), rapid.IntRange(0, 4).Draw(t, "precision"), rapid.SampledFrom(currencies).Draw(t, "from"))
		own := percentages{decimal.New(rapid.Int64Range(0, 10000).Draw(t, "markup"), -2), decimal.New(rapid.Int64Range(0, 10000).Draw(t, "discount"), -2)}
		price, err := newQuote(domain.Terms{Rates: rates}, own, in).price(base)
		must(t, err)
		if _, fraction, found := strings.Cut(price.String(), "."); found && len(fraction) > int(in.Decimals()) {
			t.Fatalf("want at most %d decimals in %s, got %s", in.Decimals(), in, price)
		}
		factor, err := rates.Factor(base.Currency, in)
		must(t, err)
		exact, _ := base.MajorUnits().Float64()
		rate, _ := factor.Float64()
		markup, _ := own.markup.Float64()
		discount, _ := own.discount.Float64()
		near := exact * (1 + markup/100) * (1 - discount/100) * rate
		unit, _ := decimal.New(1, -in.Decimals()).Float64()
		if off := price.InexactFloat64() - near; off > unit/2+near*1e-9 || off < -unit/2-near*1e-9 {
			t.Fatalf("want about %v, got %s", near, price)
		}
	})
}

// must stops the test on an error.
func must(t interface {
	Helper()
	Fatal(...any)
}, err error) {
	t.Helper()
	errtest.Check(t, err)
}
