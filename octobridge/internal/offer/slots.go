package offer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Slots translates a supplier's slots. now decides which can still be booked. Slots that cannot be read
// are left out, each with an error.
func (o *Option) Slots(texts []json.RawMessage, now time.Time) (slots []partnerapi.Slot, left []error) {
	judged := judgedSlots{}
	slots = make([]partnerapi.Slot, 0, len(texts))
	for i, text := range texts {
		var from octo.Availability
		err := json.Unmarshal(text, &from)
		slot := partnerapi.Slot{}
		if err == nil {
			slot, err = o.slot(from, now)
		}
		if err == nil {
			err = judged.problem(slot)
		}
		if err != nil {
			left = append(left, fmt.Errorf("slot %d, %.60q: %w", i+1, from.ID, err))
			continue
		}
		slots = append(slots, slot)
	}
	return slots, left
}

func (o *Option) slot(from octo.Availability, now time.Time) (slot partnerapi.Slot, err error) {
	start, end, err := o.span(from)
	if err != nil {
		return slot, err
	}
	slot = partnerapi.Slot{
		ID: from.ID, LocalDateTimeStart: partnerapi.FormatDateTime(start), LocalDateTimeEnd: partnerapi.FormatDateTime(end),
		Status: statusOf(from, now), Vacancies: from.Vacancies, Capacity: from.Capacity,
	}
	for _, price := range from.UnitPricing {
		id, sold := o.ids[price.UnitID]
		if !sold {
			continue
		}
		entry, err := entryOf(price)
		if err != nil {
			return slot, err
		}
		slot.UnitPricing = append(slot.UnitPricing, partnerapi.UnitPricing{
			UnitID: id, UnitType: o.units[id].kind, Original: entry.Original, Currency: entry.Currency, CurrencyPrecision: entry.CurrencyPrecision,
		})
	}
	return slot, nil
}

// judgedSlots is what the schema says of slots, by their texts without what it accepts anyway: plain ids,
// times of this century, and small numbers. Most slots of an option differ in nothing else.
type judgedSlots map[string]error

var (
	plainID     = regexp.MustCompile(`^[!-~]{1,100}$`)
	thisCentury = regexp.MustCompile(`^20[0-9]{2}-`)
)

const (
	fewSeats    = 10_000
	smallAmount = 1_000_000
)

// problem returns why a slot cannot be shown, or nil.
func (j judgedSlots) problem(slot partnerapi.Slot) error {
	if plainID.MatchString(slot.ID) && thisCentury.MatchString(slot.LocalDateTimeStart) && thisCentury.MatchString(slot.LocalDateTimeEnd) {
		slot.ID, slot.LocalDateTimeStart, slot.LocalDateTimeEnd = "any", "2026-07-01T09:00:00Z", "2026-07-01T11:00:00Z"
	}
	for _, seats := range []**int{&slot.Vacancies, &slot.Capacity} {
		if n := *seats; n != nil && *n >= 0 && *n <= fewSeats {
			*seats = new(1)
		}
	}
	slot.UnitPricing = slices.Clone(slot.UnitPricing)
	for i := range slot.UnitPricing {
		if amount := &slot.UnitPricing[i].Original; *amount >= 0 && *amount <= smallAmount {
			*amount = 1
		}
	}
	text, err := json.Marshal(slot)
	if err != nil {
		return err
	}
	known, judged := j[string(text)]
	if !judged {
		if problems := schemas.Validate(schemas.Slot, text); len(problems) > 0 {
			known = fmt.Errorf("%s", problems[0])
		}
		j[string(text)] = known
	}
	return known
}

// statusOf returns the status of a slot. OCTO says apart from it whether the slot can be booked, and
// until when.
func statusOf(from octo.Availability, now time.Time) partnerapi.SlotStatus {
	status := partnerapi.SlotStatus(from.Status)
	if !status.IsBookable() {
		return status
	}
	if cutoff, err := partnerapi.ParseDateTime(from.UTCCutoffAt); err == nil && !now.Before(cutoff) {
		return partnerapi.StatusClosed
	}
	if !from.Available {
		return partnerapi.StatusSoldOut
	}
	return status
}

// span returns when a slot begins and ends, in the product's zone. A day with opening hours is open from
// the first of them until the last.
func (o *Option) span(from octo.Availability) (start, end time.Time, err error) {
	if start, err = o.moment(from.LocalDateTimeStart); err != nil {
		return start, end, fmt.Errorf("localDateTimeStart: %w", err)
	}
	if end, err = o.moment(from.LocalDateTimeEnd); err != nil {
		return start, end, fmt.Errorf("localDateTimeEnd: %w", err)
	}
	if !from.AllDay || len(from.OpeningHours) == 0 {
		return start, end, nil
	}
	first, last := from.OpeningHours[0].From, from.OpeningHours[len(from.OpeningHours)-1].To
	opens, err := o.timeOn(start, first)
	if err != nil {
		return start, end, err
	}
	closes, err := o.timeOn(start, last)
	if err == nil && !closes.After(opens) { // after midnight
		closes, err = o.timeOn(start.AddDate(0, 0, 1), last)
	}
	return opens, closes, err
}

// moment reads a date-time. Without an offset it is in the product's zone.
func (o *Option) moment(text string) (time.Time, error) {
	if moment, err := partnerapi.ParseDateTime(text); err == nil {
		return moment.In(o.Zone), nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if moment, err := time.ParseInLocation(layout, text, o.Zone); err == nil {
			return moment, nil
		}
	}
	return time.Time{}, fmt.Errorf("%.60q is not a date-time", text)
}

// timeOn returns the time of day, HH:MM, on the date of day. 24:00 is the next midnight.
func (o *Option) timeOn(day time.Time, text string) (time.Time, error) {
	var hour, minute int
	if n, err := fmt.Sscanf(text, "%2d:%2d", &hour, &minute); n != 2 || err != nil || hour < 0 || hour > 24 || minute < 0 || minute > 59 {
		return time.Time{}, fmt.Errorf("openingHours: %.20q is not a time of day", text)
	}
	day = day.In(o.Zone)
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, o.Zone), nil
}
