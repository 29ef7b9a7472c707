package judge

import (
	"net/http"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas/partnerapi"
)

// limitRules names the limit rule of each endpoint.
var limitRules = map[partnerapi.Endpoint]rule.Rule{
	partnerapi.Products:     rule.ProductsLimit,
	partnerapi.Availability: rule.AvailabilityLimit,
	partnerapi.Reserve:      rule.ReserveLimit,
	partnerapi.Confirm:      rule.ConfirmLimit,
	partnerapi.Release:      rule.ReleaseLimit,
	partnerapi.Cancel:       rule.CancelLimit,
}

// answerRules names the rules about the answers of each endpoint.
var answerRules = map[partnerapi.Endpoint]struct {
	status, json, shape rule.Rule
	minimal             rule.Rule // about the status of a call without what is optional
	fields              []field
}{
	partnerapi.Products:     {status: rule.ProductsStatus, json: rule.ProductsJSON, shape: rule.ProductsShape},
	partnerapi.Availability: {status: rule.AvailabilityStatus, json: rule.AvailabilityJSON, shape: rule.AvailabilityShape},
	partnerapi.Reserve:      {status: rule.ReserveStatus, json: rule.ReserveJSON, minimal: rule.ReserveMinimal, fields: holdFields},
	partnerapi.Confirm:      {status: rule.ConfirmStatus, json: rule.ConfirmJSON, minimal: rule.ConfirmMinimal, fields: bookingFields},
	partnerapi.Release:      {status: rule.ReleaseStatus, json: rule.ReleaseJSON, minimal: rule.ReleaseWithoutBody},
	partnerapi.Cancel:       {status: rule.CancelStatus, json: rule.CancelJSON, minimal: rule.CancelWithoutBody},
}

// causeOf names the rule that a stop shows to be broken; false where none is.
func causeOf(stop *scenario.Stop) (rule.Rule, bool) {
	rules := answerRules[stop.Endpoint]
	switch {
	case stop.Kind == scenario.Unreachable:
		return rule.Reachable, true
	case stop.Kind == scenario.KeyRefused:
		return rule.KeyAccepted, true
	case stop.Kind == scenario.NoneAccepted:
		return rule.ReserveAccepts, true
	case stop.Kind == scenario.Late && stop.Form == scenario.Probe:
		return rule.ProbeLimit, true
	case stop.Kind == scenario.Late:
		return limitRules[stop.Endpoint], true
	case stop.Kind == scenario.WrongStatus && stop.Form == scenario.NotFound:
		return rule.EmptyWindow, true
	case (stop.Kind == scenario.WrongStatus || stop.Kind == scenario.Refused) && stop.Form == scenario.Minimal:
		return rules.minimal, true
	case stop.Kind == scenario.WrongStatus:
		return rules.status, true
	case stop.Kind == scenario.Unreadable:
		return rules.json, true
	case stop.Kind == scenario.WrongShape:
		return rules.shape, true
	case stop.Kind == scenario.Misfit:
		return owner(rules.fields, stop.Problem), true
	default:
		return rule.Rule{}, false
	}
}

var (
	ok           = []int{http.StatusOK}
	refusal      = []int{http.StatusBadRequest}
	unauthorized = []int{http.StatusUnauthorized}
)
