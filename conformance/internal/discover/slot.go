package discover

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Slot is what the suite needs of a slot.
type Slot struct {
	ID        string
	Start     time.Time // zero where it cannot be read
	End       time.Time // zero where it cannot be read
	StartText string
	Status    partnerapi.SlotStatus
	Vacancies *int64
	Capacity  *int64
	UnitIDs   []string // of its unit pricing
}

// ReadSlot reads a decoded slot leniently; what is missing or of the wrong type
// is left empty.
func ReadSlot(value any) Slot {
	object, _ := value.(map[string]any)
	slot := Slot{
		ID:        text(object, "id"),
		StartText: text(object, "localDateTimeStart"),
		Status:    partnerapi.SlotStatus(text(object, "status")),
		Vacancies: integer(object, "vacancies"),
		Capacity:  integer(object, "capacity"),
	}
	slot.Start, _ = partnerapi.ParseDateTime(slot.StartText)
	slot.End, _ = partnerapi.ParseDateTime(text(object, "localDateTimeEnd"))
	for _, price := range list(object, "unitPricing") {
		slot.UnitIDs = append(slot.UnitIDs, text(price, "unitId"))
	}
	return slot
}

// Seats is how many seats a slot has left, where they are counted at all.
type Seats struct {
	Counted bool
	Left    int64
}

// Seats counts the seats left in a slot of product (AVL-14).
func (s Slot) Seats(product Product) Seats {
	switch {
	case product.AllowFreesale, s.Status == partnerapi.StatusFreesale:
		return Seats{}
	case s.Vacancies != nil:
		return Seats{Counted: true, Left: *s.Vacancies}
	case s.Status == partnerapi.StatusSoldOut:
		return Seats{Counted: true}
	default:
		return Seats{}
	}
}

// Window is a range of dates in a product's zone, both inclusive.
type Window struct{ From, To string }

// Lookahead returns the window of a sync at now: today and the 60 days after it.
func Lookahead(now time.Time, zone *time.Location) Window {
	today := now.In(zone)
	return Window{today.Format(partnerapi.DateLayout), today.AddDate(0, 0, partnerapi.LookaheadDays).Format(partnerapi.DateLayout)}
}

// Day returns the window of t's day in zone.
func Day(t time.Time, zone *time.Location) Window {
	date := t.In(zone).Format(partnerapi.DateLayout)
	return Window{date, date}
}

// Contains reports whether t falls on a date of the window in zone (AVL-10).
func (w Window) Contains(t time.Time, zone *time.Location) bool {
	date := t.In(zone).Format(partnerapi.DateLayout)
	return w.From <= date && date <= w.To
}

// Dates lists the window's dates.
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
