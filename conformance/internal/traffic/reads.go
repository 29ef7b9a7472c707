package traffic

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// readRules lists the rules about the form of the answers to a read.
type readRules struct{ status, json, shape rule.Rule }

// reads judges the answers to catalog pulls and availability calls.
type reads struct {
	*tally
	*caller
	*sold
	*windows
}

// takeCatalog judges an answer to GET /products.
func (t *reads) takeCatalog(c *call) {
	rules, full := readRules{rule.ProductsStatus, rule.ProductsJSON, rule.ProductsShape}, len(c.Query) == 0
	switch {
	case full:
	case len(c.Query) == 1 && c.Query.Get("limit") == "1":
		t.check(rule.ProbeStatus, c, judge.Status(ok)) // its content is not judged
		return
	case !t.fits(c, callerrules.ProductsForm, callerrules.ProductsQuery(c.RawQuery)):
		return
	default:
		rules = readRules{rule.UpdatedSince, rule.UpdatedSince, rule.UpdatedSince}
	}
	elements, read := t.elements(c, rules, discover.Products)
	if !read {
		return
	}
	survey := &scenario.Survey{}
	for i, element := range elements {
		value, err := discover.DecodeElement(element)
		if err != nil {
			t.find(rules.json, judge.Breach("products[%d]: %v", i, err).WithEvidence(c.Exchange))
			return
		}
		for _, problem := range schemas.ValidateValue(schemas.Product, value) {
			t.fields.Product(c.Exchange, i, value, problem)
		}
		product := discover.ReadProduct(value)
		t.show(product)
		survey.Products = append(survey.Products, product)
	}
	if !full {
		return
	}
	t.pulled = c.StartedAt
	t.mark(fieldrule.All(partnerapi.Products)...)
	survey.Pull = c.Exchange
	for _, of := range judge.InCatalog {
		t.find(of.Rule, of.Judge(survey).WithEvidence(c.Exchange))
	}
}

