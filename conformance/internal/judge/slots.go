package judge

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func availabilitySpecs() []Spec {
	specs := windowSpecs()
	for _, r := range usualForm(partnerapi.Availability) {
		specs = append(specs, spec(r, slotsSteps(r)...))
	}
	for _, r := range append(fieldrule.All(partnerapi.Availability), slotRules(true)...) {
		specs = append(specs, spec(r, append(slotsSteps(r), Recorded{})...))
	}
	specs = append(specs,
		spec(rule.AvailabilityWrongKey, append(slotsSteps(rule.AvailabilityWrongKey), expectStatuses(scenario.PlayQuestion("slots with a wrong key", probe.WrongKey), unauthorized))...),
		spec(rule.AvailabilityMissingKey, append(slotsSteps(rule.AvailabilityMissingKey), expectStatuses(scenario.PlayQuestion("slots without a key", probe.NoKey), unauthorized))...),
	)
	all := rule.All()
	place := func(s Spec) int { return slices.IndexFunc(all, func(r rule.Rule) bool { return r.ID == s.Rule.ID }) }
	slices.SortFunc(specs, func(a, b Spec) int { return place(a) - place(b) }) // the catalogue has the order of judging
	return specs
}

// Slot implements scenario.Observer. It judges a slot by its schema and by the rules about its
// values.
func (f *Fields) Slot(in scenario.SlotAnswer, index int, slot discover.Slot, value any, problems []schemas.Problem) {
	add := func(r rule.Rule, problem schemas.Problem) { f.addSlot(r, in, index, value, problem) }
	for _, problem := range problems {
		add(fieldrule.Owner(in.Exchange.Endpoint, problem), problem)
	}
	note := func(r rule.Rule, place, format string, args ...any) {
		add(r, schemas.Problem{Pointer: place, Message: fmt.Sprintf(format, args...)})
	}
	if !slot.Start.IsZero() && in.Product.ZoneKnown && !in.Window.Contains(slot.Start, in.Product.Zone) {
		note(rule.SlotWindow, "/localDateTimeStart", "expected a date from %s to %s in %s, received %s",
			in.Window.From, in.Window.To, in.Product.Zone, slot.Start.In(in.Product.Zone).Format(partnerapi.DateLayout))
	}
	for _, at := range []struct {
		place string
		time  time.Time
	}{{"/localDateTimeStart", slot.Start}, {"/localDateTimeEnd", slot.End}} {
		if at.time.IsZero() || !in.Product.ZoneKnown {
			continue
		}
		there := at.time.In(in.Product.Zone)
		_, sent := at.time.Zone()
		if _, want := there.Zone(); sent != 0 && sent != want {
			note(rule.SlotOffset, at.place, "expected the offset of %s at that time, %s, received %s", in.Product.Zone, there.Format("-07:00"), at.time.Format("-07:00"))
		}
	}
	if !slot.Start.IsZero() && !slot.End.IsZero() && !slot.End.After(slot.Start) {
		note(rule.SlotEndsLater, "/localDateTimeEnd", "expected a time after the start, %s, received %s", slot.StartText, partnerapi.FormatDateTime(slot.End))
	}
	for i, price := range slot.Prices {
		if price.UnitID == "" || len(in.Option.Units) == 0 {
			continue
		}
		unit := slices.IndexFunc(in.Option.Units, func(u discover.Unit) bool { return u.ID == price.UnitID })
		types := partnerapi.UnitTypes() // any other is another rule's
		switch {
		case unit < 0:
			note(rule.SlotKnownUnit, fmt.Sprintf("/unitPricing/%d/unitId", i), "expected the id of a unit of the option, received %q", price.UnitID)
		case slices.Contains(types, price.UnitType) && slices.Contains(types, in.Option.Units[unit].Type) && price.UnitType != in.Option.Units[unit].Type:
			note(rule.SlotKnownUnit, fmt.Sprintf("/unitPricing/%d/unitType", i), "expected the type of the unit %q, %s, received %s", price.UnitID, in.Option.Units[unit].Type, price.UnitType)
		}
	}
	if slot.Vacancies == nil || in.Product.AllowFreesale { // vacancies of freesale products are not read
		return
	}
	if slot.Capacity != nil && *slot.Vacancies > *slot.Capacity {
		problem := schemas.Problem{Pointer: "/vacancies", Message: fmt.Sprintf("expected at most the capacity, %d, received %d", *slot.Capacity, *slot.Vacancies)}
		if f.remembered != nil && f.remembered.saw(in, slot) {
			f.returned.addSlot(rule.SlotWithinCapacity, in, index, value, problem)
		} else {
			add(rule.SlotWithinCapacity, problem)
		}
	}
	switch left := *slot.Vacancies; { // AVL-13
	case slot.Status == partnerapi.StatusFreesale:
		note(rule.SlotFreesaleUncounted, "/vacancies", "expected none with status FREESALE, received %d", left)
	case slot.Status == partnerapi.StatusSoldOut && left > 0:
		note(rule.SlotSoldOutEmpty, "/vacancies", "expected 0 with status SOLD_OUT, received %d", left)
	case slot.Status.IsBookable() && left == 0:
		note(rule.SlotOpenHasSeats, "/vacancies", "expected more than 0 with status %s, received 0", slot.Status)
	}
}

// addSlot records a breach of r in the slot at an index of an answer.
func (f *Fields) addSlot(r rule.Rule, in scenario.SlotAnswer, index int, value any, problem schemas.Problem) {
	placed := problem.WithPrefix(fmt.Sprintf("/%d", index))
	f.add(r, fmt.Sprintf("slots of %s: %s", in.Question, placed), in.Exchange, value, problem.Pointer)
}

// Slots implements scenario.Observer. It judges the slots of one answer together.
func (f *Fields) Slots(in scenario.SlotAnswer) {
	first := map[string]int{}
	for i, slot := range in.Slots {
		if slot.ID == "" {
			continue
		}
		if before, seen := first[slot.ID]; seen {
			f.add(rule.SlotUnique,
				fmt.Sprintf("slots of %s: [%d].id: expected a unique id, received that of [%d], %q", in.Question, i, before, slot.ID),
				in.Exchange, map[string]any{"id": slot.ID, "localDateTimeStart": slot.StartText}, "/id")
			continue
		}
		first[slot.ID] = i
	}
	if f.remembered != nil {
		f.remembered.compare(in)
	}
}

// ObserveVanished implements scenario.Observer.
func (f *Fields) ObserveVanished(in scenario.SlotAnswer, slot discover.Slot) {
	if f.remembered != nil {
		f.remembered.vanish(in, slot)
	}
}

// slotRules returns the rules about slots, other than those about their fields, that an answer with slots decides.
// known: the catalog shows its option.
func slotRules(known bool) []rule.Rule {
	rules := []rule.Rule{
		rule.SlotUnique, rule.SlotEndsLater, rule.SlotWithinCapacity, rule.SlotSoldOutEmpty, rule.SlotOpenHasSeats, rule.SlotFreesaleUncounted,
	}
	if known {
		rules = append(rules, rule.SlotKnownUnit, rule.SlotWindow, rule.SlotOffset)
	}
	return rules
}
