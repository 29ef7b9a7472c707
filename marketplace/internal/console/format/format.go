// Package format formats money and times for the reader of a page.
package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Reader formats for one reader. The zero value formats for English.
type Reader struct{ printer *message.Printer }

// maxHeader limits the part of Accept-Language that is read, in bytes.
const maxHeader = 200

// NewReader returns a formatter for a browser's Accept-Language. Without a known language it
// formats for English. Digits are always 0 to 9, because the pages are in English.
func NewReader(acceptLanguage string) Reader {
	if len(acceptLanguage) > maxHeader {
		acceptLanguage = acceptLanguage[:maxHeader]
	}
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil || len(wanted) == 0 || wanted[0] == language.Und {
		return Reader{}
	}
	tag, err := wanted[0].SetTypeForKey("nu", "latn")
	if err != nil {
		return Reader{}
	}
	return Reader{message.NewPrinter(tag)}
}

func (r Reader) print(value any, options ...number.Option) string {
	if r.printer == nil {
		r.printer = message.NewPrinter(language.English)
	}
	return r.printer.Sprint(number.Decimal(value, options...))
}

// Count formats a number of things.
func (r Reader) Count(n int) string { return r.print(n) }

// Plural formats a number of things with their noun: 1 product, 1,080 products.
func (r Reader) Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return r.Count(n) + " " + many
}

// mostExact is the number of digits that a float64 always keeps.
const mostExact = 15

// Money formats an amount with the decimals of its currency, and more only if the amount has them:
// 1,080.00 EUR, or 1.080,00 EUR in German. An amount that is not a number is returned unchanged.
func (r Reader) Money(amount, code string) string {
	value, err := decimal.NewFromString(amount)
	if err != nil {
		return strings.TrimSpace(amount + " " + code)
	}
	scale := 2
	if unit, err := currency.ParseISO(code); err == nil {
		scale, _ = currency.Standard.Rounding(unit)
	}
	scale = max(scale, int(-value.Exponent()))
	text := value.StringFixed(int32(scale))
	if float, err := strconv.ParseFloat(text, 64); err == nil && value.NumDigits() <= mostExact {
		text = r.print(float, number.Scale(scale))
	}
	return strings.TrimSpace(text + " " + code)
}

// Period is a slot in its own zone.
type Period struct {
	Day  string // Fri 10 Jul 2026
	Hour string // 10:00–12:00, or 22:00–02:00 (11 Jul)
	Zone string // Europe/Lisbon
	ISO  string // the beginning
}

// FormatSlot formats a slot in a zone. In an unknown zone the times keep their own offset.
func FormatSlot(zone string, from, until time.Time) Period {
	if in, err := time.LoadLocation(zone); err == nil && zone != "" {
		from, until = from.In(in), until.In(in)
	} else {
		zone = from.Format("UTC-07:00")
	}
	p := Period{Day: from.Format("Mon 2 Jan 2006"), Hour: from.Format("15:04"), Zone: zone, ISO: from.Format(time.RFC3339)}
	if until.After(from) {
		p.Hour += "–" + until.Format("15:04")
		if until.Format(time.DateOnly) != from.Format(time.DateOnly) {
			p.Hour += " (" + until.Format("2 Jan") + ")"
		}
	}
	return p
}

// Age formats how long ago something was, in its largest unit: 5 min, 3 h, 12 d.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return fmt.Sprintf("%d d ago", d/(24*time.Hour))
	}
}

// Percent formats a share of a whole, with one decimal below 10 %.
func (r Reader) Percent(part, whole int) string {
	if whole == 0 {
		return ""
	}
	share := 100 * float64(part) / float64(whole)
	scale := 0
	if share > 0 && share < 10 {
		scale = 1
	}
	return r.print(share, number.Scale(scale)) + " %"
}
