package domain

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

// Slot is one start or opening window of a variation as its partner last described it.
type Slot struct {
	VariationID uuid.UUID
	ID          string    // the partner's availabilityId, which reserve sends
	LocalDate   time.Time // of the start, in the product's zone; midnight in UTC, as from DateIn
	Start, End  time.Time // with microseconds; a zero End is unknown
	Status      partnerapi.SlotStatus
	Vacancies   *int                     // free seats; nil: unknown
	Capacity    *int                     // total seats; nil: unknown
	UnitPricing []partnerapi.UnitPricing // takes precedence over the option's prices (AVL-6); nil: no own prices
	SentAt      time.Time                // when the partner sent it
}

// DateIn returns a moment's date in a zone. A date is represented by its midnight in UTC.
func DateIn(moment time.Time, zone *time.Location) time.Time {
	year, month, day := moment.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// SlotUpdate is the content of a partner's notification of one slot (WHK-2).
type SlotUpdate struct {
	At                  time.Time // when it arrived
	ID                  string
	Start               time.Time
	End                 time.Time // zero: not sent
	Status              partnerapi.SlotStatus
	Vacancies, Capacity *int                     // nil: not sent
	UnitPricing         []partnerapi.UnitPricing // nil: not sent
}

// With returns the slot after the notification. Fields that were not sent are unchanged. Vacancies
// without a capacity set both. A moved start moves the end, too.
func (s Slot) With(update SlotUpdate, zone *time.Location) Slot {
	if !s.End.IsZero() {
		s.End = s.End.Add(update.Start.Sub(s.Start))
	}
	s.ID, s.Start, s.Status, s.SentAt = update.ID, update.Start, update.Status, update.At
	s.LocalDate = DateIn(update.Start, zone)
	if !update.End.IsZero() {
		s.End = update.End
	}
	if update.Vacancies != nil {
		s.Vacancies, s.Capacity = update.Vacancies, update.Vacancies
	}
	if update.Capacity != nil {
		s.Capacity = update.Capacity
	}
	if update.UnitPricing != nil {
		s.UnitPricing = update.UnitPricing
	}
	return s
}

// AskedUnit returns the unit for availability requests: an adult, otherwise the option's first unit
// (PRD-15).
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
