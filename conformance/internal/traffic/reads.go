package traffic

import (
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas/partnerapi"
)

// reads judges the answers to catalog pulls and availability calls.
type reads struct {
	*tally
	*caller
	*sold
	*windows
	filled bool // an answer about slots was a list
}

// takeCatalog judges an answer to GET /products.
func (t *reads) takeCatalog(c *call) {
	full := len(c.Query) == 0
	if c.isProbe() {
		t.record(judge.ProbeFinding(c.Answer))
		return
	}
	catalog := scenario.Catalog{Answer: c.Answer}
	if !c.isCut() {
		catalog = scenario.ReadRecordedPull(c.Answer, t.fields)
	}
	catalog.Misfit = "" // the rules about fields judge it
	if !full {
		t.record(judge.ChangesFinding(catalog))
	} else {
		t.record(judge.FormFindings(c.Endpoint, catalog.Stop, c.isCut())...)
	}
	for _, product := range catalog.Products {
		t.show(product)
	}
	if full && catalog.Stop == nil && !c.isCut() {
		t.pulled = c.StartedAt
		t.record(judge.PullFindings(&scenario.Survey{Pull: c.Exchange, Products: catalog.Products})...)
	}
}

// windows contains the recent answers about slots, by option. They are kept while two answers must
// agree, up to a limit.
type windows struct {
	last map[string][]dated
	kept int // number of slots in all answers
	// reserved lists the ids of slots that were reserved recently. A partner may leave out sold-out
	// slots.
	reserved map[string]bool
}

// dated is an answer about slots with its times.
type dated struct {
	scenario.SlotAnswer
	began, ended time.Time
	at           time.Time // when it was answered, by the partner's clock
	usual        bool      // asked as a marketplace asks, about an option that is sold
}

// size is what an answer counts for in mostKept.
func (s dated) size() int { return 1 + len(s.Slots) }

const (
	// mostCompared is the maximum number of earlier answers of an option that an answer is compared
	// with.
	mostCompared = 4
	// mostKept is the number of slots above which old answers are dropped.
	mostKept = 500_000
	// mayVanish is the number of seats left below which other customers may sell a slot out, and
	// mayVanishUnseen that for a history that lacks calls of the same caller.
	mayVanish       = 5
	mayVanishUnseen = 10
	// soon is how close to its start a slot may disappear, because sales end.
	soon = 48 * time.Hour
)

func newWindows() *windows { return &windows{last: map[string][]dated{}, reserved: map[string]bool{}} }

// slot returns the slot that a reserve names, as last shown, and when that was asked; zero if it was not shown.
func (w *windows) slot(asked partnerapi.ReserveRequest) (found discover.Slot, at time.Time) {
	if len(w.reserved) == mostHolds {
		clear(w.reserved)
	}
	w.reserved[asked.AvailabilityID] = true
	for _, answer := range w.last[discover.Offer{Product: discover.Product{ID: asked.ProductID}, Option: discover.Option{ID: asked.OptionID}}.OptionKey()] {
		for _, slot := range answer.Slots {
			if slot.ID == asked.AvailabilityID {
				found, at = slot, answer.began
			}
		}
	}
	return found, at
}

