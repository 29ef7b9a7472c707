package domain

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"
)

// Terms are the exchange rates and fees of all prices at one time.
type Terms struct {
	Rates      Rates
	Until      time.Time // after which a rate is too old to be sold in; zero: none will be
	Fee        decimal.Decimal
	FeeIn      Currency
	Commission decimal.Decimal // percent
}

// FeesChange lists an operator's changes to the fees. A nil field is left unchanged.
type FeesChange struct {
	Fee        *Number   `json:"service_fee"`
	FeeIn      *Currency `json:"service_fee_currency" validate:"omitempty,iso4217"`
	Commission *Number   `json:"commission_percentage"`
}

// The limits of fees. A fee beyond them is a mistake.
var (
	mostFee        = decimal.New(1_000_000, 0) // in the major unit
	mostCommission = decimal.New(1000, 0)      // percent
)

// Check returns every amount that is out of range, as Invalid.
func (c FeesChange) Check() error {
	wrong := &Error{Code: Invalid, Message: "invalid fees"}
	for _, one := range []struct {
		name  string
		given *Number
		most  decimal.Decimal
	}{{"service_fee", c.Fee, mostFee}, {"commission_percentage", c.Commission, mostCommission}} {
		if one.given != nil && (one.given.IsNegative() || one.given.GreaterThan(one.most)) {
			wrong.Details = append(wrong.Details, fmt.Sprintf("%s: expected 0 to %s, received %s", one.name, one.most, one.given))
		}
	}
	return wrong.orNil()
}
