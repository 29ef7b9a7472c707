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

// kindOf returns the rule about the unusual kind of call that c is, or usual.
func kindOf(c *call, usual rule.Rule) rule.Rule {
	body := discover.Object(c.Body)
	if r, has := judge.RuleOfBody(c.Endpoint, partner.UnnamedFields); has && slices.ContainsFunc(slices.Collect(maps.Keys(body)), func(name string) bool {
		return !slices.Contains(fieldsOf[c.Endpoint], name)
	}) {
		return r
	}
	if r, has := judge.RuleOfBody(c.Endpoint, partner.ForeignGuest); has && strings.ContainsFunc(string(c.Body), func(r rune) bool { return r > unicode.MaxASCII }) {
		return r
	}
	contact, reason := body["contact"], body["reason"]
	if r, has := judge.RuleOfBody(c.Endpoint, partner.BareBody); has && (len(c.Body) == 0 || contact == nil && c.Endpoint == partnerapi.Confirm || reason == nil && c.Endpoint == partnerapi.Cancel) {
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
