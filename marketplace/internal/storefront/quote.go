package storefront

import (
	"cmp"
	"math/big"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// quote computes what resellers pay from what a partner asks, in one currency and on one
// set of terms. It is exact: fractions in between, and one rounding at the end.
type quote struct {
	rates    marketplace.Rates
	currency marketplace.Currency
	fee      *big.Rat
	share    *big.Rat // what becomes of a price on these terms, before the fee
	lacks    error    // why nothing has a price: the fee's rate is missing; nil: it is not
}

// percentages are what operators add to one activity's price, and take off it. They are
// whole ones: 5 is five hundredths.
type percentages struct{ markup, discount decimal.Decimal }

// newQuote returns a quote in that currency.
func newQuote(terms marketplace.Terms, own percentages, currency marketplace.Currency) *quote {
	q := &quote{rates: terms.Rates, currency: currency, fee: new(big.Rat)}
	if !terms.Fee.IsZero() {
		factor, err := terms.Rates.Factor(terms.FeeIn, currency)
		if q.lacks = err; err == nil {
			q.fee.Mul(terms.Fee.Rat(), factor)
		}
	}
	q.share = big.NewRat(1, 1)
	for _, percent := range []decimal.Decimal{own.markup, own.discount.Neg(), terms.Commission} {
		q.share.Mul(q.share, hundredths(percent))
	}
	return q
}

// hundredths is 1 + percent/100.
func hundredths(percent decimal.Decimal) *big.Rat {
	share := new(big.Rat).Quo(percent.Rat(), big.NewRat(100, 1))
	return share.Add(share, big.NewRat(1, 1))
}

// price is what a unit, or a group, costs: the partner's price on the terms, in the
// quote's currency, with the service fee, rounded half up once. The error is Invalid
// where a rate is missing.
func (q *quote) price(base marketplace.Minor) (marketplace.Number, error) {
	factor, err := q.rates.Factor(base.Currency, q.currency)
	if err = cmp.Or(q.lacks, err); err != nil {
		return marketplace.Number{}, err
	}
	price := base.Major()
	price.Mul(price, q.share).Mul(price, factor).Add(price, q.fee)
	return marketplace.Rounded(price, q.currency), nil
}

// roundedFee is the service fee in the quote's currency, rounded half up: for showing it,
// never for computing with it.
func (q *quote) roundedFee() marketplace.Number { return marketplace.Rounded(q.fee, q.currency) }
