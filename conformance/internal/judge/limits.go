package judge

import (
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// limitSpecs returns the specs that judge how long all calls took.
func limitSpecs() (specs []Spec) {
	for _, limit := range limits {
		specs = append(specs, spec(limit.rule, appendSteps(ofCancel(limit.rule), judgeOnce(scenario.PlayTimes(limit.Limit), inTime))...))
	}
	return append(specs, spec(rule.AvailabilityAim, append(slotsSteps(rule.AvailabilityAim), judgeOnce(scenario.PlayRecord, aim))...))
}

// inTime judges one limit: two late answers in three break it, a single one is a warning (LIM-3).
func inTime(t scenario.AnswerTimes) Finding {
	switch {
	case t.Broken != nil:
		return FromStop(t.Broken)
	case len(t.Times) == 0:
		return FromStop(t.Survey).or(func() Finding { return Doubt("no call was answered") })
	case len(t.Late) > 0:
		return ends(report.Warned, "Expected the complete answer within %s: %d of %d calls took longer, the worst %s",
			t.Limit, len(t.Late), len(t.Times), slices.Max(t.Times).Round(time.Millisecond)).WithEvidence(t.Late...)
	default:
		return Finding{}
	}
}

// LimitFinding returns what the newest of the last calls of a limit shows. doubt is the warning about a call that is
// late, and does not break the limit.
func LimitFinding(name partner.Limit, last []*report.Exchange) (found RuleFinding, doubt Finding) {
	found.Rule = limitRule(name)
	newest := last[len(last)-1]
	if newest.Duration <= newest.Limit {
		return found, Finding{}
	}
	if found.Finding = FromStop(name.BreachStop(newest.Limit, last)); !found.Ends() {
		doubt = ends(report.Warned, "Expected the complete answer within %s: one call took %s", newest.Limit, newest.Duration.Round(time.Millisecond)).WithEvidence(newest)
	}
	return found, doubt
}

// aim finds calls to availability that took longer than the contract recommends.
func aim(all scenario.Record) Finding {
	var slow []time.Duration
	var shown []*report.Exchange
	for _, exchange := range all.Exchanges {
		if exchange.Endpoint == partnerapi.Availability && exchange.Limit > 0 && exchange.Failure == nil && exchange.Duration > all.Aim {
			slow = append(slow, exchange.Duration)
			shown = append(shown, exchange)
		}
	}
	if len(slow) < 2 {
		return Finding{Exchanges: shown}
	}
	return Breach("Expected the complete answer within %s: %s took longer, the slowest %s", all.Aim, plural.Count(len(slow), "call"), slices.Max(slow).Round(time.Millisecond)).WithEvidence(shown...)
}
