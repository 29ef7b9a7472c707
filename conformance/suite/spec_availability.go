package suite

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// reread is how many options are asked a second time, the last among them.
const reread = 4

func (s *session) describeAvailability() {
	for _, r := range []rule.Rule{rule.AvailabilityStatus, rule.AvailabilityJSON, rule.AvailabilityShape} {
		s.judge(r, func(ctx context.Context, c *check) { c.slots(ctx) })
	}
	for _, r := range rulesOf(slotFields, rule.SlotKnownUnit, rule.SlotUnique) {
		s.judge(r, cleanSlots)
	}
	s.judge(rule.SlotPermanent, func(ctx context.Context, c *check) {
		for _, first := range c.someAnswers(ctx) {
			c.keepIDs(first, c.askAgain(ctx, first.product, first.option, first.window, "slots of the same window again"))
			if day, ok := lastDay(first); ok {
				c.keepIDs(first, c.askAgain(ctx, first.product, first.option, day, "slots of one day"))
			}
		}
	})
	for _, r := range []rule.Rule{rule.SlotWindow, rule.SlotEndsLater} {
		s.judge(r, cleanSlots)
	}
	s.judge(rule.OneDay, func(ctx context.Context, c *check) {
		for _, long := range c.someAnswers(ctx) {
			if window, ok := lastDay(long); ok {
				day := c.askAgain(ctx, long.product, long.option, window, "slots of one day")
				if _, gone := ofDay(long, day); len(gone) > 0 { // others may have bought the last seats since
					long = c.askAgain(ctx, long.product, long.option, long.window, "slots of the long window once more")
					day = c.askAgain(ctx, long.product, long.option, window, "slots of one day once more")
				}
				c.showsDay(long, day)
			}
		}
	})
	s.judge(rule.WindowEnd, func(ctx context.Context, c *check) {
		for _, long := range c.someAnswers(ctx) {
			end := discover.Window{From: long.window.To, To: long.window.To}
			c.endIsPart(long, c.askAgain(ctx, long.product, long.option, end, "slots of the window's last day"))
		}
	})
	s.judge(rule.EmptyWindow, func(ctx context.Context, c *check) { c.emptyWindow(ctx) })
	for _, r := range []rule.Rule{rule.SlotWithinCapacity, rule.SlotSoldOutEmpty, rule.SlotOpenHasSeats, rule.SlotFreesaleUncounted} {
		s.judge(r, cleanSlots)
	}
	refused := func(purpose string, key probe.Key) func(context.Context, *check) {
		return func(ctx context.Context, c *check) {
			first := c.slots(ctx).answers[0]
			answer, o := s.availability(ctx, purpose, first.product, first.option, first.window, key)
			c.past(o)
			c.expect(answer).To(haveStatus(http.StatusUnauthorized))
		}
	}
	s.judge(rule.AvailabilityWrongKey, refused("slots with a wrong key", probe.WrongKey))
	s.judge(rule.AvailabilityMissingKey, refused("slots without a key", probe.NoKey))
}

func cleanSlots(ctx context.Context, c *check) {
	c.slots(ctx)
	c.clean()
}

// slots returns the survey. The judging ends where no answer about slots could
// be read, and for the rule that the first unreadable one breaks.
func (c *check) slots(ctx context.Context) *survey {
	survey := c.catalog(ctx)
	if o := survey.slotsStopped; o != nil && (len(survey.answers) == 0 || o.Rule != nil && o.Rule.ID == c.rule.ID) {
		c.past(o)
	}
	if len(survey.answers) == 0 {
		c.blockedIfBroken(rule.ProductPermanent, rule.OptionPermanent, rule.UnitFixedID)
		if c.outside != "" {
			c.inconclusive("%s", c.outside)
		}
		c.inconclusive("the catalog has no option to ask slots for")
	}
	return survey
}

// someAnswers returns the answers of a few options, spread over the catalog.
// Those with slots are preferred: the others show nothing.
func (c *check) someAnswers(ctx context.Context) []slotAnswer {
	all := c.slots(ctx).answers
	if filled := slices.DeleteFunc(slices.Clone(all), func(a slotAnswer) bool { return len(a.slots) == 0 }); len(filled) > 0 {
		return spread(filled, reread)
	}
	c.inconclusive("no option has a slot in the next 60 days")
	return nil
}

// askAgain asks for the slots of a window; the same question is asked once.
func (c *check) askAgain(ctx context.Context, product discover.Product, option discover.Option, window discover.Window, purpose string) slotAnswer {
	type again struct {
		slotAnswer
		stopped *obstacle
	}
	key := fmt.Sprintf("%s %q %q %v", purpose, product.ID, option.ID, window)
	answered := play(c.session, key, 0, func(a *again) {
		question := asked{product: product, option: option, window: window}
		question.answer, question.stopped = c.availability(ctx, purpose, product, option, window, probe.GoodKey)
		a.slotAnswer, a.stopped = c.readSlots(ctx, question)
	})
	c.past(answered.stopped)
	return answered.slotAnswer
}

// keepIDs fails where a slot of the first answer bears another id in the
// second, or its id stands for another slot there.
func (c *check) keepIDs(first, second slotAnswer) {
	startOf := map[string]discover.Slot{}
	for _, known := range first.slots {
		startOf[known.ID] = known
	}
	before, after := idsByTime(first), idsByTime(second)
	judged := map[slotTime]bool{}
	for _, slot := range second.slots {
		if known, ok := startOf[slot.ID]; ok && slot.ID != "" && !known.Start.Equal(slot.Start) {
			c.show(first.exchange, second.exchange)
			c.fail("product %q, option %q: want id %q to stay with the slot at %s, got it for the one at %s",
				first.product.ID, first.option.ID, slot.ID, known.StartText, slot.StartText)
		}
		at := timeOf(slot)
		if judged[at] {
			continue
		}
		judged[at] = true
		gone, came := without(before[at], after[at]), without(after[at], before[at])
		if len(gone) > 0 && len(came) > 0 {
			c.show(first.exchange, second.exchange)
			c.fail("product %q, option %q: want the slot at %s to keep its id %q, got %q",
				first.product.ID, first.option.ID, slot.StartText, gone[0], came[0])
		}
	}
}

