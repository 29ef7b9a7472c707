package judge

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

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

func availabilitySpecs() []Spec {
	specs := specForEach(usualForm(partnerapi.Availability), slotsSteps)
	specs = append(specs, specForEach(append(fieldrule.All(partnerapi.Availability), slotRules(true)...), func(r rule.Rule) []Step { return append(slotsSteps(r), fields()) })...)
	specs = append(specs, windowSpecs()...)
	specs = append(specs,
		spec(rule.AvailabilityWrongKey, append(slotsSteps(rule.AvailabilityWrongKey), expectStatuses(scenario.PlayQuestion("slots with a wrong key", probe.WrongKey), unauthorized))...),
		spec(rule.AvailabilityMissingKey, append(slotsSteps(rule.AvailabilityMissingKey), expectStatuses(scenario.PlayQuestion("slots without a key", probe.NoKey), unauthorized))...),
	)
	all := rule.All()
	place := func(s Spec) int { return slices.IndexFunc(all, func(r rule.Rule) bool { return r.ID == s.Rule.ID }) }
	slices.SortFunc(specs, func(a, b Spec) int { return place(a) - place(b) }) // the catalogue has the order of judging
	return specs
}

func slotsSteps(r rule.Rule) []Step {
	return []Step{catalog, judgeOnce(scenario.PlaySurvey, slotsRead(r)), judgeOnce(scenario.PlaySurvey, slotsAsked)}
}

// slotsRead finds why no answer about slots could be read, or that the first unreadable answer
// breaks r.
func slotsRead(r rule.Rule) func(*scenario.Survey) Finding {
	return func(v *scenario.Survey) Finding {
		f := FromStop(v.SlotsStop)
		if len(v.Answers) == 0 || f.Cause != nil && f.Cause.ID == r.ID {
			return f
		}
		return Finding{}
	}
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
		if f.saw(in, slot) {
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
	f.compare(in)
}

// slotIDSpec returns the spec of the rule that slots keep their ids.
func slotIDSpec() Spec {
	return rereadSpec(rule.SlotPermanent, inTurn(rereadStep(scenario.PlaySameWindow, keepsIDs), rereadStep(scenario.PlayDay, keepsIDs)))
}

func slotIDPartSpec() Spec {
	return partSpec(rule.SlotPermanent, func(w scenario.Windows) Finding { return keepsIDs(w.Long, w.Part) })
}

// SlotIDsFinding returns what two answers about an option show about the ids of its slots.
func SlotIDsFinding(first, second scenario.SlotAnswer) RuleFinding {
	return RuleFinding{rule.SlotPermanent, keepsIDs(first, second)}
}

// keepsIDs finds a slot of the first answer that has another id in the second answer, or whose id
// belongs to another slot there.
func keepsIDs(first, second scenario.SlotAnswer) Finding {
	startOf := map[string]discover.Slot{}
	for _, known := range first.Slots {
		startOf[known.ID] = known
	}
	before, after := idsByTime(first), idsByTime(second)
	judged := map[slotTime]bool{}
	for _, slot := range second.Slots {
		if known, ok := startOf[slot.ID]; ok && slot.ID != "" && !known.Start.Equal(slot.Start) {
			return Breach("%s: expected id %q to stay with the slot at %s, received it for the one at %s",
				first.Question, slot.ID, known.StartText, slot.StartText).WithEvidence(first.Exchange, second.Exchange)
		}
		at := timeOf(slot)
		if judged[at] {
			continue
		}
		judged[at] = true
		gone, came := plan.Subtract(before[at], after[at]), plan.Subtract(after[at], before[at])
		if len(gone) > 0 && len(came) > 0 {
			return Breach("%s: expected the slot at %s to keep its id %q, received %q",
				first.Question, slot.StartText, gone[0], came[0]).WithEvidence(first.Exchange, second.Exchange)
		}
	}
	return Finding{}
}

// slotTime is the start and end of a slot. It identifies a slot of an option, except for slots at
// the same time.
type slotTime struct{ start, end int64 }

func (t slotTime) startTime() time.Time { return time.Unix(0, t.start) }

// timeOf returns the time of a slot.
func timeOf(slot discover.Slot) slotTime {
	return slotTime{slot.Start.UnixNano(), slot.End.UnixNano()}
}

// idsByTime returns the ids of the answer's slots by the time of their slot.
func idsByTime(in scenario.SlotAnswer) map[slotTime][]string {
	ids := map[slotTime][]string{}
	for _, slot := range in.Slots {
		ids[timeOf(slot)] = append(ids[timeOf(slot)], slot.ID)
	}
	return ids
}

// leastDrifted is the number of slots that must have another id: a single one may be a slot that
// was sold out and left out, while another at the same time became free.
const leastDrifted = 2

// drift records that a slot of an answer has another id than before, if there are enough such slots.
func (f *Fields) drift(in scenario.SlotAnswer, slot discover.Slot, format string, args ...any) {
	m := f.remembered
	m.drifted[fmt.Sprint(in.Product.ID, "\x00", in.Option.ID, "\x00", timeOf(slot).start)] = true
	if len(m.drifted) >= leastDrifted {
		f.add(rule.SlotPermanent, fmt.Sprintf("%s: %s", in.Question, fmt.Sprintf(format, args...)),
			in.Exchange, map[string]any{"id": slot.ID, "localDateTimeStart": slot.StartText}, "/id")
	}
}

// compareIDs records which slots of an answer have another id than in the answers before it.
func (f *Fields) compareIDs(in scenario.SlotAnswer, known *optionSlots) {
	m, shown := f.remembered, idsByTime(in)
	for i, slot := range in.Slots {
		at := timeOf(slot)
		if slot.ID == "" || slot.Start.IsZero() {
			continue
		}
		before, seen := known.ids[at]
		switch {
		case len(shown[at]) > 1:
			known.ids[at] = ""
		case !seen && m.kept < mostRemembered:
			m.kept++
			known.ids[at] = slot.ID
		case seen && before != "" && before != slot.ID:
			f.drift(in, slot, "expected the slot at %s to keep its id %q, received %q", slot.StartText, before, slot.ID)
		}
		if first, seen := known.times[slot.ID]; !seen && m.kept < mostRemembered {
			known.times[slot.ID] = at
		} else if seen && first.start != at.start && len(shown[first]) == 0 {
			f.drift(in, slot, "expected id %q to stay with its slot, received it in [%d] for the one at %s", slot.ID, i, slot.StartText)
		}
	}
}