// takeSlots judges an answer to POST /availability.
func (t *reads) takeSlots(c *call) {
	asked := c.Asked
	q, known := t.question(asked)
	one := len(asked.Units) == 1 && asked.Units[0] == partnerapi.UnitQuantity{ID: q.Option.Lead(), Quantity: 1}
	mustAnswer := known && t.asksWindow(c, q) && one
	switch {
	case !mustAnswer && !c.HasStatus(http.StatusOK):
		return // a partner may refuse what a marketplace never sends
	case !t.isCurrent(c) && c.mayBeUnsold():
		return // the option may not be sold any more
	}
	if !t.isCurrent(c) { // newer units and freesale are unknown
		q.Option.Units, q.Product.AllowFreesale = nil, true
	}
	answer, stop, flaws := scenario.SlotAnswer{}, (*partner.Stop)(nil), t.fields.Count()
	if !c.isCut() {
		answer, stop = scenario.ReadRecordedSlots(q, c.Answer, t.fields, t.filled)
	}
	if stop != nil && stop.Kind == partner.WrongShape && q.Window.From == q.Window.To && t.filled {
		stop = stop.WithForm(partner.NotFound) // other windows are lists, so this one differs because it has no slots
	}
	form := judge.FormFindings(c.Endpoint, stop, c.isCut())
	if form[0].Rule.ID == judge.StatusRule(c.Endpoint).ID {
		form[0].Rule = kindOf(c, form[0].Rule)
	}
	t.record(form...)
	if stop != nil || c.isCut() {
		return
	}
	t.filled = true
	t.mark(judge.SlotRules(answer, known)...)
	// Flaws explain a disagreement, and so do slots that were not kept.
	if known && flaws == t.fields.Count() && len(answer.Slots) < scenario.MostSlots {
		t.agree(dated{answer, c.StartedAt, c.EndTime(), c.PartnerTime(), mustAnswer && t.isCurrent(c)})
	}
}

// agree compares an answer with the previous answers of the same option.
func (t *reads) agree(now dated) {
	w, key := t.windows, discover.Offer{Product: now.Product, Option: now.Option}.OptionKey()
	if w.kept > mostKept {
		w.forget(now.began)
	}
	for _, old := range w.last[key] {
		if now.began.Sub(old.ended) > agreeing {
			continue
		}
		if old.ended.After(now.began) {
			continue // calls in between are unknown
		}
		long, part := old.SlotAnswer, now.SlotAnswer
		if !isPartOf(part.Window, long.Window) {
			long, part = part, long
		}
		if !isPartOf(part.Window, long.Window) {
			continue
		}
		t.record(judge.SlotIDsFinding(old.SlotAnswer, now.SlotAnswer))
		if part.Window == long.Window {
			continue
		}
		some, usual, end := len(part.Slots) > 0 && len(long.Slots) > 0, old.usual && now.usual, judge.RuleFinding{}
		if some && part.Window.To == long.Window.To {
			end = judge.EndFinding(long, part)
			t.record(end)
		}
		if usual && !end.Ends() {
			t.record(judge.BeyondFindings(long, part, t.lastingSlots(part.Slots, now, true))...)
		}
		if some || usual {
			long.Slots = t.lastingSlots(long.Slots, now, !some)
			t.record(judge.DayFinding(long, part))
		}
	}
	if w.kept <= mostKept {
		answers := w.last[key]
		if len(answers) == mostCompared {
			w.kept -= answers[0].size()
			answers = slices.Delete(answers, 0, 1)
		}
		w.kept += now.size()
		w.last[key] = append(answers, now)
	}
}

// lastingSlots returns the slots that any answer within a minute must show. counted leaves out those
// whose seats are not counted: they may be sold out.
func (t *reads) lastingSlots(slots []discover.Slot, now dated, counted bool) []discover.Slot {
	fewest := int64(mayVanish)
	if t.partial {
		fewest = mayVanishUnseen
	}
	return slices.DeleteFunc(slices.Clone(slots), func(s discover.Slot) bool {
		uncounted := s.Vacancies == nil && !s.IsUnlimited(now.Product)
		return s.Start.Before(now.at.Add(soon)) || !s.Status.IsBookable() || s.Vacancies != nil && *s.Vacancies < fewest || t.windows.reserved[s.ID] || counted && uncounted
	})
}

// forget drops the answers that are too old to be compared.
func (w *windows) forget(now time.Time) {
	w.kept = 0
	for key, answers := range w.last {
		answers = slices.DeleteFunc(answers, func(s dated) bool { return now.Sub(s.ended) > agreeing })
		if w.last[key] = answers; len(answers) == 0 {
			delete(w.last, key)
		}
		for _, answer := range answers {
			w.kept += answer.size()
		}
	}
}

func isPartOf(part, whole discover.Window) bool {
	return whole.From <= part.From && part.To <= whole.To
}
