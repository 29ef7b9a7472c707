package suite

import (
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
)

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

// mostFindings are kept for one rule; the rest is counted.
const mostFindings = 20

// finding is what breaks one rule about fields: its places, and the answers
// that show them.
type finding struct {
	problems  []string
	count     int
	exchanges []*probe.Exchange // each once, with the first of its places marked
}

// findings holds the finding of each rule, by its id.
type findings map[string]*finding

// add notes that r is broken in an answer. Value is the decoded element that shows
// it, at a place in it, a JSON pointer; redact removes the key from it.
func (f findings) add(r rule.Rule, problem string, exchange *probe.Exchange, value any, place string, redact func(string) string) {
	found := f[r.ID]
	if found == nil {
		found = &finding{}
		f[r.ID] = found
	}
	found.count++
	if len(found.problems) == mostFindings {
		return
	}
	found.problems = append(found.problems, redact(problem))
	if !slices.ContainsFunc(found.exchanges, func(x *probe.Exchange) bool { return x.Number == exchange.Number }) {
		found.exchanges = append(found.exchanges, marked(exchange, value, place, redact))
	}
}

// message sums a finding up in one line.
func (f *finding) message() string {
	switch {
	case f.count == 1:
		return f.problems[0]
	default:
		return fmt.Sprintf("%s (and %d more)", f.problems[0], f.count-1)
	}
}

// clean judges a rule about fields: nothing must have been found against it.
func (c *check) clean() {
	found := c.findings[c.rule.ID]
	if found == nil {
		return
	}
	c.show(found.exchanges...)
	c.problems = found.problems
	c.fail("%s", found.message())
}
