package marketplace

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

// Slot is one start, or one opening window, of a variation as its partner last said.
type Slot struct {
	VariationID uuid.UUID
	ID          string    // the partner's, which reserve sends back: its availabilityId
	LocalDate   time.Time // of the start, in the product's zone; midnight in UTC, as DateIn has it
	Start, End  time.Time // to the microsecond
	Status      partnerapi.SlotStatus
	Vacancies   *int                     // seats left; nil: not known
	Capacity    *int                     // seats in all; nil: not known
	UnitPricing []partnerapi.UnitPricing // its own prices, before the option's (AVL-6); nil: none
	NewsAt      time.Time                // when the partner said so
}

// DateIn is the date of a moment in a zone. A date is its midnight in UTC.
func DateIn(moment time.Time, zone *time.Location) time.Time {
	year, month, day := moment.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// SlotNews is what a partner notifies of one slot (WHK-2).
type SlotNews struct {
	At                  time.Time // when it came
	ID                  string
	Start               time.Time
	End                 time.Time // zero: it is not told
	Status              partnerapi.SlotStatus
	Vacancies, Capacity *int                     // nil: not told
	UnitPricing         []partnerapi.UnitPricing // nil: not told
}

// With is the slot after the news. What is not told stays; where only vacancies are,
// they are the capacity as well; a start that moves takes the end along.
func (s Slot) With(news SlotNews, zone *time.Location) Slot {
	length := s.End.Sub(s.Start)
	s.ID, s.Start, s.Status, s.NewsAt = news.ID, news.Start, news.Status, news.At
	s.LocalDate = DateIn(news.Start, zone)
	if s.End = news.End; news.End.IsZero() {
		s.End = s.Start.Add(length)
	}
	if news.Vacancies != nil {
		s.Vacancies, s.Capacity = news.Vacancies, news.Vacancies
	}
	if news.Capacity != nil {
		s.Capacity = news.Capacity
	}
	if news.UnitPricing != nil {
		s.UnitPricing = news.UnitPricing
	}
	return s
}

// AskedUnit is the unit that a partner is asked an option's slots for: an adult, else
// the option's first (PRD-15).
func AskedUnit(option partnerapi.Option) string {
	for _, unit := range option.Units {
		if unit.ID == partnerapi.AdultUnitID {
			return unit.ID
		}
	}
	if len(option.Units) > 0 {
		return option.Units[0].ID
	}
	return partnerapi.AdultUnitID
}
