package judge

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// mostFindings is the maximum number of findings kept for one rule. Further ones are only counted.
const mostFindings = 20

// Fields judges every element of an answer while it is read, and keeps a bounded number of findings
// for each rule. It implements scenario.Observer.
type Fields struct {
	redact func(string) string // removes the partner's key
	found  map[string]*places
	all    int // number of all findings

	remembered *remembered // nil: answers are not compared with each other
}

// places collects the breaches of one rule about fields: where they are, and the answers that show
// them.
type places struct {
	problems  []string
	count     int
	first     int                // number of the first exchange
	exchanges []*report.Exchange // each once, with its first place marked
	repeats   int                // how often later pulls have shown the same; not in count
	last      func() Finding     // the last breach alone
}

// NewFields returns Fields without a breach. redact removes secrets from messages and evidence.
func NewFields(redact func(string) string) *Fields {
	return &Fields{redact: redact, found: map[string]*places{}}
}

// add records a breach of r in an answer. value is the decoded element that shows it; place is a
// JSON pointer into value.
func (f *Fields) add(r rule.Rule, problem string, exchange *report.Exchange, value any, place string) {
	found := f.found[r.ID]
	if found == nil {
		found = &places{first: exchange.Number}
		f.found[r.ID] = found
	}
	found.count++
	f.all++
	found.last = func() Finding {
		return problems([]string{f.redact(problem)}, probe.Marked(exchange, value, place, f.redact))
	}
	if len(found.problems) == mostFindings {
		return
	}
	found.problems = append(found.problems, f.redact(problem))
	if !slices.ContainsFunc(found.exchanges, func(x *report.Exchange) bool { return x.Number == exchange.Number }) {
		found.exchanges = append(found.exchanges, probe.Marked(exchange, value, place, f.redact))
	}
}

// Finding returns the breaches of a rule, or the zero Finding if there are none.
func (f *Fields) Finding(id string) Finding {
	found := f.found[id]
	if found == nil {
		return Finding{}
	}
	finding := problems(found.problems, found.exchanges...)
	if found.count > 1 {
		finding.Message = fmt.Sprintf("%s (and %d more)", found.problems[0], found.count-1)
	}
	return finding
}

// Count returns the number of breaches.
func (f *Fields) Count() int { return f.all }

// Last returns the last breach of a rule alone, and how often it was broken.
func (f *Fields) Last(id string) (last Finding, times int) {
	if in := f.found[id]; in != nil {
		last, times = in.last(), in.count+in.repeats
	}
	return last, times
}

// Product records a schema problem of the product at an index of a catalog pull.
func (f *Fields) Product(pull *report.Exchange, index int, product any, problem schemas.Problem) {
	owner, text := fieldrule.Owner(pull.Endpoint, problem), problem.WithPrefix(fmt.Sprintf("/products/%d", index)).String()
	if found := f.found[owner.ID]; found != nil && found.first != pull.Number && slices.Contains(found.problems, f.redact(text)) {
		found.repeats++ // an earlier pull has shown it
		found.last = func() Finding {
			return problems([]string{f.redact(text)}, probe.Marked(pull, product, problem.Pointer, f.redact))
		}
		return
	}
	f.add(owner, text, pull, product, problem.Pointer)
}

// Answer records a schema problem of an answer that is an object.
func (f *Fields) Answer(answer *probe.Answer, problem schemas.Problem) {
	f.add(fieldrule.Owner(answer.Endpoint, problem), problem.String(), answer.Exchange, any(discover.Object(answer.Raw)), problem.Pointer)
}

// Slot implements scenario.Observer. It judges a slot by its schema and by the rules about its
// fields.
func (f *Fields) Slot(in scenario.SlotAnswer, index int, slot discover.Slot, value any) {
	add := func(r rule.Rule, problem schemas.Problem) {
		placed := problem.WithPrefix(fmt.Sprintf("/%d", index))
		f.add(r, fmt.Sprintf("slots of %s: %s", in.Question, placed), in.Exchange, value, problem.Pointer)
	}
	for _, problem := range schemas.ValidateValue(schemas.Slot, value) {
		add(fieldrule.Owner(in.Exchange.Endpoint, problem), problem)
	}
	note := func(r rule.Rule, place, format string, args ...any) {
		add(r, schemas.Problem{Pointer: place, Message: fmt.Sprintf(format, args...)})
	}
	if !slot.Start.IsZero() && in.Product.ZoneKnown && !in.Window.Contains(slot.Start, in.Product.Zone) {
		note(rule.SlotWindow, "/localDateTimeStart", "expected a date from %s to %s in %s, received %s",
			in.Window.From, in.Window.To, in.Product.Zone, slot.Start.In(in.Product.Zone).Format(partnerapi.DateLayout))
	}
	if !slot.Start.IsZero() && !slot.End.IsZero() && !slot.End.After(slot.Start) {
		note(rule.SlotEndsLater, "/localDateTimeEnd", "expected a time after the start, %s, received %s", slot.StartText, partnerapi.FormatDateTime(slot.End))
	}
	for i, price := range slot.Prices {
		if id, known := price.UnitID, len(in.Option.Units) > 0; id != "" && known && !slices.ContainsFunc(in.Option.Units, func(u discover.Unit) bool { return u.ID == id }) {
			note(rule.SlotKnownUnit, fmt.Sprintf("/unitPricing/%d/unitId", i), "expected the id of a unit of the option, received %q", id)
		}
	}
	if slot.Vacancies == nil || in.Product.AllowFreesale { // vacancies of freesale products are not read
		return
	}
	if slot.Capacity != nil && *slot.Vacancies > *slot.Capacity && !f.saw(in, slot) {
		note(rule.SlotWithinCapacity, "/vacancies", "expected at most the capacity, %d, received %d", *slot.Capacity, *slot.Vacancies)
	}
	judgeNumbers(slot, note)
}

// saw reports whether an earlier answer has shown the slot. More vacancies than its capacity are then
// seats that a call has returned too often, which the rules about seats judge.
func (f *Fields) saw(in scenario.SlotAnswer, slot discover.Slot) bool {
	if f.remembered == nil {
		return false
	}
	_, seen := f.remembered.slotsOf(in).ids[TimeOf(slot)]
	return seen
}

// judgeNumbers records where a slot's numbers disagree with its status (AVL-13).
func judgeNumbers(slot discover.Slot, note func(r rule.Rule, place, format string, args ...any)) {
	left := *slot.Vacancies
	switch {
	case slot.Status == partnerapi.StatusFreesale:
		note(rule.SlotFreesaleUncounted, "/vacancies", "expected none with status FREESALE, received %d", left)
	case slot.Status == partnerapi.StatusSoldOut && left > 0:
		note(rule.SlotSoldOutEmpty, "/vacancies", "expected 0 with status SOLD_OUT, received %d", left)
	case slot.Status.IsBookable() && left == 0:
		note(rule.SlotOpenHasSeats, "/vacancies", "expected more than 0 with status %s, received 0", slot.Status)
	}
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
