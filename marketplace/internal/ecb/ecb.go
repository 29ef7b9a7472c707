// Package ecb reads the European Central Bank's daily reference rates, the file that
// it publishes as eurofxref-daily.xml, and holds one of them for a service that has
// been given none yet.
package ecb

import (
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Base is the currency that the bank's rates are of.
const Base marketplace.Currency = "EUR"

// largest bounds a file, in bytes: one of 30 currencies has 2,000.
const largest = 1 << 20

// Daily is the table of one day.
type Daily struct {
	Date  time.Time // UTC midnight
	Rates marketplace.Rates
}

//go:embed 2024-06-28.xml
var snapshot []byte

// Snapshot is the table that comes with the service. It is old: what is shown with it
// is an example.
func Snapshot() (Daily, error) { return parse(snapshot) }

// envelope is the file, as far as it is read.
type envelope struct {
	Days []struct {
		Date  string `xml:"time,attr"`
		Rates []struct {
			Currency string `xml:"currency,attr"`
			Rate     string `xml:"rate,attr"`
		} `xml:"Cube"`
	} `xml:"Cube>Cube"`
}

// Read reads a file with the table of one day.
func Read(in io.Reader) (Daily, error) {
	text, err := io.ReadAll(io.LimitReader(in, largest+1))
	if err != nil {
		return Daily{}, fmt.Errorf("read the rates: %w", err)
	}
	if len(text) > largest {
		return Daily{}, fmt.Errorf("the rates have more than %d bytes", largest)
	}
	return parse(text)
}

var errNoRates = errors.New("want the European Central Bank's daily reference rates, eurofxref-daily.xml")

func parse(text []byte) (Daily, error) {
	var read envelope
	if err := xml.Unmarshal(text, &read); err != nil {
		return Daily{}, fmt.Errorf("%w: %w", errNoRates, err)
	}
	if len(read.Days) != 1 || len(read.Days[0].Rates) == 0 {
		return Daily{}, errNoRates
	}
	date, err := time.Parse(time.DateOnly, read.Days[0].Date)
	if err != nil {
		return Daily{}, fmt.Errorf("%w: its date is %q", errNoRates, read.Days[0].Date)
	}
	daily := Daily{Date: date, Rates: marketplace.Rates{Base: Base, Per: map[marketplace.Currency]decimal.Decimal{}}}
	for _, one := range read.Days[0].Rates {
		rate, err := marketplace.ParseRate(one.Currency, one.Rate)
		if err != nil {
			return Daily{}, err
		}
		daily.Rates.Per[marketplace.Currency(one.Currency)] = rate
	}
	return daily, nil
}
