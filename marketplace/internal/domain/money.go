package domain

import (
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"

	"github.com/shopspring/decimal"

	"partnerkit.dev/schemas/partnerapi"
)

// Currency is an ISO 4217 code.
type Currency string

// IsKnown reports whether the code is in ISO 4217.
func (c Currency) IsKnown() bool { return checker.Var(string(c), "iso4217") == nil }

// Decimals returns the number of decimals of the currency's amounts.
func (c Currency) Decimals() int32 { return int32(partnerapi.CurrencyDecimals(string(c))) }

// Minor is an amount in a partner's notation: an integer in units of 10^-Precision of the currency
// (GEN-6).
type Minor struct {
	Amount    int64
	Precision int
	Currency  Currency
}

// MajorUnits returns the exact amount in the currency's major unit.
func (m Minor) MajorUnits() *big.Rat { return m.Number().Rat() }

// Number returns the amount in the currency's major unit with all of its digits.
func (m Minor) Number() Number { return Number{decimal.New(m.Amount, -int32(m.Precision))} }

// Number is a decimal whose JSON is a number with all of its digits.
type Number struct{ decimal.Decimal }

// MarshalJSON returns the decimal's text, because a float would change it.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalJSON reads a number or a string, like parseDecimal.
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

// The limits of decimals: arithmetic with millions of digits is expensive.
const (
	longestDecimal = 60 // characters of input
	mostDigits     = 40 // characters of output
)

var errDecimal = errors.New("expected a decimal such as 1.25")

// parseDecimal parses a decimal of at most 40 digits.
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

// Round rounds an exact amount half up to the currency's decimals.
func Round(exact *big.Rat, currency Currency) Number {
	shift := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(currency.Decimals())), nil)
	// floor(x * 10^d + 1/2) also rounds negative amounts half up.
	scaled := new(big.Rat).Mul(exact, new(big.Rat).SetInt(shift))
	scaled.Add(scaled, big.NewRat(1, 2))
	whole := new(big.Int).Div(scaled.Num(), scaled.Denom()) // Euclidean: the divisor is positive
	return Number{decimal.NewFromBigInt(whole, -currency.Decimals())}
}

// Price is an amount in a currency.
type Price struct {
	Amount   Number   `json:"amount"`
	Currency Currency `json:"currency"`
}
