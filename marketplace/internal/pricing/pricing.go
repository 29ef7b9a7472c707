// Package pricing computes what a reseller sees from what a partner asks. It is pure
// and exact: fractions in between, and one rounding at the end.
package pricing

import (
	"math/big"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Terms are what the marketplace adds to a partner's price, and takes off it.
// Percentages are whole ones: 5 is five hundredths.
type Terms struct {
	Markup     decimal.Decimal // an operator's, on one activity
	Discount   decimal.Decimal // an operator's, on one activity
	Commission decimal.Decimal // the marketplace's, on all
	Fee        Fee             // the service fee
}

// Fee is an amount in a currency's major unit.
type Fee struct {
	Amount   decimal.Decimal
	Currency marketplace.Currency
}

// Quote computes prices in one currency on one set of terms.
type Quote struct {
	terms    Terms
	rates    marketplace.Rates
	currency marketplace.Currency
	fee      *big.Rat
	share    *big.Rat // what becomes of a price on these terms, before the fee
}

// NewQuote returns a quote in that currency. Its error is Invalid where a rate for
// the fee's currency is missing.
func NewQuote(terms Terms, rates marketplace.Rates, currency marketplace.Currency) (*Quote, error) {
	q := &Quote{terms: terms, rates: rates, currency: currency, fee: new(big.Rat)}
	if !terms.Fee.Amount.IsZero() {
		factor, err := rates.Factor(terms.Fee.Currency, currency)
		if err != nil {
			return nil, err
		}
		q.fee.Mul(terms.Fee.Amount.Rat(), factor)
	}
	q.share = big.NewRat(1, 1)
	for _, percent := range []decimal.Decimal{terms.Markup, terms.Discount.Neg(), terms.Commission} {
		q.share.Mul(q.share, hundredths(percent))
	}
	return q, nil
}

// hundredths is 1 + percent/100.
func hundredths(percent decimal.Decimal) *big.Rat {
	share := new(big.Rat).Quo(percent.Rat(), big.NewRat(100, 1))
	return share.Add(share, big.NewRat(1, 1))
}

// Price is what a unit, or a group, costs: the partner's price on the terms, in the
// quote's currency, with the service fee, rounded half up once. The error is Invalid
// where a rate is missing.
func (q *Quote) Price(base marketplace.Minor) (marketplace.Number, error) {
	factor, err := q.rates.Factor(base.Currency, q.currency)
	if err != nil {
		return marketplace.Number{}, err
	}
	price := base.Major()
	price.Mul(price, q.share).Mul(price, factor).Add(price, q.fee)
	return marketplace.Rounded(price, q.currency), nil
}

// Fee is the service fee in the quote's currency, rounded half up: for showing it,
// never for computing with it.
func (q *Quote) Fee() marketplace.Number { return marketplace.Rounded(q.fee, q.currency) }

// Currency is the quote's.
func (q *Quote) Currency() marketplace.Currency { return q.currency }
