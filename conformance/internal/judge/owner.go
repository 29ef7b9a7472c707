package judge

import (
	"slices"
	"strings"

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
