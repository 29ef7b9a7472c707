package storefront

import (
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
)

// ecbBase is the base currency of the bank's rates.
const ecbBase domain.Currency = "EUR"

// largestRates limits a file, in bytes. One with 30 currencies has 2,000.
const largestRates = 1 << 20

//go:embed eurofxref-2024-06-28.xml
var sampleRates []byte

// SampleRates returns the table that comes with the service. It is old and only for examples.
func SampleRates() (domain.RatesFile, error) { return parseRates(sampleRates) }

// ratesFile is the used part of the file.
type ratesFile struct {
	Days []struct {
		Date  string        `xml:"time,attr"`
		Rates []rateElement `xml:"Cube"`
	} `xml:"Cube>Cube"`
}

// rateElement is the rate of a currency in the file.
type rateElement struct {
	Currency string
	Rate     string
	Line     int
}

// UnmarshalXML reads the element's attributes and its place in the file.
func (e *rateElement) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	e.Line, _ = d.InputPos()
	for _, attribute := range start.Attr {
		switch attribute.Name.Local {
		case "currency":
			e.Currency = attribute.Value
		case "rate":
			e.Rate = attribute.Value
		}
	}
	return d.Skip()
}

// ReadRates parses the European Central Bank's table of reference rates of one day, which it publishes
// as eurofxref-daily.xml.
func ReadRates(in io.Reader) (domain.RatesFile, error) {
	text, err := io.ReadAll(io.LimitReader(in, largestRates+1))
	if err != nil {
		return domain.RatesFile{}, fmt.Errorf("read the rates: %w", err)
	}
	if len(text) > largestRates {
		return domain.RatesFile{}, fmt.Errorf("the rates exceed %d bytes", largestRates)
	}
	return parseRates(text)
}

var errNoRates = errors.New("expected the European Central Bank's daily reference rates, eurofxref-daily.xml")

func parseRates(text []byte) (domain.RatesFile, error) {
	var read ratesFile
	if err := xml.Unmarshal(text, &read); err != nil {
		return domain.RatesFile{}, fmt.Errorf("%w: %w", errNoRates, err)
	}
	if len(read.Days) != 1 {
		return domain.RatesFile{}, errNoRates
	}
	date, err := time.Parse(time.DateOnly, read.Days[0].Date)
	if err != nil {
		return domain.RatesFile{}, fmt.Errorf("%w: its date is %q", errNoRates, read.Days[0].Date)
	}
	daily := domain.RatesFile{Date: date, Rates: domain.Rates{Base: ecbBase, Per: map[domain.Currency]decimal.Decimal{}}, Lines: map[domain.Currency]int{}}
	for _, one := range read.Days[0].Rates {
		rate, mistake := domain.ParseRate(one.Currency, one.Rate)
		if mistake != nil {
			return domain.RatesFile{}, fmt.Errorf("line %d: %s", one.Line, strings.Join(mistake.Details, "; "))
		}
		currency := domain.Currency(one.Currency)
		place := fmt.Sprintf("rates.%s (line %d): ", currency, one.Line)
		if first, known := daily.Lines[currency]; known {
			daily.Doubts = append(daily.Doubts, fmt.Sprintf("%salready in line %d", place, first))
		}
		if currency == ecbBase {
			daily.Doubts = append(daily.Doubts, place+"is the base currency")
			continue
		}
		daily.Rates.Per[currency], daily.Lines[currency] = rate, one.Line
	}
	if len(daily.Rates.Per) == 0 {
		return domain.RatesFile{}, errNoRates
	}
	return daily, nil
}
