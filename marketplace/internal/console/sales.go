package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/format"
)

// sales shows the bookings of the last days: a bar for each day, and the partners with their
// confirm calls.
type sales struct {
	Bars     []bar
	Says     string // a text alternative for the chart
	Revenue  string // total of all days
	Partners []partnerSales
}

// bar is one day in the chart. Its parts are stacked: confirmed, cancelled, and the rest.
type bar struct {
	Day                  string // 2 Jan
	Bookings             int
	Confirmed, Cancelled int
	Revenue              string
	X                    int
	Parts                []part
}

// part is a part of a bar.
type part struct {
	Tone      string
	Y, Height float64
}

type partnerSales struct {
	IntegrationID, Name            string
	Bookings, Confirmed, Cancelled int
	Revenue                        string
	Success                        string // share of accepted confirm calls; "" without calls
	Bad                            bool   // more than badConfirms percent failed
	Median                         string // "" without an answered confirm
}

// Each bar is barWidth wide, with a gap up to barStep. The highest bar is barHeight.
const (
	barStep   = 40
	barHeight = 120
)

// badConfirms is the percentage of failed confirm calls above which a partner is marked.
const badConfirms = 5

func newSales(o client.Overview, r format.Reader) (s sales) {
	most, bookings, confirmed := 1, 0, 0
	revenue := map[string]decimal.Decimal{}
	for _, d := range o.Days {
		most = max(most, d.Bookings)
		bookings += d.Bookings
		confirmed += d.Confirmed
		for currency, amount := range d.Revenue {
			if n, err := decimal.NewFromString(string(amount)); err == nil {
				revenue[currency] = revenue[currency].Add(n)
			}
		}
	}
	for i, d := range o.Days {
		b := bar{Day: d.Day, Bookings: d.Bookings, Confirmed: d.Confirmed, Cancelled: d.Cancelled, Revenue: amounts(d.Revenue, r), X: i * barStep}
		if day, err := time.Parse(time.DateOnly, d.Day); err == nil {
			b.Day = day.Format("2 Jan")
		}
		y := float64(barHeight)
		for _, p := range []struct {
			tone string
			n    int
		}{{"good", d.Confirmed}, {"bad", d.Cancelled}, {"mute", d.Bookings - d.Confirmed - d.Cancelled}} {
			height := float64(p.n) * barHeight / float64(most)
			y -= height
			if p.n > 0 {
				b.Parts = append(b.Parts, part{p.tone, y, height})
			}
		}
		s.Bars = append(s.Bars, b)
	}
	total := map[string]client.Decimal{}
	for currency, amount := range revenue {
		total[currency] = client.Decimal(amount.String())
	}
	s.Revenue = amounts(total, r)
	s.Says = fmt.Sprintf("%s in the last %s, %s of them confirmed.", r.Plural(bookings, "booking", "bookings"), r.Plural(len(o.Days), "day", "days"), r.Count(confirmed))
	for _, p := range o.Partners {
		row := partnerSales{IntegrationID: p.IntegrationID, Name: p.Name, Bookings: p.Bookings, Confirmed: p.Confirmed, Cancelled: p.Cancelled, Revenue: amounts(p.Revenue, r)}
		if calls := p.Answered + p.Refused + p.Failed; calls > 0 {
			row.Success = fmt.Sprintf("%.1f %%", 100*float64(p.Answered)/float64(calls))
			row.Bad = 100*p.Failed > badConfirms*calls
		}
		if p.MedianMS != nil {
			row.Median = r.Count(max(1, *p.MedianMS)) + " ms"
		}
		s.Partners = append(s.Partners, row)
	}
	return s
}

// amounts formats money by currency: "1,080.00 EUR, 20.50 USD".
func amounts(of map[string]client.Decimal, r format.Reader) string {
	var list []string
	for _, currency := range slices.Sorted(maps.Keys(of)) {
		list = append(list, r.Money(string(of[currency]), currency))
	}
	return strings.Join(list, ", ")
}
