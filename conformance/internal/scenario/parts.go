package scenario

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/schemas/partnerapi"
)

// Parts contains the answers for parts of the long window, for several options.
type Parts struct {
	Days  []Windows // windows of one day
	Spans []Windows // windows of several days
}

// Instances returns the options and days that the answers cover.
func (all *Parts) Instances() (seen []plan.Instance) {
	for _, part := range slices.Concat(all.Days, all.Spans) {
		q := part.Long.Question
		seen = append(seen, plan.Instance{plan.Product: q.Product.ID, plan.Option: discover.OptionKey(q.Product, q.Option), plan.Day: part.Part.Window.From})
	}
	return seen
}

// mostParted is the number of options that are read in parts of the window.
const mostParted = 12

// PlayParts reads parts of the long window: the first part of each option, then the second, and so
// on while there is time.
func PlayParts(ctx context.Context, p *Player, _ int) *Parts {
	return playOnce(p, "parts of the window", 0, func(all *Parts, _ string) {
		some := slices.DeleteFunc(slices.Clone(PlaySurvey(ctx, p, 0).Answers), func(a SlotAnswer) bool { return len(a.Slots) == 0 })
		asked := partsInTurn(plan.Spread(some, mostParted))
		n := p.StoriesAtOnce()
		asked = asked[:min(len(asked), p.Depth.Parts(), n*p.Calls.Affordable(partnerapi.Availability, readShare))]
		p.Calls.Interleave(n, func() func() {
			if len(asked) == 0 || ctx.Err() != nil {
				return nil
			}
			one := asked[0]
			asked = asked[1:]
			return func() {
				if w := p.compare(ctx, p.askAgain(ctx, one.long, one.part, "slots of a part of the window")); one.part.From == one.part.To {
					all.Days = append(all.Days, w)
				} else {
					all.Spans = append(all.Spans, w)
				}
			}
		})
	})
}

// partOf is a part of a long window.
type partOf struct {
	long SlotAnswer
	part discover.Window
}

// partsInTurn returns the parts of several long windows, the first of each first.
func partsInTurn(options []SlotAnswer) (all []partOf) {
	for nth, more := 0, true; more; nth++ {
		more = false
		for _, long := range options {
			if parts := partsOf(long); nth < len(parts) {
				all, more = append(all, partOf{long, parts[nth]}), true
			}
		}
	}
	return all
}

// spans lists the lengths, in days, of the windows requested in addition to the long one.
var spans = []int{14, 7, 30, 2}

// partsOf returns parts of an option's long window, the most revealing first. It starts with the
// last day and the two halves. Then come the first, a middle and the last day with slots, and
// windows of several lengths that end on a day with slots. The rest are the first and last days of
// months, the days on which the clocks change, and a day of each weekday without slots.
func partsOf(long SlotAnswer) (parts []discover.Window) {
	zone, dates := long.Product.Zone, long.Window.Dates()
	busy := busyDays(long)
	if len(dates) < 2 || len(busy) == 0 {
		return nil
	}
	add := func(from, to string) {
		if w := (discover.Window{From: from, To: to}); from >= long.Window.From && w != long.Window && !slices.Contains(parts, w) {
			parts = append(parts, w)
		}
	}
	last, middle := dates[len(dates)-1], len(dates)/2
	add(last, last)
	add(dates[0], dates[middle-1])
	add(dates[middle], last)
	for _, day := range []string{busy[0], busy[len(busy)/2], busy[len(busy)-1]} {
		add(day, day)
	}
	for i, length := range spans {
		end := busy[len(busy)-1-i*len(busy)/(2*len(spans))]
		if at := slices.Index(dates, end); at >= length-1 {
			add(dates[at-length+1], end)
		}
	}
	quiet := map[time.Weekday]bool{}
	for _, day := range busy {
		quiet[weekday(day)] = true
	}
	for _, date := range dates[1:] {
		day, err := time.ParseInLocation(partnerapi.DateLayout, date, zone)
		if err != nil {
			continue
		}
		next := day.AddDate(0, 0, 1)
		_, before := day.Zone()
		_, after := next.Zone()
		if before != after || next.Day() == 1 || day.Day() == 1 || !quiet[day.Weekday()] {
			quiet[day.Weekday()] = true
			add(date, date)
		}
	}
	return parts
}

func weekday(date string) time.Weekday {
	day, _ := time.Parse(partnerapi.DateLayout, date)
	return day.Weekday()
}

// busyDays returns the days of an answer's window that have slots, in order.
func busyDays(in SlotAnswer) (busy []string) {
	for _, slot := range in.Slots {
		if !slot.Start.IsZero() && in.Window.Contains(slot.Start, in.Product.Zone) {
			busy = append(busy, discover.Day(slot.Start, in.Product.Zone).From)
		}
	}
	slices.Sort(busy)
	return slices.Compact(busy)
}
