package domain

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Rates are exchange rates: how much of each currency one unit of Base buys.
type Rates struct {
	Base Currency
	Per  map[Currency]decimal.Decimal
}

// Factor returns the exact factor between two currencies. The error is Invalid and names the
// currency without a rate.
func (r Rates) Factor(from, to Currency) (*big.Rat, error) {
	if from == to {
		return big.NewRat(1, 1), nil
	}
	bought, err := r.rateOf(to)
	if err != nil {
		return nil, err
	}
	paid, err := r.rateOf(from)
	if err != nil {
		return nil, err
	}
	return bought.Quo(bought, paid), nil
}

func (r Rates) rateOf(currency Currency) (*big.Rat, error) {
	if currency == r.Base {
		return big.NewRat(1, 1), nil
	}
	rate, known := r.Per[currency]
	if !known || rate.Sign() <= 0 {
		return nil, &Error{Code: Invalid, Reason: NoExchangeRate, Message: "no exchange rate", Details: []string{fmt.Sprintf("currency: there is no exchange rate for %s", currency)}}
	}
	return rate.Rat(), nil
}

// The limits of rates. A rate beyond them is a mistake.
var leastRate, mostRate = decimal.New(1, -12), decimal.New(1, 12)

// ParseRate parses an exchange rate, a decimal above 0. The error is Invalid and names the
// currency.
func ParseRate(currency, text string) (decimal.Decimal, *Error) {
	if !Currency(currency).IsKnown() {
		return decimal.Decimal{}, rateError(currency, "expected an ISO 4217 code such as USD")
	}
	rate, err := parseDecimal(text)
	if err != nil || rate.LessThan(leastRate) || rate.GreaterThan(mostRate) {
		return decimal.Decimal{}, rateError(currency, `expected a decimal above 0 as a text, such as "1.25"`)
	}
	return rate, nil
}

func rateError(currency, message string) *Error {
	return &Error{
		Code: Invalid, Message: "invalid exchange rate",
		Details: []string{fmt.Sprintf("rates.%.10s: %s", currency, message)},
	}
}

// RateTable is the stored exchange rates. Every rate has its own date.
type RateTable struct {
	Base    Currency
	Of      time.Time     // the date of the newest file; zero: none was imported for this base
	MaxAge  time.Duration // how long a rate that the newest file lacks is sold in
	Refused string        // why the last published file was refused; "": it was not
	Per     map[Currency]DatedRate
}

// DatedRate is an exchange rate with its date: that of its file, or the day on which an operator set it.
type DatedRate struct {
	Rate   decimal.Decimal
	Of     time.Time           // midnight in UTC
	Before decimal.NullDecimal // the rate that it replaced
}

// SoldUntil returns after when nothing is sold in a currency, because the newest file lacks it. It is
// zero for a currency of that file and for one that operators have set since.
func (t RateTable) SoldUntil(c Currency) time.Time {
	if of := t.Per[c].Of; of.Before(t.Of) {
		return of.Add(t.MaxAge)
	}
	return time.Time{}
}

// KeptRate is the rate of a currency that the newest file lacks.
type KeptRate struct {
	Currency  Currency
	Of        string // YYYY-MM-DD
	SoldUntil time.Time
}

// String returns the rate's currency, date and end, for example in a log.
func (k KeptRate) String() string {
	return fmt.Sprintf("%s keeps its rate of %s until %s", k.Currency, k.Of, k.SoldUntil.Format(time.DateOnly))
}

// Kept returns the rates of currencies that the newest file lacks.
func (t RateTable) Kept() (kept []KeptRate) {
	for _, c := range slices.Sorted(maps.Keys(t.Per)) {
		if until := t.SoldUntil(c); !until.IsZero() {
			kept = append(kept, KeptRate{c, t.Per[c].Of.Format(time.DateOnly), until})
		}
	}
	return kept
}

// IsOld reports whether the newest file is old. The bank may publish no rates for five days.
func (t RateTable) IsOld(now time.Time) bool { return !t.Of.IsZero() && now.Sub(t.Of) > t.MaxAge }

