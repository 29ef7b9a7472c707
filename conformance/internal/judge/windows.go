package judge

import (
	"context"
	"fmt"
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

// DayFinding returns whether a part of a window shows the slots of the long window.
func DayFinding(long, part scenario.SlotAnswer) RuleFinding {
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

func rereadStep(play play[scenario.Windows], judge func(long, part scenario.SlotAnswer) Finding) Step {
	return judgeNumbered(scenario.CountRereads, play, func(w scenario.Windows) Finding {
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

// inTurn returns a step that alternates between the subjects of two steps.
func inTurn(first, second Step) Step {
	both := first
	both.Subjects = func(ctx context.Context, p *scenario.Player) (all []Play) {
		seconds := second.Subjects(ctx, p)
		for i, play := range first.Subjects(ctx, p) {
			all = append(all, play, seconds[i])
		}
		return all
	}
	return both
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

const (
	// leastGone is the number of slots that an empty answer must lack. A run sells out fewer slots of
	// an option at a time, and slots that are sold out may be left out.
	leastGone = 8
	// leastVanished is the number of slots that must be missing from an answer and back in the next
	// one. One may have been sold out and left out, and given back by another customer meanwhile.
	leastVanished = 3
)

// miss notes an empty answer about a window for which the answer before showed many slots.
func (known *optionSlots) miss(in scenario.SlotAnswer) {
	var gone []slotTime
	for at, open := range known.open {
		if start := at.startTime(); open && start.After(in.Exchange.StartedAt.AddDate(0, 0, 1)) && in.Window.Contains(start, in.Product.Zone) {
			gone = append(gone, at)
		}
	}
	if len(gone) >= leastGone {
		known.lost, known.gone = in.Exchange, gone
	}
}

// foundAgain records an empty answer if the slots that it lacked are shown again.
func (f *Fields) foundAgain(in scenario.SlotAnswer, known *optionSlots) {
	if known.lost == nil {
		return
	}
	shown, back := idsByTime(in), 0
	for _, at := range known.gone {
		if len(shown[at]) > 0 {
			back++
		}
	}
	if back < leastGone {
		return
	}
	f.add(rule.OneDay, fmt.Sprintf("%s: expected the %d slots that the answers before and after show, received an empty array", in.Question, back), known.lost, []any{}, "")
	known.lost, known.gone = nil, nil
}

// ObserveVanished implements scenario.Observer.
func (f *Fields) ObserveVanished(in scenario.SlotAnswer, slot discover.Slot) {
	if f.remembered == nil {
		return
	}
	if f.remembered.vanished++; f.remembered.vanished >= leastVanished {
		f.add(rule.OneDay, fmt.Sprintf("%s: expected the slot at %s, which the answers before and after show, received none", in.Question, slot.StartText), in.Exchange, map[string]any{"slots": len(in.Slots)}, "")
	}
}
