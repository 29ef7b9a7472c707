package marketplace

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"

	"github.com/shopspring/decimal"

	"partnerkit.dev/schemas/partnerapi"
)

// Currency is an ISO 4217 code.
type Currency string

// Known reports whether it is a code of ISO 4217.
func (c Currency) Known() bool { return checker.Var(string(c), "iso4217") == nil }

// Decimals is how many decimals amounts of the currency have.
func (c Currency) Decimals() int32 { return int32(partnerapi.CurrencyDecimals(string(c))) }

// Minor is an amount as partners write it: an integer in units of 10^-Precision of
// the currency (GEN-6).
type Minor struct {
	Amount    int64
	Precision int
	Currency  Currency
}

// Major is the amount in the currency's major unit, exactly.
func (m Minor) Major() *big.Rat {
	return decimal.New(m.Amount, -int32(m.Precision)).Rat()
}

// Number is a decimal that JSON shows as a number, with every digit that it has.
type Number struct{ decimal.Decimal }

// MarshalJSON writes the decimal's own text: a float would change it.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalJSON reads a number or a text of one, as parseDecimal does.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	read, err := parseDecimal(strings.Trim(string(text), `"`))
	if err != nil {
		return &json.UnmarshalTypeError{Value: "another value", Type: reflect.TypeFor[float64]()}
	}
	n.Decimal = read
	return nil
}

// The decimals that are read: arithmetic with millions of digits costs more than it says.
const (
	longestDecimal = 60 // characters of input
	mostDigits     = 40 // characters of output
)

var errDecimal = errors.New("expected a decimal such as 1.25")

// parseDecimal reads a decimal of at most 40 digits.
func parseDecimal(text string) (decimal.Decimal, error) {
	if len(text) > longestDecimal {
		return decimal.Decimal{}, errDecimal
	}
	read, err := decimal.NewFromString(text)
	if err != nil || max(read.Exponent(), -read.Exponent()) > mostDigits || len(read.String()) > mostDigits {
		return decimal.Decimal{}, errDecimal
	}
	return read, nil
}

// Rounded returns an exact amount as the currency writes it: rounded half up, once.
func Rounded(exact *big.Rat, currency Currency) Number {
	shift := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(currency.Decimals())), nil)
	// floor(x * 10^d + 1/2) is half up for amounts below zero as well.
	scaled := new(big.Rat).Mul(exact, new(big.Rat).SetInt(shift))
	scaled.Add(scaled, big.NewRat(1, 2))
	whole := new(big.Int).Div(scaled.Num(), scaled.Denom()) // Euclidean: the divisor is positive
	return Number{decimal.NewFromBigInt(whole, -currency.Decimals())}
}

// Rates are exchange rates: what one unit of Base buys of each currency.
type Rates struct {
	Base Currency
	Per  map[Currency]decimal.Decimal
}

// Factor is what an amount in one currency is multiplied by for another, exactly. The
// error is Invalid and names the currency without a rate.
func (r Rates) Factor(from, to Currency) (*big.Rat, error) {
	if from == to {
		return big.NewRat(1, 1), nil
	}
	bought, err := r.per(to)
	if err != nil {
		return nil, err
	}
	paid, err := r.per(from)
	if err != nil {
		return nil, err
	}
	return bought.Quo(bought, paid), nil
}

func (r Rates) per(currency Currency) (*big.Rat, error) {
	if currency == r.Base {
		return big.NewRat(1, 1), nil
	}
	rate, known := r.Per[currency]
	if !known || rate.Sign() <= 0 {
		return nil, &Error{Code: Invalid, Reason: NoExchangeRate, Message: "no exchange rate", Details: []string{fmt.Sprintf("currency: there is no exchange rate for %s", currency)}}
	}
	return rate.Rat(), nil
}

// The rates that are taken: one beyond these is a mistake.
var leastRate, mostRate = decimal.New(1, -12), decimal.New(1, 12)

// ParseRate reads an exchange rate, a decimal above 0. The error is Invalid, and names
// the currency.
func ParseRate(currency, text string) (decimal.Decimal, error) {
	rate, err := parseRate(currency, text)
	if err != nil {
		return rate, err
	}
	return rate, nil
}

func parseRate(currency, text string) (decimal.Decimal, *Error) {
	if !Currency(currency).Known() {
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
