package marketplace

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Terms are what every price is made with.
type Terms struct {
	Rates      Rates
	RatesOf    time.Time // the day that they are of; zero where operators have set them by hand
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

// The fees that are taken: one beyond these is a mistake.
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

// RatesChange is what is changed of the exchange rates: those that are given are set,
// and none is kept of a currency whose rate is nil. Rates of another base than the
// stored ones replace all of them.
type RatesChange struct {
	Base  Currency
	Rates map[Currency]*decimal.Decimal
	Of    time.Time // the day that they are of; zero for rates that are set by hand
}

// RatesOldAfter is how old rates may be before operators are warned: the bank publishes none
// for up to five days in a row.
const RatesOldAfter = 7 * 24 * time.Hour

// RatesOld reports whether rates of a day are old. Those that operators have set by hand
// have no day, and never are.
func RatesOld(of, now time.Time) bool { return !of.IsZero() && now.Sub(of) > RatesOldAfter }

// Merge is the change that sets those rates.
func (r Rates) Merge(of time.Time) RatesChange {
	change := RatesChange{Base: r.Base, Rates: map[Currency]*decimal.Decimal{}, Of: of}
	for currency, rate := range r.Per {
		change.Rates[currency] = &rate
	}
	return change
}

// ParseRates reads what an operator changes: a decimal as a text for each currency, or
// null. The error is Invalid and names every mistake.
func ParseRates(base Currency, given map[string]json.RawMessage) (RatesChange, error) {
	change := RatesChange{Base: base, Rates: map[Currency]*decimal.Decimal{}}
	wrong := &Error{Code: Invalid, Message: "invalid exchange rates"}
	for currency, raw := range given {
		rate, err := rateOrNull(currency, raw)
		if err == nil && Currency(currency) == base {
			err = rateError(currency, "is the base: leave it out")
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
	if string(raw) == "null" && Currency(currency).Known() {
		return nil, nil
	}
	var text string
	_ = json.Unmarshal(raw, &text) // another kind is as wrong as the empty text that it leaves
	rate, err := parseRate(currency, text)
	return &rate, err
}