// slotTime is when a slot starts and ends: what tells one physical slot of an
// option from another, but for those at the same time.
type slotTime struct{ start, end int64 }

func timeOf(slot discover.Slot) slotTime {
	return slotTime{slot.Start.UnixNano(), slot.End.UnixNano()}
}

// idsByTime returns the ids of an answer's slots by their time.
func idsByTime(in slotAnswer) map[slotTime][]string {
	ids := map[slotTime][]string{}
	for _, slot := range in.slots {
		ids[timeOf(slot)] = append(ids[timeOf(slot)], slot.ID)
	}
	return ids
}

// lastDay returns the last day of an answer's window that has slots, and is not
// the window's own last day.
func lastDay(in slotAnswer) (discover.Window, bool) {
	last := discover.Window{}
	for _, slot := range in.slots {
		if slot.Start.IsZero() {
			continue
		}
		if day := discover.Day(slot.Start, in.product.Zone); day.To > last.To && day.To < in.window.To {
			last = day
		}
	}
	return last, last.To != ""
}

// ofDay returns the slots of a day in the long window, and those of them that are
// missing from the day's own window. One that cannot be booked may be left out.
func ofDay(long, day slotAnswer) (want, gone []string) {
	var got []string
	for _, slot := range long.slots {
		if day.window.Contains(slot.Start, long.product.Zone) && slot.Status.Bookable() {
			want = append(want, slot.ID)
		}
	}
	for _, slot := range day.slots {
		got = append(got, slot.ID)
	}
	return want, without(want, got)
}

// showsDay fails where a slot of the long window is missing from its day's window.
func (c *check) showsDay(long, day slotAnswer) {
	if want, gone := ofDay(long, day); len(gone) == len(want) && len(want) > 0 {
		c.show(long.exchange, day.exchange)
		c.fail("product %q, option %q: want the slots that the long window shows for %s, %s, got none of them",
			long.product.ID, long.option.ID, day.window.From, few(want))
	} else if len(gone) > 0 {
		c.show(long.exchange, day.exchange)
		c.fail("product %q, option %q: want the slots that the long window shows for %s, %s is missing",
			long.product.ID, long.option.ID, day.window.From, few(gone))
	}
}

// endIsPart fails where the window's last day, asked for alone, has slots that
// the long window does not show.
func (c *check) endIsPart(long, end slotAnswer) {
	shown := false
	for _, slot := range slices.Concat(long.slots, end.slots) {
		if slot.Start.IsZero() || !long.window.Contains(slot.Start, long.product.Zone) {
			return // judged by rules of its own: this one would only repeat them
		}
	}
	for _, slot := range long.slots {
		shown = shown || end.window.Contains(slot.Start, long.product.Zone)
	}
	if len(end.slots) > 0 && !shown {
		c.show(long.exchange, end.exchange)
		c.fail("product %q, option %q: want the slots of %s in the window from %s to %s, got none of its %d",
			long.product.ID, long.option.ID, end.window.From, long.window.From, long.window.To, len(end.slots))
	}
}

// emptyWindow asks for a day on which an option has no slots.
func (c *check) emptyWindow(ctx context.Context) {
	for _, answer := range c.slots(ctx).answers {
		day, ok := emptyDay(answer)
		if !ok {
			continue
		}
		question := asked{product: answer.product, option: answer.option, window: day}
		var o *obstacle
		question.answer, o = c.availability(ctx, "slots of a day that has none", answer.product, answer.option, day, probe.GoodKey)
		c.past(o)
		c.expect(question.answer).To(haveStatus(http.StatusOK))
		if read, o := c.readSlots(ctx, question); o != nil {
			c.fail("want 200 with [], got %s", o.Message)
		} else if len(read.slots) > 0 {
			c.past(missing("the day that had no slots, %s, has some now", day.From))
		}
		return
	}
	c.inconclusive("every option has slots on each of the next 60 days")
}

// emptyDay returns a day of an answer's window on which no slot starts, other
// than the first and the last: those depend on the hour.
func emptyDay(in slotAnswer) (discover.Window, bool) {
	busy := map[string]bool{}
	for _, slot := range in.slots {
		busy[slot.Start.In(in.product.Zone).Format(partnerapi.DateLayout)] = true
	}
	dates := in.window.Dates()
	for i := 1; i < len(dates)-1; i++ {
		if !busy[dates[i]] {
			return discover.Window{From: dates[i], To: dates[i]}, true
		}
	}
	return discover.Window{}, false
}

// describeAim judges how fast availability answers, once all calls are made.
func (s *session) describeAim() {
	s.judge(rule.AvailabilityAim, func(ctx context.Context, c *check) {
		c.slots(ctx)
		aim := s.scaled(partnerapi.AvailabilityAim)
		var slow []time.Duration
		for _, exchange := range s.client.Exchanges() {
			if exchange.Endpoint == partnerapi.Availability && exchange.Limit > 0 && exchange.Failure == nil && exchange.Duration > aim {
				slow = append(slow, exchange.Duration)
				c.show(exchange)
			}
		}
		if len(slow) > 1 {
			c.fail("want the whole answer within %s: %d calls took longer, the slowest %s", aim, len(slow), slices.Max(slow).Round(time.Millisecond))
		}
	})
}