// elements splits an answer that is a list. It returns false if the answer cannot be read, or if
// the recording has only its beginning.
func (t *reads) elements(c *call, rules readRules, split func([]byte) ([]json.RawMessage, error)) ([]json.RawMessage, bool) {
	if !t.check(rules.status, c, judge.Status(ok)) || !c.Whole {
		return nil, false
	}
	elements, err := split(c.Raw)
	if err != nil && !errors.Is(err, discover.ErrShape) {
		t.find(rules.json, judge.Breach("%v", err).WithEvidence(c.Exchange))
		return nil, false
	}
	t.find(rules.json, judge.Finding{})
	if err != nil {
		t.find(rules.shape, judge.Breach("%v", err).WithEvidence(c.Exchange))
		return nil, false
	}
	t.find(rules.shape, judge.Finding{})
	return elements, true
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
	// agreeing is the time in which two answers must show the same slots. Later, slots may have
	// been added, removed or hidden.
	agreeing = time.Minute
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

// slot returns the slot that a reserve names, as last shown; false if it was not shown.
func (w *windows) slot(asked partnerapi.ReserveRequest) (found discover.Slot, known bool) {
	if len(w.reserved) == mostHolds {
		clear(w.reserved)
	}
	w.reserved[asked.AvailabilityID] = true
	for _, answer := range w.last[discover.Offer{Product: discover.Product{ID: asked.ProductID}, Option: discover.Option{ID: asked.OptionID}}.OptionKey()] {
		for _, slot := range answer.Slots {
			if slot.ID == asked.AvailabilityID {
				found, known = slot, true
			}
		}
	}
	return found, known
}

// takeSlots judges an answer to POST /availability.
func (t *reads) takeSlots(c *call) {
	asked := partnerapi.AvailabilityRequest{}
	if !t.asks(c, schemas.AvailabilityRequest, &asked) {
		return
	}
	q, known := t.question(asked)
	one := len(asked.Units) == 1 && asked.Units[0] == partnerapi.UnitQuantity{ID: q.Option.Lead(), Quantity: 1}
	mustAnswer := known && t.asksWindow(c, q) && one
	switch {
	case !mustAnswer && !c.HasStatus(http.StatusOK):
		return // a partner may refuse what a marketplace never sends
	case !t.isCurrent(c) && c.mayBeUnsold():
		return // the option may not be sold any more
	case c.HasStatus(http.StatusNotFound) && t.judged[rule.AvailabilityShape.ID]:
		t.check(rule.EmptyWindow, c, judge.Status(ok))
		return
	}
	rules := readRules{kindOf(c, rule.AvailabilityStatus), rule.AvailabilityJSON, rule.AvailabilityShape}
	if q.Window.From == q.Window.To && t.judged[rule.AvailabilityShape.ID] {
		rules.shape = rule.EmptyWindow // other windows are lists, so this one differs because it has no slots
	}
	elements, read := t.elements(c, rules, discover.Elements)
	if !read {
		return
	}
	if !t.isCurrent(c) { // newer units and freesale are unknown
		q.Option.Units, q.Product.AllowFreesale = nil, true
	}
	answer, flaws := scenario.SlotAnswer{Question: q, Exchange: c.Exchange}, t.fields.Count()
	for i, element := range elements {
		value, err := discover.DecodeElement(element)
		if err != nil {
			t.find(rule.AvailabilityJSON, judge.Breach("[%d]: %v", i, err).WithEvidence(c.Exchange))
			return
		}
		slot := discover.ReadSlot(value)
		t.fields.Slot(answer, i, slot, value)
		answer.Slots = append(answer.Slots, slot)
	}
	t.fields.Slots(answer)
	now := dated{answer, c.StartedAt, c.endTime(), c.partnerTime(), mustAnswer && t.isCurrent(c)}
	if len(elements) == 0 {
		t.mark(rule.EmptyWindow)
		if known {
			t.agree(now)
		}
		return
	}
	t.mark(append(fieldrule.All(partnerapi.Availability), rule.SlotUnique, rule.SlotEndsLater,
		rule.SlotWithinCapacity, rule.SlotSoldOutEmpty, rule.SlotOpenHasSeats, rule.SlotFreesaleUncounted)...)
	if known {
		t.mark(rule.SlotKnownUnit, rule.SlotWindow)
		if flaws == t.fields.Count() { // otherwise the flaws explain a disagreement
			t.agree(now)
		}
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
		t.find(rule.SlotPermanent, judge.KeepsIDs(old.SlotAnswer, now.SlotAnswer))
		if part.Window == long.Window {
			continue
		}
		some, usual, end := len(part.Slots) > 0 && len(long.Slots) > 0, old.usual && now.usual, judge.Finding{}
		if some && part.Window.To == long.Window.To {
			end = judge.EndIsPart(long, part)
			t.find(rule.WindowEnd, end)
		}
		if usual && !end.Ends() {
			t.judgeWindow(long, part, now)
		}
		if some || usual {
			long.Slots = t.lastingSlots(long.Slots, now, !some)
			t.find(rule.OneDay, judge.ShowsDay(long, part))
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
		uncounted := s.Vacancies == nil && s.Status != partnerapi.StatusFreesale && !now.Product.AllowFreesale
		return s.Start.Before(now.at.Add(soon)) || !s.Status.IsBookable() || s.Vacancies != nil && *s.Vacancies < fewest || t.windows.reserved[s.ID] || counted && uncounted
	})
}

// judgeWindow judges whether a window lacks slots that a part of it shows.
func (t *reads) judgeWindow(long, part scenario.SlotAnswer, now dated) {
	shown, w := judge.IDsByTime(long), scenario.Windows{Long: long, Part: part}
	for _, slot := range t.lastingSlots(part.Slots, now, true) {
		if len(shown[judge.TimeOf(slot)]) == 0 {
			w.Beyond = append(w.Beyond, slot.ID)
		}
	}
	if f := judge.KeepsEnd(w); len(w.Beyond) > 0 && f.Ends() {
		t.find(rule.WindowEnd, f)
	} else if len(w.Beyond) > 0 {
		w.Long.Slots = nil // what the part lacks is judged apart
		t.find(rule.OneDay, judge.ShowsSame(w))
	}
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
