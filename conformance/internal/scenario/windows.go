package scenario

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// reread is the number of options that are read a second time, including the last; quickReread at
// quick depth.
const reread, quickReread = 4, 2

// Windows contains two answers about the slots of one option: for a long window, and for the same
// window or a part of it.
type Windows struct {
	None bool // there is no such pair
	Long SlotAnswer
	Part SlotAnswer
	// Beyond lists the ids of slots in the part that the long window lacks. The long window was
	// requested between two answers that show them.
	Beyond []string
	// Unlike lists slots that the two windows describe differently, twice in turn: their ids, and the
	// field that differs.
	Unlike []Unlike
	Stop   *partner.Stop
}

// Unlike is a field in which two answers describe the same slot differently.
type Unlike struct{ SlotID, Field string }

// answersWithSlots returns the answers of a few options that have slots, spread over the catalog. Options
// without slots show nothing.
func (v *Survey) answersWithSlots(depth plan.Depth) []SlotAnswer {
	some := slices.DeleteFunc(slices.Clone(v.Answers), func(a SlotAnswer) bool { return len(a.Slots) == 0 })
	if depth == plan.Quick {
		return plan.Spread(some, quickReread)
	}
	return plan.Spread(some, reread)
}

func (p *Player) askAgain(ctx context.Context, long SlotAnswer, window discover.Window, purpose string) Windows {
	type again struct {
		SlotAnswer
		stop *partner.Stop
	}
	q := Question{long.Product, long.Option, window}
	answered := playOnce(p, fmt.Sprintf("%s %q %q %v", purpose, q.Product.ID, q.Option.ID, window), 0, func(a *again, _ string) {
		a.SlotAnswer, a.stop = p.read.askFor(ctx, purpose, q)
	})
	return Windows{Long: long, Part: answered.SlotAnswer, Stop: answered.stop}
}

// CountRereads returns the number of options whose windows are requested again.
func CountRereads(ctx context.Context, p *Player) int {
	return len(PlaySurvey(ctx, p, 0).answersWithSlots(p.Depth))
}

// PlaySameWindow requests the window of an option again.
func PlaySameWindow(ctx context.Context, p *Player, number int) Windows {
	long := p.survey.answersWithSlots(p.Depth)[number]
	return p.askAgain(ctx, long, long.Window, "slots of the same window again")
}

// PlayDay requests the last day with slots, alone, for the number-th option.
func PlayDay(ctx context.Context, p *Player, number int) Windows {
	long := p.survey.answersWithSlots(p.Depth)[number]
	day, ok := lastDay(long)
	if !ok {
		return Windows{None: true}
	}
	return p.askAgain(ctx, long, day, "slots of one day")
}

// PlayDayAgain is PlayDay. If the answers differ, they are compared again.
func PlayDayAgain(ctx context.Context, p *Player, number int) Windows {
	w := PlayDay(ctx, p, number)
	if w.None || w.Stop != nil {
		return w
	}
	return p.compare(ctx, w)
}

// mostComparisons is how often two windows are compared where there may be other customers.
const mostComparisons = 4

// compare requests two windows once more if their answers differ, the long one first: other customers may
// have bought the last seats, or returned some. Only what differs each time remains.
func (p *Player) compare(ctx context.Context, w Windows) Windows {
	w.Beyond, w.Unlike = w.missingSlots(), w.differingSlots()
	for times := 2; w.Stop == nil && w.differ() && (times == 2 || times <= mostComparisons && (p.Seats.OthersSeen() || w.isUncounted())); times++ {
		part := w.Part.Window
		long := p.askAgain(ctx, w.Long, w.Long.Window, fmt.Sprintf("slots of the long window, comparison %d with those from %s to %s", times, part.From, part.To))
		if long.Stop != nil {
			return long
		}
		again := p.askAgain(ctx, long.Part, part, fmt.Sprintf("slots of a part of the window, comparison %d", times))
		again.keep(w)
		w = again
	}
	return w
}

// isUncounted reports whether a slot has no seats to count, so that other customers cannot be seen there.
func (w Windows) isUncounted() bool {
	return slices.ContainsFunc(slices.Concat(w.Long.Slots, w.Part.Slots), func(slot discover.Slot) bool { return !slot.Seats(w.Long.Product).Counted })
}

// differ reports whether one of the windows lacks slots of the other, or describes them differently.
func (w Windows) differ() bool {
	_, gone := w.OfPart()
	return len(gone)+len(w.Beyond)+len(w.Unlike) > 0
}

// keep keeps only the differences that an earlier comparison of the windows had too.
func (w *Windows) keep(earlier Windows) {
	_, gone := w.OfPart()
	_, before := earlier.OfPart()
	meanwhile := plan.Subtract(gone, before)
	w.Long.Slots = slices.DeleteFunc(slices.Clone(w.Long.Slots), func(s discover.Slot) bool { return slices.Contains(meanwhile, s.ID) })
	w.Beyond = slices.DeleteFunc(w.missingSlots(), func(id string) bool { return !slices.Contains(earlier.Beyond, id) })
	// A price or a time may change once, but not back and forth with the window.
	w.Unlike = slices.DeleteFunc(w.differingSlots(), func(slot Unlike) bool {
		return contradict(earlier.Long, w.Long, slot.SlotID) || contradict(earlier.Part, w.Part, slot.SlotID) || !slices.Contains(earlier.Unlike, slot)
	})
}

// differingSlots returns the slots that the part describes differently from the long window.
func (w Windows) differingSlots() (all []Unlike) {
	long := make(map[string]discover.Slot, len(w.Long.Slots))
	for _, slot := range w.Long.Slots {
		long[slot.ID] = slot
	}
	for _, slot := range w.Part.Slots {
		if field := slot.Contradicts(long[slot.ID]); field != "" && slot.ID != "" {
			all = append(all, Unlike{slot.ID, field})
		}
	}
	return all
}

