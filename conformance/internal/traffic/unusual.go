package traffic

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// bodyOf returns the form of a call's body.
func bodyOf(c *call) partner.Body {
	body := discover.Object(c.Body)
	contact, reason := body["contact"], body["reason"]
	switch {
	case slices.ContainsFunc(slices.Collect(maps.Keys(body)), func(name string) bool { return !slices.Contains(fieldsOf[c.Endpoint], name) }):
		return partner.UnnamedFields
	case strings.ContainsFunc(string(c.Body), func(r rune) bool { return r > unicode.MaxASCII }):
		return partner.ForeignGuest
	case len(c.Body) == 0 || contact == nil && c.Endpoint == partnerapi.Confirm || reason == nil && c.Endpoint == partnerapi.Cancel:
		return partner.BareBody
	default:
		return partner.FullBody
	}
}

// kindOf returns the rule about the unusual kind of call that c is, or usual.
func kindOf(c *call, usual rule.Rule) rule.Rule {
	if r, has := judge.RuleOfBody(c.Endpoint, bodyOf(c)); has {
		return r
	}
	return usual
}

// fieldsOf lists the fields of the request bodies of the endpoints.
var fieldsOf = map[partnerapi.Endpoint][]string{
	partnerapi.Availability: {"productId", "optionId", "localDateStart", "localDateEnd", "units"},
	partnerapi.Reserve:      {"productId", "optionId", "availabilityId", "units", "contact", "resellerReference"},
	partnerapi.Confirm:      {"reservationConfirmationCode", "contact", "resellerReference"},
	partnerapi.Release:      {"reservationConfirmationCode"},
	partnerapi.Cancel:       {"reason"},
}
