package suite

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// judgeSlot adds what a single slot shows beyond its schema.
func (s *session) judgeSlot(in slotAnswer, index int, slot discover.Slot, value any) {
	note := func(r rule.Rule, place, format string, args ...any) {
		problem := schemas.Problem{Pointer: place, Message: fmt.Sprintf(format, args...)}.Under(fmt.Sprintf("/%d", index))
		s.findings.add(r, fmt.Sprintf("slots of product %q, option %q: %s", in.product.ID, in.option.ID, problem), in.exchange, value, place, s.redact)
	}
	if !slot.Start.IsZero() && in.product.ZoneKnown && !in.window.Contains(slot.Start, in.product.Zone) {
		note(rule.SlotWindow, "/localDateTimeStart", "want a date from %s to %s in %s, got %s",
			in.window.From, in.window.To, in.product.Zone, slot.Start.In(in.product.Zone).Format(partnerapi.DateLayout))
	}
	if !slot.Start.IsZero() && !slot.End.IsZero() && !slot.End.After(slot.Start) {
		note(rule.SlotEndsLater, "/localDateTimeEnd", "want a time after the start, %s, got %s", slot.StartText, partnerapi.FormatDateTime(slot.End))
	}
	for i, id := range slot.UnitIDs {
		if id != "" && !slices.ContainsFunc(in.option.Units, func(u discover.Unit) bool { return u.ID == id }) {
			note(rule.SlotKnownUnit, fmt.Sprintf("/unitPricing/%d/unitId", i), "want the id of a unit of the option, got %q", id)
		}
	}
	if slot.Vacancies != nil && !in.product.AllowFreesale { // there vacancies are not read
		judgeNumbers(slot, note)
	}
}

// judgeNumbers adds where a slot's numbers and its status disagree (AVL-13).
func judgeNumbers(slot discover.Slot, note func(r rule.Rule, place, format string, args ...any)) {
	left := *slot.Vacancies
	if slot.Capacity != nil && left > *slot.Capacity {
		note(rule.SlotWithinCapacity, "/vacancies", "want at most the capacity, %d, got %d", *slot.Capacity, left)
	}
	switch {
	case slot.Status == partnerapi.StatusFreesale:
		note(rule.SlotFreesaleUncounted, "/vacancies", "want none with status FREESALE, got %d", left)
	case slot.Status == partnerapi.StatusSoldOut && left > 0:
		note(rule.SlotSoldOutEmpty, "/vacancies", "want 0 with status SOLD_OUT, got %d", left)
	case slot.Status.Bookable() && left == 0:
		note(rule.SlotOpenHasSeats, "/vacancies", "want more than 0 with status %s, got 0", slot.Status)
	}
}

// judgeSlots adds what the slots of one answer show together.
func (s *session) judgeSlots(in slotAnswer) {
	first := map[string]int{}
	for i, slot := range in.slots {
		if slot.ID == "" {
			continue
		}
		if before, seen := first[slot.ID]; seen {
			s.findings.add(rule.SlotUnique,
				fmt.Sprintf("slots of product %q, option %q: [%d].id: want an id of its own, got that of [%d], %q", in.product.ID, in.option.ID, i, before, slot.ID),
				in.exchange, map[string]any{"id": slot.ID, "localDateTimeStart": slot.StartText}, "/id", s.redact)
			continue
		}
		first[slot.ID] = i
	}
}
