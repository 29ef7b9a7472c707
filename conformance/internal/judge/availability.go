package judge

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

func availabilitySpecs() []Spec {
	read := slotsSteps
	clean := func(r rule.Rule) []Step { return append(read(r), fields()) }
	again := func(r rule.Rule, steps ...Step) Spec {
		return spec(r, slices.Concat(read(r), []Step{judgeOnce(scenario.PlaySurvey, slotsFound)}, steps)...)
	}
	windows := func(play play[scenario.Windows], judge func(long, part scenario.SlotAnswer) Finding) Step {
		return judgeNumbered(scenario.CountRereads, play, func(w scenario.Windows) Finding {
			if w.None {
				return Finding{}
			}
			return FromStop(w.Stop).or(func() Finding { return judge(w.Long, w.Part) })
		})
	}
	specs := specForEach([]rule.Rule{rule.AvailabilityStatus, rule.AvailabilityJSON, rule.AvailabilityShape}, read)
	specs = append(specs, specForEach(append(fieldrule.All(partnerapi.Availability), rule.SlotKnownUnit, rule.SlotUnique), clean)...)
	specs = append(specs, again(rule.SlotPermanent, inTurn(windows(scenario.PlaySameWindow, KeepsIDs), windows(scenario.PlayDay, KeepsIDs))))
	specs = append(specs, specForEach([]rule.Rule{rule.SlotWindow, rule.SlotEndsLater}, clean)...)
	specs = append(specs,
		again(rule.OneDay, windows(scenario.PlayDayAgain, ShowsDay)),
		again(rule.WindowEnd, windows(scenario.PlayEnd, EndIsPart)),
		spec(rule.EmptyWindow, append(read(rule.EmptyWindow), judgeOnce(scenario.PlayEmptyDay, emptyDay))...),
	)
	specs = append(specs, specForEach([]rule.Rule{rule.SlotWithinCapacity, rule.SlotSoldOutEmpty, rule.SlotOpenHasSeats, rule.SlotFreesaleUncounted}, clean)...)
	return append(specs,
		spec(rule.AvailabilityWrongKey, append(read(rule.AvailabilityWrongKey), expectStatuses(scenario.PlayQuestion("slots with a wrong key", probe.WrongKey), unauthorized))...),
		spec(rule.AvailabilityMissingKey, append(read(rule.AvailabilityMissingKey), expectStatuses(scenario.PlayQuestion("slots without a key", probe.NoKey), unauthorized))...),
	)
}

func slotsSteps(r rule.Rule) []Step {
	return []Step{catalog, judgeOnce(scenario.PlaySurvey, slotsRead(r)), judgeOnce(scenario.PlaySurvey, slotsAsked)}
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

func slotsAsked(v *scenario.Survey) Finding {
	if len(v.Answers) > 0 {
		return Finding{}
	}
	f := Doubt("the catalog has no option to ask slots for")
	if v.Outside != "" {
		f.Message = v.Outside
	}
	f.Suspects = []rule.Rule{rule.ProductPermanent, rule.OptionPermanent, rule.UnitFixedID}
	return f
}

func slotsFound(v *scenario.Survey) Finding {
	if slices.ContainsFunc(v.Answers, func(a scenario.SlotAnswer) bool { return len(a.Slots) > 0 }) {
		return Finding{}
	}
	return Doubt("availability returned no slots for the next 60 days").withRemedy("Offer slots in the next 60 days.")
}

// KeepsIDs finds a slot of the first answer that has another id in the second answer, or whose id
// belongs to another slot there.
func KeepsIDs(first, second scenario.SlotAnswer) Finding {
	startOf := map[string]discover.Slot{}
	for _, known := range first.Slots {
		startOf[known.ID] = known
	}
	before, after := IDsByTime(first), IDsByTime(second)
	judged := map[slotTime]bool{}
	for _, slot := range second.Slots {
		if known, ok := startOf[slot.ID]; ok && slot.ID != "" && !known.Start.Equal(slot.Start) {
			return Breach("%s: expected id %q to stay with the slot at %s, received it for the one at %s",
				first.Question, slot.ID, known.StartText, slot.StartText).WithEvidence(first.Exchange, second.Exchange)
		}
		at := TimeOf(slot)
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

// TimeOf returns the time of a slot.
func TimeOf(slot discover.Slot) slotTime {
	return slotTime{slot.Start.UnixNano(), slot.End.UnixNano()}
}

// IDsByTime returns the ids of the answer's slots by the time of their slot.
func IDsByTime(in scenario.SlotAnswer) map[slotTime][]string {
	ids := map[slotTime][]string{}
	for _, slot := range in.Slots {
		ids[TimeOf(slot)] = append(ids[TimeOf(slot)], slot.ID)
	}
	return ids
}

// ShowsDay finds a slot of the long window that is missing from a part of that window.
func ShowsDay(long, day scenario.SlotAnswer) Finding {
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

// EndIsPart finds slots on the window's last day, requested alone, that the long window does not
// show.
func EndIsPart(long, end scenario.SlotAnswer) Finding {
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

func aim(all scenario.Record) Finding {
	var slow []time.Duration
	f := Finding{}
	for _, exchange := range all.Exchanges {
		if exchange.Endpoint == partnerapi.Availability && exchange.Limit > 0 && exchange.Failure == nil && exchange.Duration > all.Aim {
			slow = append(slow, exchange.Duration)
			f.Exchanges = append(f.Exchanges, exchange)
		}
	}
	if len(slow) > 1 {
		f.Outcome = report.Failed
		f.Message = Breach("Expected the complete answer within %s: %s took longer, the slowest %s", all.Aim, plural.Count(len(slow), "call"), slices.Max(slow).Round(time.Millisecond)).Message
	}
	return f
}