// all returns the rates, also those in which nothing is sold.
func (t RateTable) all() Rates {
	rates := Rates{Base: t.Base, Per: make(map[Currency]decimal.Decimal, len(t.Per))}
	for c, dated := range t.Per {
		rates.Per[c] = dated.Rate
	}
	return rates
}

// At returns the rates in which is sold at a time, and after when there are fewer; zero: never.
func (t RateTable) At(now time.Time) (rates Rates, until time.Time) {
	rates = t.all()
	for c := range t.Per {
		switch end := t.SoldUntil(c); {
		case end.IsZero():
		case now.After(end):
			delete(rates.Per, c)
		case until.IsZero() || end.Before(until):
			until = end
		}
	}
	return rates, until
}

// RatesFile is a published table of one day.
type RatesFile struct {
	Date   time.Time // midnight in UTC
	Rates  Rates
	Lines  map[Currency]int // where the rates are in the file
	Doubts []string         // why the file may be wrong
}

// RatesChange is a change of exchange rates. Given rates are set, and nil removes a rate. If the
// base differs from the stored one, all rates are replaced.
type RatesChange struct {
	Base    Currency
	Rates   map[Currency]*decimal.Decimal
	Of      time.Time // the date of their file; zero: an operator sets them
	Checked bool      // a rate that differs much from the one in force is refused
}

// Import returns the change that a file makes. Unless it is forced, the error is Conflict for a file that
// is likely to be wrong, and names every reason.
func (t RateTable) Import(f RatesFile, now time.Time, force bool) (RatesChange, error) {
	change := RatesChange{Base: f.Rates.Base, Rates: map[Currency]*decimal.Decimal{}, Of: f.Date}
	doubts := slices.Clone(f.Doubts)
	if day := f.Date.Format(time.DateOnly); f.Date.After(now) {
		doubts = append(doubts, "date: "+day+" is in the future")
	} else if f.Date.Before(t.Of) {
		doubts = append(doubts, fmt.Sprintf("date: %s is before %s, the date of the table in force", day, t.Of.Format(time.DateOnly)))
	}
	for c, rate := range f.Rates.Per {
		change.Rates[c] = &rate
	}
	doubts = append(doubts, t.jumps(change, f.Lines)...)
	if len(doubts) == 0 || force {
		return change, nil
	}
	return RatesChange{}, &Error{Code: Conflict, Message: "the exchange rates were refused: check them, and force the import if they are right", Details: doubts}
}

// Check returns an Invalid error for rates of a checked change that differ much from those in force.
func (t RateTable) Check(c RatesChange) error {
	wrong := &Error{Code: Invalid, Message: "unlikely exchange rates"}
	if c.Checked {
		wrong.Details = t.jumps(c, nil)
	}
	return wrong.orNil()
}

// mostJump is the largest likely factor between a rate and the one in force.
var mostJump = big.NewRat(2, 1)

// jumps names the rates that are more than twice or less than half of those in force.
func (t RateTable) jumps(c RatesChange, lines map[Currency]int) (list []string) {
	before := t.all()
	for _, currency := range slices.Sorted(maps.Keys(c.Rates)) {
		old, err := before.Factor(c.Base, currency)
		if err != nil || c.Rates[currency] == nil {
			continue
		}
		says := ""
		switch ratio := new(big.Rat).Quo(c.Rates[currency].Rat(), old); {
		case ratio.Cmp(mostJump) > 0:
			says = "more than twice"
		case ratio.Cmp(new(big.Rat).Inv(mostJump)) < 0:
			says = "less than half of"
		default:
			continue
		}
		place := "rates." + string(currency)
		if line := lines[currency]; line > 0 {
			place += fmt.Sprintf(" (line %d)", line)
		}
		list = append(list, fmt.Sprintf("%s: %s is %s the rate in force, %s", place, c.Rates[currency], says, decimal.NewFromBigRat(old, 16)))
	}
	return list
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
	rate, err := ParseRate(currency, text)
	return &rate, err
}
