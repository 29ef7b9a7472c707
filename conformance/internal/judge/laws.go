package judge

import (
	"slices"

	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// Which rule is about what: tables by endpoint.

// answerRules has, for each endpoint, the rules about the form of its answers.
var answerRules = map[partnerapi.Endpoint]struct {
	status, json, shape, contentType rule.Rule
	minimal                          rule.Rule // about the status of a call without optional fields
	unknownFields, anyAlphabet       rule.Rule // about the status of a call with such a body
}{
	partnerapi.Products: {
		status: rule.ProductsStatus, json: rule.ProductsJSON, shape: rule.ProductsShape, contentType: rule.ProductsContentType,
	},
	partnerapi.Availability: {
		status: rule.AvailabilityStatus, json: rule.AvailabilityJSON, shape: rule.AvailabilityShape, contentType: rule.AvailabilityContentType,
		unknownFields: rule.AvailabilityUnknownFields,
	},
	partnerapi.Reserve: {
		status: rule.ReserveStatus, json: rule.ReserveJSON, contentType: rule.ReserveContentType,
		minimal: rule.ReserveMinimal, unknownFields: rule.ReserveUnknownFields, anyAlphabet: rule.ReserveAnyAlphabet,
	},
	partnerapi.Confirm: {
		status: rule.ConfirmStatus, json: rule.ConfirmJSON, contentType: rule.ConfirmContentType,
		minimal: rule.ConfirmMinimal, unknownFields: rule.ConfirmUnknownFields, anyAlphabet: rule.ConfirmAnyAlphabet,
	},
	partnerapi.Release: {
		status: rule.ReleaseStatus, json: rule.ReleaseJSON, contentType: rule.ReleaseContentType,
		minimal: rule.ReleaseWithoutBody, unknownFields: rule.ReleaseUnknownFields,
	},
	partnerapi.Cancel: {
		status: rule.CancelStatus, json: rule.CancelJSON, contentType: rule.CancelContentType,
		minimal: rule.CancelWithoutBody, unknownFields: rule.CancelUnknownFields,
	},
}

// StatusRule returns the rule about the status of the usual calls to an endpoint.
func StatusRule(of partnerapi.Endpoint) rule.Rule { return answerRules[of].status }

// jsonRule returns the rule that the answers of an endpoint are JSON.
func jsonRule(of partnerapi.Endpoint) rule.Rule { return answerRules[of].json }

// usualForm returns the rules about the form of the usual answers of an endpoint that returns a list, in the order of
// judging.
func usualForm(of partnerapi.Endpoint) []rule.Rule {
	rules := answerRules[of]
	return []rule.Rule{rules.status, rules.json, rules.shape}
}

// firstCall lists the rules that the first call of a run decides, whatever its endpoint.
var firstCall = []rule.Rule{rule.Reachable, rule.KeyAccepted}

// RuleOfBody returns the rule about calls to an endpoint with such a body; false if no rule is about it.
func RuleOfBody(of partnerapi.Endpoint, body partner.Body) (rule.Rule, bool) {
	rules, r := answerRules[of], rule.Rule{}
	switch body {
	case partner.FullBody:
	case partner.UnnamedFields:
		r = rules.unknownFields
	case partner.ForeignGuest:
		r = rules.anyAlphabet
	case partner.BareBody:
		r = rules.minimal
	default:
		if of == partnerapi.Reserve || of == partnerapi.Confirm {
			r = rules.minimal
		}
	}
	return r, r.ID != ""
}

// causeOf returns the rule that a stop shows to be broken, or false.
func causeOf(stop *partner.Stop) (rule.Rule, bool) {
	rules := answerRules[stop.Endpoint]
	switch {
	case stop.Kind == partner.Unreachable:
		return rule.Reachable, true
	case stop.Kind == partner.KeyRefused:
		return rule.KeyAccepted, true
	case stop.Kind == partner.NoneAccepted:
		return rule.ReserveAccepts, true
	case stop.Kind == partner.Late:
		return limitRule(partner.Limit{Endpoint: stop.Endpoint, Form: stop.Form}), true
	case stop.Form == partner.NotFound:
		return rule.EmptyWindow, true
	case stop.Form == partner.Changes && stop.IsBreach():
		return rule.UpdatedSince, true
	case (stop.Kind == partner.WrongStatus || stop.Kind == partner.Refused) && stop.Form == partner.Minimal:
		return rules.minimal, true
	case stop.Kind == partner.WrongStatus:
		return rules.status, true
	case stop.Kind == partner.Unreadable:
		return rules.json, true
	case stop.Kind == partner.WrongShape:
		return rules.shape, true
	case stop.Kind == partner.Misfit:
		return fieldrule.Owner(stop.Endpoint, stop.Problem), true
	default:
		return rule.Rule{}, false
	}
}

// keyMissing returns the rules about a call to an endpoint without a key. Many servers cannot distinguish an empty
// header from an absent one.
func keyMissing(of partnerapi.Endpoint) []rule.Rule {
	return slices.DeleteFunc(rule.All(), func(r rule.Rule) bool { return r.Endpoint != of || r.Clause != "AUTH-3" })
}

// limits lists the limits of the contract, with the rules about them.
var limits = []struct {
	partner.Limit
	rule rule.Rule
}{
	{partner.Limit{Endpoint: partnerapi.Products}, rule.ProductsLimit},
	{partner.Limit{Endpoint: partnerapi.Products, Form: partner.Probe}, rule.ProbeLimit},
	{partner.Limit{Endpoint: partnerapi.Availability}, rule.AvailabilityLimit},
	{partner.Limit{Endpoint: partnerapi.Reserve}, rule.ReserveLimit},
	{partner.Limit{Endpoint: partnerapi.Confirm}, rule.ConfirmLimit},
	{partner.Limit{Endpoint: partnerapi.Release}, rule.ReleaseLimit},
	{partner.Limit{Endpoint: partnerapi.Cancel}, rule.CancelLimit},
}

func limitRule(name partner.Limit) (r rule.Rule) {
	for _, limit := range limits {
		if limit.Endpoint == name.Endpoint && (limit.Form == partner.Probe) == (name.Form == partner.Probe) {
			r = limit.rule
		}
	}
	return r
}
