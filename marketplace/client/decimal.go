package client

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"
)

// Decimal is an exact decimal, such as "27.5", in the digits that the marketplace has
// written. "" is none.
type Decimal string

// aDecimal has no exponent: nobody's memory is to be filled by "1e999999999".
var aDecimal = regexp.MustCompile(`^-?[0-9]{1,60}(\.[0-9]{1,60})?$`)

var errDecimal = errors.New("want a decimal such as 27.5")

// Rat is the decimal to reckon with; nil where it is none.
func (d Decimal) Rat() *big.Rat {
	if !aDecimal.MatchString(string(d)) {
		return nil
	}
	exact, _ := new(big.Rat).SetString(string(d))
	return exact
}

// MarshalJSON writes a number, or null for none.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("null"), nil
	}
	if !aDecimal.MatchString(string(d)) {
		return nil, fmt.Errorf("%w, got %q", errDecimal, string(d))
	}
	return []byte(d), nil
}

// UnmarshalJSON reads a number, a text of one, or null.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	read := strings.Trim(string(text), `"`)
	if read == "null" {
		*d = ""
		return nil
	}
	if !aDecimal.MatchString(read) {
		return fmt.Errorf("%w, got %.60s", errDecimal, read)
	}
	*d = Decimal(read)
	return nil
}

// Date is a day, YYYY-MM-DD, in the zone of the product that it is about.
type Date string

// DateOf is the day of a time in the time's own zone.
func DateOf(at time.Time) Date { return Date(at.Format(time.DateOnly)) }