func contradict(first, second SlotAnswer, slotID string) bool {
	is := func(s discover.Slot) bool { return s.ID == slotID }
	i, j := slices.IndexFunc(first.Slots, is), slices.IndexFunc(second.Slots, is)
	return i < 0 || j < 0 || first.Slots[i].Contradicts(second.Slots[j]) != ""
}

// missingSlots returns the ids of the slots of a part that can be booked and that the long window lacks.
func (w Windows) missingSlots() []string {
	if !w.Long.Product.ZoneKnown {
		return nil
	}
	var known, seen []string
	for _, slot := range w.Long.Slots {
		known = append(known, slot.ID)
	}
	for _, slot := range w.Part.Slots {
		if slot.Status.IsBookable() && !slot.Start.IsZero() && w.Long.Window.Contains(slot.Start, w.Long.Product.Zone) {
			seen = append(seen, slot.ID)
		}
	}
	return plan.Subtract(seen, known)
}

// PlayEnd requests only the last day of an option's window.
func PlayEnd(ctx context.Context, p *Player, number int) Windows {
	long := p.survey.answersWithSlots(p.Depth)[number]
	return p.askAgain(ctx, long, discover.Window{From: long.Window.To, To: long.Window.To}, "slots of the window's last day")
}

// lastDay returns the last day with slots in an answer's window, other than the window's last day.
func lastDay(in SlotAnswer) (discover.Window, bool) {
	last := discover.Window{}
	for _, slot := range in.Slots {
		if slot.Start.IsZero() {
			continue
		}
		if day := discover.Day(slot.Start, in.Product.Zone); day.To > last.To && day.To < in.Window.To {
			last = day
		}
	}
	return last, last.To != ""
}

// OfPart returns the slots of the part in the long window, and the ones missing from the part's own
// answer. A slot that cannot be booked may be left out. If the time zone of the product is unknown, so
// are the days of its slots: there are none.
func (w Windows) OfPart() (want, gone []string) {
	if !w.Long.Product.ZoneKnown {
		return nil, nil
	}
	var got []string
	for _, slot := range w.Long.Slots {
		if w.Part.Window.Contains(slot.Start, w.Long.Product.Zone) && slot.Status.IsBookable() {
			want = append(want, slot.ID)
		}
	}
	for _, slot := range w.Part.Slots {
		got = append(got, slot.ID)
	}
	return want, plan.Subtract(want, got)
}

// EmptyDay is a day on which an option has no slots, and the answer for it.
type EmptyDay struct {
	None   bool // every option has slots on every day
	Day    discover.Window
	Answer *probe.Answer
	Slots  []discover.Slot
	Long   SlotAnswer    // the long window once more, if the day has slots
	Stop   *partner.Stop // why there is no answer
	Unread *partner.Stop // why the answer cannot be read
}

// PlayEmptyDay requests a day for which an option's long window has no slots. It prefers a day whose
// weekday has slots in other weeks, because the long window may lack them by mistake.
func PlayEmptyDay(ctx context.Context, p *Player, _ int) (e EmptyDay) {
	var of *SlotAnswer
	for _, answer := range PlaySurvey(ctx, p, 0).Answers {
		day, gap := emptyDay(answer)
		if !answer.Product.ZoneKnown {
			continue
		}
		if day != "" && (of == nil || gap) {
			of, e.Day = &answer, discover.Window{From: day, To: day}
		}
		if gap {
			break
		}
	}
	if e.None = of == nil; e.None {
		return e
	}
	q := Question{of.Product, of.Option, e.Day}
	if e.Answer, e.Stop = p.read.ask(ctx, "slots of a day that has none", q, probe.GoodKey); e.Stop != nil || !e.Answer.HasStatus(http.StatusOK) {
		return e
	}
	read, stop := p.read.readSlots(ctx, q, e.Answer)
	if e.Slots, e.Unread = read.Slots, stop; len(e.Slots) > 0 {
		again := p.askAgain(ctx, *of, of.Window, "slots of the long window, after a day that it lacks")
		e.Long, e.Stop = again.Part, again.Stop
	}
	return e
}

// emptyDay returns a day of an answer's window on which no slot starts, other than the first and
// the last day, which depend on the time of day; "" if every day has slots. gap reports whether its weekday
// has slots in other weeks; such a day is preferred.
func emptyDay(in SlotAnswer) (day string, gap bool) {
	busy, weekdays := map[string]bool{}, map[time.Weekday]bool{}
	for _, slot := range in.Slots {
		start := slot.Start.In(in.Product.Zone)
		busy[start.Format(partnerapi.DateLayout)], weekdays[start.Weekday()] = true, true
	}
	dates := in.Window.Dates()
	for i := 1; i < len(dates)-1; i++ {
		if busy[dates[i]] {
			continue
		}
		date, _ := time.Parse(partnerapi.DateLayout, dates[i])
		if weekdays[date.Weekday()] {
			return dates[i], true
		}
		day = cmp.Or(day, dates[i])
	}
	return day, false
}

// windowOf returns the question about the offer's option for the whole window.
func (p *Player) windowOf(offer discover.Offer) Question {
	q := Question{Product: offer.Product, Option: offer.Option}
	q.Window, _ = p.Scope.Window(p.Clock.Now(), q.Product.Zone)
	return q
}

// LookInWindow reads how many seats the offer's slot has left in the slots of the whole window.
func (p *Player) LookInWindow(ctx context.Context, offer discover.Offer) (*Reading, *partner.Stop) {
	return p.Seats.lookIn(ctx, offer, p.windowOf(offer), "in the slots of the next 60 days")
}
