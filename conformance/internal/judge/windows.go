package judge

import (
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// windowSpecs returns the specs of the rules about several answers for an option.
func windowSpecs() []Spec {
	return []Spec{
		slotIDSpec(),
		rereadSpec(rule.OneDay, rereadStep(scenario.PlayDayAgain, showsDay)),
		rereadSpec(rule.WindowEnd, rereadStep(scenario.PlayEnd, endIsPart)),
		spec(rule.EmptyWindow, append(slotsSteps(rule.EmptyWindow), judgeOnce(scenario.PlayEmptyDay, emptyDay))...),
	}
}

// partSpecs returns the specs that judge these rules again, in parts of the window.
func partSpecs() []Spec {
	return []Spec{slotIDPartSpec(), partSpec(rule.WindowEnd, keepsEnd), partSpec(rule.OneDay, showsSame)}
}

// SlotRules returns the rules, other than those about several answers, that a readable answer decides. Their breaches
// are recorded while it is read. known: the catalog shows its option.
func SlotRules(in scenario.SlotAnswer, known bool) []rule.Rule {
	if len(in.Slots) == 0 {
		return []rule.Rule{rule.EmptyWindow}
	}
	return append(fieldrule.All(partnerapi.Availability), slotRules(known)...)
}

// DayFinding returns whether a part of a window shows the slots of the long window. If all that it lacks are those of its last
// day, it breaks the rule about that day.
func DayFinding(long, part scenario.SlotAnswer) RuleFinding {
	if f := keepsEnd(scenario.Windows{Long: long, Part: part}); f.Ends() {
		return RuleFinding{rule.WindowEnd, f}
	}
	return RuleFinding{rule.OneDay, showsDay(long, part)}
}

// EndFinding returns whether a window shows slots of its last days that a part of it shows.
func EndFinding(long, end scenario.SlotAnswer) RuleFinding {
	return RuleFinding{rule.WindowEnd, endIsPart(long, end)}
}

// BeyondFindings returns what a long window that lacks slots of a part of it shows. lasting are the slots of the part
// that the long window must show.
func BeyondFindings(long, part scenario.SlotAnswer, lasting []discover.Slot) []RuleFinding {
	shown, w := idsByTime(long), scenario.Windows{Long: long, Part: part}
	for _, slot := range lasting {
		if len(shown[timeOf(slot)]) == 0 {
			w.Beyond = append(w.Beyond, slot.ID)
		}
	}
	if len(w.Beyond) == 0 {
		return nil
	}
	if f := keepsEnd(w); f.Ends() {
		return []RuleFinding{{rule.WindowEnd, f}}
	}
	w.Long.Slots = nil // what the part lacks is judged apart
	return []RuleFinding{{rule.OneDay, showsSame(w)}}
}

// rereadSpec returns the spec of a rule that is judged by steps that ask again for slots.
func rereadSpec(r rule.Rule, steps ...Step) Spec {
	return spec(r, slices.Concat(slotsSteps(r), []Step{judgeOnce(scenario.PlaySurvey, slotsFound)}, steps)...)
}

func rereadStep(play scenarioFunc[scenario.Windows], judge func(long, part scenario.SlotAnswer) Finding) Once {
	return judgeEach(perNumber(scenario.CountRereads, play), func(w scenario.Windows) Finding {
		if w.None {
			return Finding{}
		}
		return FromStop(w.Stop).or(func() Finding { return judge(w.Long, w.Part) })
	})
}

func partSpec(r rule.Rule, judge func(scenario.Windows) Finding) Spec {
	return spec(r, judgeOnce(scenario.PlayParts, func(all *scenario.Parts) Finding {
		return firstFinding(slices.Concat(all.Days, all.Spans), func(w scenario.Windows) Finding {
			return FromStop(w.Stop).or(func() Finding { return judge(w) })
		})
	}))
}

func slotsFound(v *scenario.Survey) Finding {
	if slices.ContainsFunc(v.Answers, func(a scenario.SlotAnswer) bool { return len(a.Slots) > 0 }) {
		return Finding{}
	}
	return Doubt("availability returned no slots for the next 60 days").withRemedy("Offer slots in the next 60 days.")
}

// showsDay finds a slot of the long window that is missing from a part of that window.
func showsDay(long, day scenario.SlotAnswer) Finding {
	want, gone := scenario.Windows{Long: long, Part: day}.OfPart()
	switch {
	case len(gone) == 0:
		return Finding{}
	case len(gone) == len(want):
		return Breach("%s: expected the slots that the long window shows for %s, %s, received none of them",
			long.Question, datesOf(day.Window), plan.QuoteFew(want)).WithEvidence(long.Exchange, day.Exchange)
	default:
		return Breach("%s: expected the slots that the long window shows for %s, %s is missing",
			long.Question, datesOf(day.Window), plan.QuoteFew(gone)).WithEvidence(long.Exchange, day.Exchange)
	}
}

func datesOf(w discover.Window) string {
	if w.From == w.To {
		return w.From
	}
	return w.From + " to " + w.To
}

// endIsPart finds slots on the window's last day, requested alone, that the long window does not
// show.
func endIsPart(long, end scenario.SlotAnswer) Finding {
	shown := false
	for _, slot := range slices.Concat(long.Slots, end.Slots) {
		if slot.Start.IsZero() || !long.Product.ZoneKnown || !long.Window.Contains(slot.Start, long.Product.Zone) {
			return Finding{} // judged by other rules; this one would only repeat them
		}
	}
	for _, slot := range long.Slots {
		shown = shown || end.Window.Contains(slot.Start, long.Product.Zone)
	}
	if len(end.Slots) == 0 || shown {
		return Finding{}
	}
	return Breach("%s: expected the slots of %s in the window from %s to %s, received none of its %d",
		long.Question, end.Window.From, long.Window.From, long.Window.To, len(end.Slots)).WithEvidence(long.Exchange, end.Exchange)
}

func emptyDay(e scenario.EmptyDay) Finding {
	if e.None {
		return Doubt("every option has slots on each of the next 60 days").withRemedy("Offer an option with a day without slots.")
	}
	return FromStop(e.Stop).or(func() Finding { return Expect(e.Answer, Status(ok)) }).or(func() Finding {
		switch {
		case e.Unread != nil:
			return Breach("Expected 200 with [], received %s", e.Unread.Message)
		case len(e.Slots) > 0 && !shows(e.Long.Slots, e.Slots):
			f := Breach("Expected the slots of %s in the long window too, received none of them", e.Day.From).WithEvidence(e.Answer.Exchange, e.Long.Exchange)
			f.Cause = &rule.OneDay
			if endsBefore(e.Long.Slots, e.Slots) {
				f.Cause = &rule.WindowEnd
			}
			return f
		case len(e.Slots) > 0:
			return Doubt("the day that had no slots, %s, has some now", e.Day.From)
		default:
			return Finding{}
		}
	})
}

// endsBefore reports whether all slots of an answer start before these.
func endsBefore(answer, slots []discover.Slot) bool {
	return !slices.ContainsFunc(answer, func(s discover.Slot) bool { return !s.Start.Before(slots[0].Start) })
}

// shows reports whether an answer has any of these slots.
func shows(answer, slots []discover.Slot) bool {
	return slices.ContainsFunc(slots, func(wanted discover.Slot) bool {
		return slices.ContainsFunc(answer, func(slot discover.Slot) bool { return slot.ID == wanted.ID })
	})
}

// keepsEnd finds a window whose last day lacks slots that another window shows for that day.
func keepsEnd(w scenario.Windows) Finding {
	whole, end := w.Long.Window, discover.Window{From: w.Part.Window.To, To: w.Part.Window.To}
	if _, gone := w.OfPart(); len(gone) > 0 && len(gone) == len(slotsOn(w.Long, end, gone)) && w.Part.Window != end {
		return Breach("%s: expected the slots of its last day, %s, in the window from %s to %s, as in a longer one; %s is missing",
			w.Part.Question, end.To, w.Part.Window.From, w.Part.Window.To, plan.QuoteFew(gone)).WithEvidence(w.Long.Exchange, w.Part.Exchange)
	}
	if last := slotsOn(w.Part, discover.Window{From: whole.To, To: whole.To}, w.Beyond); len(last) > 0 && len(last) == len(w.Beyond) {
		return Breach("%s: expected the slots of its last day, %s, in the window from %s to %s, as in a shorter one; %s is missing",
			w.Long.Question, whole.To, whole.From, whole.To, plan.QuoteFew(last)).WithEvidence(w.Long.Exchange, w.Part.Exchange)
	}
	return Finding{}
}

// showsSame finds a slot that one window shows and an overlapping window lacks, or shows with another
// end or price.
func showsSame(w scenario.Windows) Finding {
	if f := showsDay(w.Long, w.Part); f.Ends() {
		return f
	}
	f, long, part := Finding{}, w.Long.Window, w.Part.Window
	switch {
	case len(w.Unlike) > 0:
		f = Breach("%s: expected slot %q with the same %s in the window from %s to %s as in the one from %s to %s, received another, twice in turn",
			w.Part.Question, w.Unlike[0].SlotID, w.Unlike[0].Field, part.From, part.To, long.From, long.To)
	case len(w.Beyond) > 0:
		f = Breach("%s: expected the slots that the window from %s to %s shows in the one from %s to %s too; %s is missing",
			w.Part.Question, part.From, part.To, long.From, long.To, plan.QuoteFew(w.Beyond))
	}
	return f.WithEvidence(w.Long.Exchange, w.Part.Exchange)
}

// slotsOn returns the given slots that start in a window.
func slotsOn(in scenario.SlotAnswer, window discover.Window, ids []string) (on []string) {
	for _, slot := range in.Slots {
		if slices.Contains(ids, slot.ID) && window.Contains(slot.Start, in.Product.Zone) {
			on = append(on, slot.ID)
		}
	}
	return on
}

// slotIDSpec returns the spec of the rule that slots keep their ids.
func slotIDSpec() Spec {
	return rereadSpec(rule.SlotPermanent, Once{alternate(rereadStep(scenario.PlaySameWindow, keepsIDs).Plays, rereadStep(scenario.PlayDay, keepsIDs).Plays)})
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
