package judge

import (
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// mostFindings are kept for one rule; the rest is counted.
const mostFindings = 20

// Fields judges every element of the answers as it is read: what is found is kept by the
// rule that it breaks, bounded. It is the Witness of scenarios.
type Fields struct {
	redact func(string) string // removes the partner's key
	found  map[string]*places
}

// places is what breaks one rule about fields: where, and the answers that show it.
type places struct {
	problems  []string
	count     int
	exchanges []*probe.Exchange // each once, with the first of its places marked
}

func NewFields(redact func(string) string) *Fields {
	return &Fields{redact: redact, found: map[string]*places{}}
}

// add notes that r is broken in an answer. Value is the decoded element that shows
// it, at a place in it, a JSON pointer.
func (f *Fields) add(r rule.Rule, problem string, exchange *probe.Exchange, value any, place string) {
	found := f.found[r.ID]
	if found == nil {
		found = &places{}
		f.found[r.ID] = found
	}
	found.count++
	if len(found.problems) == mostFindings {
		return
	}
	found.problems = append(found.problems, f.redact(problem))
	if !slices.ContainsFunc(found.exchanges, func(x *probe.Exchange) bool { return x.Number == exchange.Number }) {
		found.exchanges = append(found.exchanges, exchange.Marked(value, place, f.redact))
	}
}

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

func (f *Fields) Product(pull *probe.Exchange, index int, product any, problem schemas.Problem) {
	f.add(owner(productFields, problem), problem.Under(fmt.Sprintf("/products/%d", index)).String(), pull, product, problem.Pointer)
}

func (f *Fields) Answer(answer *probe.Answer, problem schemas.Problem) {
	f.add(owner(answerRules[answer.Endpoint].fields, problem), problem.String(), answer.Exchange, any(discover.Object(answer.Raw)), problem.Pointer)
}

// Slot implements scenario.Witness: it judges a slot by its schema, and what it shows
// beyond that.
func (f *Fields) Slot(in scenario.SlotAnswer, index int, slot discover.Slot, value any) {
	add := func(r rule.Rule, problem schemas.Problem) {
		placed := problem.Under(fmt.Sprintf("/%d", index))
		f.add(r, fmt.Sprintf("slots of %s: %s", in.Question, placed), in.Exchange, value, problem.Pointer)
	}
	for _, problem := range schemas.ValidateValue(schemas.Slot, value) {
		add(owner(slotFields, problem), problem)
	}
	note := func(r rule.Rule, place, format string, args ...any) {
		add(r, schemas.Problem{Pointer: place, Message: fmt.Sprintf(format, args...)})
	}
	if !slot.Start.IsZero() && in.Product.ZoneKnown && !in.Window.Contains(slot.Start, in.Product.Zone) {
		note(rule.SlotWindow, "/localDateTimeStart", "want a date from %s to %s in %s, got %s",
			in.Window.From, in.Window.To, in.Product.Zone, slot.Start.In(in.Product.Zone).Format(partnerapi.DateLayout))
	}
	if !slot.Start.IsZero() && !slot.End.IsZero() && !slot.End.After(slot.Start) {
		note(rule.SlotEndsLater, "/localDateTimeEnd", "want a time after the start, %s, got %s", slot.StartText, partnerapi.FormatDateTime(slot.End))
	}
	for i, id := range slot.UnitIDs {
		if id != "" && !slices.ContainsFunc(in.Option.Units, func(u discover.Unit) bool { return u.ID == id }) {
			note(rule.SlotKnownUnit, fmt.Sprintf("/unitPricing/%d/unitId", i), "want the id of a unit of the option, got %q", id)
		}
	}
	if slot.Vacancies != nil && !in.Product.AllowFreesale { // there vacancies are not read
		judgeNumbers(slot, note)
	}
}

// judgeNumbers notes where a slot's numbers and its status disagree (AVL-13).
func judgeNumbers(slot discover.Slot, note func(r rule.Rule, place, format string, args ...any)) {
	left := *slot.Vacancies
	if slot.Capacity != nil && left > *slot.Capacity {
		note(rule.SlotWithinCapacity, "/vacancies", "want at most the capacity, %d, got %d", *slot.Capacity, left)
	}
	switch {
	case slot.Status == partnerapi.StatusFreesale:
		note(rule.SlotFreesaleUncounted, "/vacancies", "want none with status FREESALE, got %d", left)
	case slot.Status == partnerapi.StatusSoldOut && left > 0:
		note(rule.SlotSoldOutEmpty, "/vacancies", "want 0 with status SOLD_OUT, got %d", left)
	case slot.Status.Bookable() && left == 0:
		note(rule.SlotOpenHasSeats, "/vacancies", "want more than 0 with status %s, got 0", slot.Status)
	}
}

// Slots implements scenario.Witness: it judges what the slots of one answer show
// together.
func (f *Fields) Slots(in scenario.SlotAnswer) {
	first := map[string]int{}
	for i, slot := range in.Slots {
		if slot.ID == "" {
			continue
		}
		if before, seen := first[slot.ID]; seen {
			f.add(rule.SlotUnique,
				fmt.Sprintf("slots of %s: [%d].id: want an id of its own, got that of [%d], %q", in.Question, i, before, slot.ID),
				in.Exchange, map[string]any{"id": slot.ID, "localDateTimeStart": slot.StartText}, "/id")
			continue
		}
		first[slot.ID] = i
	}
}

// field says which rule is broken by a problem at a place of a resource. A place
// is a JSON pointer in which * stands for any index; a place that ends in /**
// stands for all below it, too.
type field struct {
	place string
	rule  rule.Rule
}

var productFields = []field{
	{"/id", rule.ProductID},
	{"/internalName", rule.ProductName},
	{"/locale", rule.ProductLocale},
	{"/timeZone", rule.ProductTimeZone},
	{"/instantConfirmation", rule.ProductInstant},
	{"/options", rule.ProductOptions},
	{"/allowFreesale", rule.ProductOptional},
	{"/reference", rule.ProductOptional},
	{"/options/*/id", rule.OptionID},
	{"/options/*/internalName", rule.OptionName},
	{"/options/*/availabilityType", rule.OptionAvailabilityType},
	{"/options/*/units", rule.OptionUnits},
	{"/options/*/cancellationCutoff", rule.OptionCutoff},
	{"/options/*/units/*/id", rule.UnitID},
	{"/options/*/units/*/internalName", rule.UnitName},
	{"/options/*/units/*/type", rule.UnitType},
	{"/options/*/units/*/pricingFrom", rule.UnitPricing},
	{"/options/*/units/*/restrictions/**", rule.UnitRestrictions},
	{"/options/*/units/*/pricingFrom/*/original", rule.PricingOriginal},
	{"/options/*/units/*/pricingFrom/*/currency", rule.PricingCurrency},
	{"/options/*/units/*/pricingFrom/*/currencyPrecision", rule.PricingPrecision},
	{"/options/*/units/*/pricingFrom/*/retail", rule.PricingRetailNet},
	{"/options/*/units/*/pricingFrom/*/net", rule.PricingRetailNet},
	{"/**", rule.ProductsFields},
}

var slotFields = []field{
	{"/id", rule.SlotID},
	{"/localDateTimeStart", rule.SlotStart},
	{"/localDateTimeEnd", rule.SlotEnd},
	{"/status", rule.SlotStatus},
	{"/vacancies", rule.SlotVacancies},
	{"/capacity", rule.SlotCapacity},
	{"/unitPricing", rule.SlotUnitPricing},
	{"/unitPricing/*", rule.SlotUnitPricing},
	{"/unitPricing/*/unitId", rule.SlotPriceUnitID},
	{"/unitPricing/*/unitType", rule.SlotPriceUnitType},
	{"/unitPricing/*/type", rule.SlotPriceUnitType},
	{"/unitPricing/*/original", rule.SlotPriceAmount},
	{"/unitPricing/*/retail", rule.SlotPriceAmount},
	{"/unitPricing/*/price", rule.SlotPriceAmount},
	{"/unitPricing/*/currency", rule.SlotPriceCurrency},
	{"/unitPricing/*/currencyPrecision", rule.SlotPricePrecision},
	{"/**", rule.SlotFields},
}

var holdFields = []field{
	{"/reservationConfirmationCode", rule.ReserveCode},
	{"/expiresAt", rule.ReserveExpiresAt},
	{"/**", rule.ReserveJSON},
}

var bookingFields = []field{
	{"/externalBookingId", rule.ConfirmBookingID},
	{"/status", rule.ConfirmStatusField},
	{"/uuid", rule.ConfirmOptional},
	{"/productId", rule.ConfirmOptional},
	{"/optionId", rule.ConfirmOptional},
	{"/availabilityId", rule.ConfirmOptional},
	{"/contact/**", rule.ConfirmOptional},
	{"/tickets", rule.ConfirmTickets},
	{"/tickets/*", rule.ConfirmTickets},
	{"/tickets/*/redemptionMethod", rule.TicketRedemption},
	{"/tickets/*/deliveryOptions", rule.TicketOptions},
	{"/tickets/*/deliveryOptions/*", rule.TicketOptions},
	{"/tickets/*/deliveryOptions/*/deliveryFormat", rule.TicketFormat},
	{"/tickets/*/deliveryOptions/*/deliveryMethod", rule.TicketMethod},
	{"/tickets/*/deliveryOptions/*/deliveryValue", rule.TicketValue},
	{"", rule.ConfirmJSON},
	{"/**", rule.ConfirmFields},
}

// owner returns the rule that a problem breaks.
func owner(fields []field, problem schemas.Problem) rule.Rule {
	r := fields[len(fields)-1].rule
	for _, f := range fields {
		if covers(f.place, problem.Pointer) {
			r = f.rule
			break
		}
	}
	// The fixed ids of guest types are a rule of their own: a unit with another
	// id has an id.
	if r.ID == rule.UnitID.ID && (problem.Keyword == "const" || problem.Keyword == "not" || problem.Keyword == "enum") {
		return rule.UnitFixedID
	}
	return r
}

// covers reports whether a pointer lies at a place.
func covers(place, pointer string) bool {
	above, everything := strings.CutSuffix(place, "/**")
	wants, has := strings.Split(above, "/"), strings.Split(pointer, "/")
	if len(has) < len(wants) || len(has) > len(wants) && !everything {
		return false
	}
	for i, want := range wants {
		if want != "*" && want != has[i] || want == "*" && strings.Trim(has[i], "0123456789") != "" {
			return false
		}
	}
	return true
}

// rulesOf returns the rules that a table of fields names, each once, and more.
func rulesOf(fields []field, more ...rule.Rule) []rule.Rule {
	var rules []rule.Rule
	for _, f := range fields {
		if !slices.ContainsFunc(rules, func(known rule.Rule) bool { return known.ID == f.rule.ID }) {
			rules = append(rules, f.rule)
		}
	}
	return append(rules, more...)
}
