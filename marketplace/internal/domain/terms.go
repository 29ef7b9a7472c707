package domain

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Terms are the exchange rates and fees of all prices.
type Terms struct {
	Rates      Rates
	RatesOf    time.Time // the day of the rates; zero: operators set them
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

// RatesChange is a change of exchange rates. Given rates are set, and nil removes a rate. If the
// base differs from the stored one, all rates are replaced.
type RatesChange struct {
	Base  Currency
	Rates map[Currency]*decimal.Decimal
	Of    time.Time // the day of the rates; zero: operators set them
}

// RatesOldAfter is the age of rates at which operators are warned. The bank may publish no rates
// for five days.
const RatesOldAfter = 7 * 24 * time.Hour

// RatesOld reports whether rates of a day are old. Rates that operators set have no day and are
// never old.
func RatesOld(of, now time.Time) bool { return !of.IsZero() && now.Sub(of) > RatesOldAfter }

// Merge returns the change that sets these rates.
func (r Rates) Merge(of time.Time) RatesChange {
	change := RatesChange{Base: r.Base, Rates: map[Currency]*decimal.Decimal{}, Of: of}
	for currency, rate := range r.Per {
		change.Rates[currency] = &rate
	}
	return change
}

// ParseRates parses an operator's change: a decimal as a string for each currency, or null. The
// error is Invalid and names every mistake.
func ParseRates(base Currency, given map[string]json.RawMessage) (RatesChange, error) {
	change := RatesChange{Base: base, Rates: map[Currency]*decimal.Decimal{}}
	wrong := &Error{Code: Invalid, Message: "invalid exchange rates"}
	for currency, raw := range given {
		rate, err := rateOrNull(currency, raw)
		if err == nil && Currency(currency) == base {
			err = rateError(currency, "is the base currency: omit it")
		}
		if err != nil {
			wrong.Details = append(wrong.Details, err.Details...)
			continue
		}
		change.Rates[Currency(currency)] = rate
	}
	slices.Sort(wrong.Details)
	return change, wrong.orNil()
}

func rateOrNull(currency string, raw json.RawMessage) (*decimal.Decimal, *Error) {
	if string(raw) == "null" && Currency(currency).IsKnown() {
		return nil, nil
	}
	var text string
	_ = json.Unmarshal(raw, &text) // another type is as invalid as the empty text that remains
	rate, err := parseRate(currency, text)
	return &rate, err
}
