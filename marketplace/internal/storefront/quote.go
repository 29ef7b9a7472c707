package storefront

import (
	"cmp"
	"math/big"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
)

// quote calculates resellers' prices from a partner's prices, in one currency and with one set of
// terms. It calculates exactly and rounds once at the end.
type quote struct {
	rates    domain.Rates
	currency domain.Currency
	fee      *big.Rat
	share    *big.Rat // the factor for a price before the fee is added
	lacks    error    // the fee's missing exchange rate, so that nothing has a price; nil: none is missing
}

// percentages are an activity's markup and discount, in percent.
type percentages struct{ markup, discount decimal.Decimal }

// newQuote returns a quote in a currency.
func newQuote(terms domain.Terms, own percentages, currency domain.Currency) *quote {
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

// hundredths returns 1 + percent/100.
func hundredths(percent decimal.Decimal) *big.Rat {
	share := new(big.Rat).Quo(percent.Rat(), big.NewRat(100, 1))
	return share.Add(share, big.NewRat(1, 1))
}

// price returns the price of a unit or a group: the partner's price with the percentages, in the
// quote's currency, plus the service fee, rounded half up once. The error is Invalid if an exchange
// rate is missing.
func (q *quote) price(base domain.Minor) (domain.Number, error) {
	factor, err := q.rates.Factor(base.Currency, q.currency)
	if err = cmp.Or(q.lacks, err); err != nil {
		return domain.Number{}, err
	}
	price := base.MajorUnits()
	price.Mul(price, q.share).Mul(price, factor).Add(price, q.fee)
	return domain.Round(price, q.currency), nil
}

// roundedFee returns the service fee in the quote's currency, rounded half up, for display only.
func (q *quote) roundedFee() domain.Number { return domain.Round(q.fee, q.currency) }
