package judge

import (
	"fmt"
	"mime"
	"strings"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

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
	rules := keyMissing(answer.Endpoint)
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
		specs = append(specs, spec(r, appendSteps(ofCancel(r), judgeOnce(scenario.PlayRecord, judgeContentType(endpoint)))...))
	}
	return specs
}

func judgeContentType(endpoint partnerapi.Endpoint) func(scenario.Record) Finding {
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
