package discover

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Window is a range of dates in a product's zone, both inclusive.
type Window struct{ From, To string }

// Lookahead returns the window of a sync at now: today and the 60 days after it.
func Lookahead(now time.Time, zone *time.Location) Window {
	today := now.In(zone)
	return Window{today.Format(partnerapi.DateLayout), today.AddDate(0, 0, partnerapi.LookaheadDays).Format(partnerapi.DateLayout)}
}

// Day returns the window of the date on which t falls in zone.
func Day(t time.Time, zone *time.Location) Window {
	date := t.In(zone).Format(partnerapi.DateLayout)
	return Window{date, date}
}

// Contains reports whether t falls on a date of the window in zone (AVL-10).
func (w Window) Contains(t time.Time, zone *time.Location) bool {
	date := t.In(zone).Format(partnerapi.DateLayout)
	return w.From <= date && date <= w.To
}

// Dates lists the dates of the window; nil if its first date cannot be read.
func (w Window) Dates() []string {
	from, err := time.Parse(partnerapi.DateLayout, w.From)
	if err != nil {
		return nil
	}
	var dates []string
	for day := from; day.Format(partnerapi.DateLayout) <= w.To; day = day.AddDate(0, 0, 1) {
		dates = append(dates, day.Format(partnerapi.DateLayout))
	}
	return dates
}
