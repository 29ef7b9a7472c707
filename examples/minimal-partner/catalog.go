package main

import (
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // the zone below must be known on a machine without a zone database
)

// The types of the catalog, as GET /products returns it (PRD-2 to PRD-8). Fields that are not
// exported are internal and never sent.

type product struct {
	ID                  string   `json:"id"` // permanent, like every id here (PRD-10)
	InternalName        string   `json:"internalName"`
	Locale              string   `json:"locale"`
	TimeZone            string   `json:"timeZone"`
	InstantConfirmation bool     `json:"instantConfirmation"`
	Options             []option `json:"options"`
}

type option struct {
	ID               string `json:"id"`
	InternalName     string `json:"internalName"`
	AvailabilityType string `json:"availabilityType"`
	Units            []unit `json:"units"`

	zone       *time.Location
	startHours []int // local hours at which a slot starts, on every open day
	length     time.Duration
	capacity   int // seats of one slot
}

type unit struct {
	ID           string   `json:"id"` // the contract fixes unit-adult and unit-child (PRD-12)
	InternalName string   `json:"internalName"`
	Type         string   `json:"type"`
	PricingFrom  []object `json:"pricingFrom"`
}

func catalog() ([]product, error) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		return nil, err
	}
	euro := func(cents int) []object { return []object{{"original": cents, "currency": "EUR"}} } // GEN-6, PRD-8
	adult := func(cents int) unit { return unit{"unit-adult", "Adult", "ADULT", euro(cents)} }
	child := func(cents int) unit { return unit{"unit-child", "Child", "CHILD", euro(cents)} }
	return []product{{
		ID: "harbour-cruise", InternalName: "Harbour cruise",
		Locale: "en-GB", TimeZone: lisbon.String(), InstantConfirmation: true,
		Options: []option{{
			ID: "shared-boat", InternalName: "Shared boat", AvailabilityType: "START_TIME",
			Units: []unit{adult(4500), child(2250)},
			zone:  lisbon, startHours: []int{10, 14, 17}, length: 90 * time.Minute, capacity: 40,
		}, {
			ID: "small-boat", InternalName: "Small boat with skipper", AvailabilityType: "START_TIME",
			Units: []unit{adult(12000)},
			zone:  lisbon, startHours: []int{11}, length: 2 * time.Hour, capacity: 4,
		}},
	}, {
		ID: "tile-museum", InternalName: "Tile museum",
		Locale: "en-GB", TimeZone: lisbon.String(), InstantConfirmation: true,
		Options: []option{{
			ID: "day-ticket", InternalName: "Day ticket", AvailabilityType: "OPENING_HOURS",
			Units: []unit{adult(1200), child(600)},
			zone:  lisbon, startHours: []int{10}, length: 8 * time.Hour, capacity: 60,
		}},
	}}, nil
}

// slot is one start of an option, as POST /availability returns it (AVL-4, AVL-5).
type slot struct {
	ID        string    `json:"id"`
	Start     time.Time `json:"localDateTimeStart"`
	End       time.Time `json:"localDateTimeEnd"`
	Status    string    `json:"status"`
	Vacancies int       `json:"vacancies"`
	Capacity  int       `json:"capacity"`
}

const (
	closedOn  = time.Monday
	daysAhead = 90 // how far ahead seats are sold; the marketplace requests 60 days (AVL-2)
)

// slots lists the slots of o between two dates, both inclusive (AVL-10). Slots are computed, so
// each has the same id in every answer (AVL-8).
//
// Dates are midnights in UTC, so that summer time neither shortens nor lengthens a day.
func (o option) slots(from, to, now time.Time) []slot {
	year, month, day := now.In(o.zone).Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if from.Before(today) {
		from = today
	}
	if last := today.AddDate(0, 0, daysAhead); to.After(last) {
		to = last
	}
	slots := []slot{} // not nil: a window without slots is [], never null (AVL-3)
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		if date.Weekday() == closedOn {
			continue
		}
		for _, hour := range o.startHours {
			start := time.Date(date.Year(), date.Month(), date.Day(), hour, 0, 0, 0, o.zone)
			if start.After(now) { // a slot that has started is not sold
				id := o.ID + start.Format("-2006-01-02-1504")
				slots = append(slots, slot{ID: id, Start: start, End: start.Add(o.length), Capacity: o.capacity})
			}
		}
	}
	return slots
}

// guests is a number of guests of one unit.
type guests struct {
	ID       string `json:"id"`
	Quantity int    `json:"quantity"`
}

// seats returns the number of seats for a party: one for every guest (RSV-9).
func (o option) seats(party []guests) (int, error) {
	if len(party) == 0 {
		return 0, refusal("units is empty: choose at least one guest.")
	}
	seats := 0
	for _, g := range party {
		if !slices.ContainsFunc(o.Units, func(u unit) bool { return u.ID == g.ID }) {
			return 0, refusal(fmt.Sprintf("%s has no unit %.40q.", o.InternalName, g.ID))
		}
		if g.Quantity < 1 {
			return 0, refusal("Each unit needs a quantity of at least 1.")
		}
		seats += min(g.Quantity, o.capacity+1) // more do not fit, and the sum cannot overflow
	}
	return seats, nil
}
