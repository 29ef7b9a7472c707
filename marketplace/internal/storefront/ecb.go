package storefront

import (
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
)

// ecbBase is the base currency of the bank's rates.
const ecbBase domain.Currency = "EUR"

// largestRates limits a file, in bytes. One with 30 currencies has 2,000.
const largestRates = 1 << 20

// DailyRates is the European Central Bank's table of reference rates of one day, published as
// eurofxref-daily.xml.
type DailyRates struct {
	Date  time.Time // UTC midnight
	Rates domain.Rates
}

//go:embed eurofxref-2024-06-28.xml
var sampleRates []byte

// SampleRates returns the table that comes with the service. It is old and only for examples.
func SampleRates() (DailyRates, error) { return parseRates(sampleRates) }

// ratesFile is the used part of the file.
type ratesFile struct {
	Days []struct {
		Date  string `xml:"time,attr"`
		Rates []struct {
			Currency string `xml:"currency,attr"`
			Rate     string `xml:"rate,attr"`
		} `xml:"Cube"`
	} `xml:"Cube>Cube"`
}

// ReadRates parses a file with the table of one day.
func ReadRates(in io.Reader) (DailyRates, error) {
	text, err := io.ReadAll(io.LimitReader(in, largestRates+1))
	if err != nil {
		return DailyRates{}, fmt.Errorf("read the rates: %w", err)
	}
	if len(text) > largestRates {
		return DailyRates{}, fmt.Errorf("the rates exceed %d bytes", largestRates)
	}
	return parseRates(text)
}

var errNoRates = errors.New("expected the European Central Bank's daily reference rates, eurofxref-daily.xml")

func parseRates(text []byte) (DailyRates, error) {
	var read ratesFile
	if err := xml.Unmarshal(text, &read); err != nil {
		return DailyRates{}, fmt.Errorf("%w: %w", errNoRates, err)
	}
	if len(read.Days) != 1 || len(read.Days[0].Rates) == 0 {
		return DailyRates{}, errNoRates
	}
	date, err := time.Parse(time.DateOnly, read.Days[0].Date)
	if err != nil {
		return DailyRates{}, fmt.Errorf("%w: its date is %q", errNoRates, read.Days[0].Date)
	}
	daily := DailyRates{Date: date, Rates: domain.Rates{Base: ecbBase, Per: map[domain.Currency]decimal.Decimal{}}}
	for _, one := range read.Days[0].Rates {
		rate, err := domain.ParseRate(one.Currency, one.Rate)
		if err != nil {
			return DailyRates{}, err
		}
		daily.Rates.Per[domain.Currency(one.Currency)] = rate
	}
	return daily, nil
}
