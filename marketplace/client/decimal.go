package client

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"
)

// Decimal is an exact decimal such as "27.5", with the digits of the answer. "" means no value.
type Decimal string

// aDecimal allows no exponent: expanding "1e999999999" would exhaust the memory.
var aDecimal = regexp.MustCompile(`^-?[0-9]{1,60}(\.[0-9]{1,60})?$`)

var errDecimal = errors.New("expected a decimal such as 27.5")

// Rat returns the decimal as a rational number for calculations, or nil if it is not a decimal.
func (d Decimal) Rat() *big.Rat {
	if !aDecimal.MatchString(string(d)) {
		return nil
	}
	exact, _ := new(big.Rat).SetString(string(d))
	return exact
}

// MarshalJSON returns a number, or null for "".
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("null"), nil
	}
	if !aDecimal.MatchString(string(d)) {
		return nil, fmt.Errorf("%w, received %q", errDecimal, string(d))
	}
	return []byte(d), nil
}

// UnmarshalJSON reads a number, a string with a number, or null.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	read := strings.Trim(string(text), `"`)
	if read == "null" {
		*d = ""
		return nil
	}
	if !aDecimal.MatchString(read) {
		return fmt.Errorf("%w, received %.60s", errDecimal, read)
	}
	*d = Decimal(read)
	return nil
}

// Date is a day, YYYY-MM-DD, in the time zone of its product.
type Date string

// DateOf returns the day of a time in the time's own zone.
func DateOf(at time.Time) Date { return Date(at.Format(time.DateOnly)) }
