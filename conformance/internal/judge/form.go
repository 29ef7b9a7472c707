package judge

import (
	"fmt"
	"mime"
	"strings"

	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

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

// FormFindings returns what an answer that must be a list shows about its form. stop is why it cannot be read, or nil.
// cut: only its beginning is known.
func FormFindings(of partnerapi.Endpoint, stop *partner.Stop, cut bool) (all []RuleFinding) {
	kept, f := usualForm(of), FromStop(stop)
	switch {
	case cut:
		kept = kept[:1]
	case stop != nil:
		kept = kept[:stop.Kind-partner.WrongStatus] // the kinds are in the order of these rules
	}
	for _, r := range kept {
		all = append(all, RuleFinding{Rule: r})
	}
	if broken := f.Cause; broken != nil {
		f.Cause = nil
		all = append(all, RuleFinding{*broken, f})
	}
	return all
}

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

// BodyRules returns the rules about the bodies of the answers of an endpoint, of one or of several.
func BodyRules(of partnerapi.Endpoint) []rule.Rule {
	rules := fieldrule.All(of)
	switch of {
	case partnerapi.Products:
		rules = append(rules, rule.UpdatedSince)
		for _, law := range pullLaws {
			rules = append(rules, law.rule)
		}
	case partnerapi.Availability:
		rules = append(append(rules, slotRules(true)...), rule.SlotPermanent, rule.OneDay, rule.WindowEnd, rule.EmptyWindow)
	}
	if form := answerRules[of]; form.shape.ID != "" {
		rules = append(rules, form.shape)
	}
	return append(rules, answerRules[of].json)
}

// AnswerFindings returns what every answer shows, of whatever endpoint: the partner can be reached and, if the call was
// lawful, whether the answer declares its body as JSON.
func AnswerFindings(x *report.Exchange, lawful bool) []RuleFinding {
	all := []RuleFinding{{Rule: rule.Reachable}}
	if flaw, judged := declaresJSON(x); judged && lawful {
		f := Finding{}
		if flaw != "" {
			f = Breach("%s", flaw).WithEvidence(x)
		}
		all = append(all, RuleFinding{answerRules[x.Endpoint].contentType, f})
	}
	return all
}

// AcceptedKey returns what an answer to a call with an accepted key shows. refused is the answer that refused the key
// meanwhile, or nil.
func AcceptedKey(refused, accepted *report.Exchange) RuleFinding {
	if refused == nil {
		return RuleFinding{Rule: rule.KeyAccepted}
	}
	return RuleFinding{rule.KeyAccepted, Breach("Expected a key that is accepted before and afterwards to be accepted, received %d", refused.Response.Status).
		WithEvidence(refused, accepted)}
}

// KeylessFinding returns what the answer to a call of a form, without a key, shows. The last rule of products is about the
// health probe.
func KeylessFinding(form partner.Form, answer *probe.Answer) RuleFinding {
	rules := KeyMissing[answer.Endpoint]
	r := rules[0]
	if form == partner.Probe {
		r = rules[len(rules)-1]
	}
	return RuleFinding{r, Expect(answer, Status(unauthorized))}
}

// contentTypeSpecs returns the specs that judge the content types of all answers.
func contentTypeSpecs() (specs []Spec) {
	for _, endpoint := range partnerapi.Endpoints() {
		r := answerRules[endpoint].contentType
		specs = append(specs, spec(r, appendSteps(ofCancel(r), judgeOnce(scenario.PlayRecord, contentType(endpoint)))...))
	}
	return specs
}

func contentType(endpoint partnerapi.Endpoint) func(scenario.Record) Finding {
	return func(all scenario.Record) Finding {
		judged := false
		var wrong []string
		var shown []*report.Exchange
		for _, exchange := range all.Exchanges {
			flaw, has := declaresJSON(exchange)
			if !has || exchange.Endpoint != endpoint {
				continue
			}
			if judged = true; flaw != "" {
				wrong, shown = []string{flaw}, append(shown, exchange)
			}
		}
		return problems(wrong, shown...).or(func() Finding {
			return requireFact(judged, partner.NewStop("no answer of this endpoint had a body"))
		})
	}
}

// declaresJSON returns what is wrong with the content type of a successful answer (GEN-1); "" if nothing is. It reports
// whether the answer has a body.
func declaresJSON(x *report.Exchange) (flaw string, judged bool) {
	if x.Failure != nil || x.Response.Status/100 != 2 || x.Response.Body.Size == 0 {
		return "", false
	}
	declared := x.Response.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(declared); err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		flaw = fmt.Sprintf("Expected Content-Type: application/json, received %q", declared)
	}
	return flaw, true
}
