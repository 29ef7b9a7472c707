// Package judge is the law: what each rule of the catalogue requires, in one place for the suite's own calls and for
// recorded ones. Lifecycle judges calls about holds and bookings, act by act; the other rules are pure functions of what
// was sent and received. Nothing here sends a request, reads a clock or depends on the engine that runs the specs.
//
// Specs are what a run judges, in order: each names a rule, the scenarios that are played for it,
// and the functions that judge them. Verdicts keeps the state of every rule, and decides what a
// broken rule means for the others.
package judge

import (
	"fmt"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
)

// Finding is what a value shows about a rule. The zero Finding means that nothing is wrong so far.
type Finding struct {
	Outcome   report.Outcome // "": nothing is wrong; Failed: a rule is broken, at either level
	Message   string
	Remedy    string             // what would let the rule be judged, if it was not
	Cause     *rule.Rule         // the rule that is broken or that blocks; nil: the judged rule
	Suspects  []rule.Rule        // rules that block this one if they are broken
	Problems  []string           // every offending place, if there are several
	Exchanges []*report.Exchange // the evidence
	Picture   []byte             // HTML that draws the violation; may be nil
	Races     []report.Race      // the rounds that passed
	Seen                         // what shows it
	Partly    bool               // the rule holds elsewhere, so that rules which need it can be judged there
	Options   map[string]string  // what is wrong with each option that was tried, by option key; "" if nothing is
}

// RuleFinding is what one answer, or several, show about a rule. Without an outcome they keep it.
type RuleFinding struct {
	Rule rule.Rule
	Finding
}

// Ends reports whether the finding settles its rule, so that later steps are not judged.
func (f Finding) Ends() bool { return f.Outcome != "" }

func ends(outcome report.Outcome, format string, args ...any) Finding {
	return Finding{Outcome: outcome, Message: fmt.Sprintf(format, args...)}
}

func (f Finding) withRemedy(remedy string) Finding {
	f.Remedy = remedy
	return f
}

// Breach returns the finding that the judged rule is broken.
func Breach(format string, args ...any) Finding { return ends(report.Failed, format, args...) }

func notApplicable(format string, args ...any) Finding {
	return ends(report.NotApplicable, format, args...)
}

// Doubt returns the finding that the judged rule can be neither confirmed nor refuted.
func Doubt(format string, args ...any) Finding {
	return ends(report.Inconclusive, format, args...)
}

func blockedBy(r rule.Rule) Finding { return Finding{Outcome: report.Blocked, Cause: &r} }

// suspectRules returns an empty Finding with suspects: if one of these rules is broken, it is the cause.
func suspectRules(rules ...rule.Rule) Finding { return Finding{Suspects: rules} }

// problems returns the finding that the rule is broken in several places.
func problems(all []string, shown ...*report.Exchange) Finding {
	if len(all) == 0 {
		return Finding{}
	}
	f := Breach("%s", all[0]).WithEvidence(shown...)
	f.Problems = all
	return f
}

// WithEvidence adds evidence before that of f.
func (f Finding) WithEvidence(exchanges ...*report.Exchange) Finding {
	f.Exchanges = append(exchanges[:len(exchanges):len(exchanges)], f.Exchanges...)
	return f
}

// or returns f if it ends the judging; otherwise it returns next, with the evidence of both.
func (f Finding) or(next func() Finding) Finding {
	if f.Ends() {
		return f
	}
	return next().WithEvidence(f.Exchanges...)
}

// firstFinding returns the first finding that ends the judging, with the evidence of those before it.
func firstFinding[T any](all []T, judge func(T) Finding) (f Finding) {
	for _, one := range all {
		f = f.or(func() Finding { return judge(one) })
	}
	return f
}

// FromStop returns what a stop means for the rules. A nil stop yields an empty Finding.
func FromStop(stop *partner.Stop) Finding {
	if stop == nil {
		return Finding{}
	}
	f := Doubt("%s", stop.Message).withRemedy(stop.Remedy).WithEvidence(stop.Exchanges...)
	if cause, is := causeOf(stop); is {
		f.Outcome, f.Cause = report.Failed, &cause
	} else if stop.Kind == partner.Unsupported {
		f.Outcome = report.NotApplicable
	}
	return f
}

// requireFact finds what stopped a scenario before a fact.
func requireFact(fact bool, stop *partner.Stop) Finding {
	if fact {
		return Finding{}
	}
	return FromStop(partner.StopOrDefault(stop))
}

// attributeStop attributes a failure or refusal of an unusual request to the rule r about such requests:
// the usual requests succeed.
func attributeStop(r rule.Rule, stop *partner.Stop) Finding {
	f := FromStop(stop)
	refused := stop != nil && stop.Kind == partner.Refused
	if !refused && (f.Cause == nil || f.Cause.Endpoint != r.Endpoint || stop.Kind == partner.Late || stop.Kind == partner.Misfit && len(stop.Exchanges) == 0) { // the last: it was not sent
		return f
	}
	f = Breach("Expected the same answer as to a usual request: %s", stop.Message).WithEvidence(stop.Exchanges...)
	f.Cause = &r
	return f
}

// Check returns what is wrong with an answer, or "".
type Check func(*probe.Answer) string

// Expect finds the first check that an answer does not pass.
func Expect(answer *probe.Answer, checks ...Check) Finding {
	for _, wrong := range checks {
		if flaw := wrong(answer); flaw != "" {
			return Breach("%s", flaw).WithEvidence(answer.Exchange)
		}
	}
	return Finding{Exchanges: []*report.Exchange{answer.Exchange}}
}

func expectEach(answers []*probe.Answer, checks ...Check) Finding {
	return firstFinding(answers, func(answer *probe.Answer) Finding { return Expect(answer, checks...) })
}

func expectRepeated(h scenario.RepeatedCall, checks ...Check) Finding {
	return FromStop(h.Stop).or(func() Finding { return expectEach(append([]*probe.Answer{h.Answer}, h.Again...), checks...) })
}

// Status checks that an answer has one of the statuses.
func Status(statuses []int) Check {
	return func(answer *probe.Answer) string {
		if answer.HasStatus(statuses...) {
			return ""
		}
		return "Expected " + partner.AnyOf(statuses) + ", received " + answer.Words()
	}
}

// MatchesSchema checks that an answer matches a schema.
func MatchesSchema(schema string) Check {
	return func(answer *probe.Answer) string {
		if problems := schemas.Validate(schema, answer.Raw); len(problems) > 0 {
			return problems[0].String()
		}
		return ""
	}
}

// Succeed checks that an answer has success true.
func Succeed(answer *probe.Answer) string {
	switch success := discover.Object(answer.Raw)["success"]; success {
	case true:
		return ""
	case nil:
		return "success: expected true, received no value"
	default:
		return fmt.Sprintf("success: expected true, received %v", success)
	}
}

// expectAnswer expects that there is an answer, and that it passes the checks.
func expectAnswer(answer *probe.Answer, stop *partner.Stop, checks ...Check) Finding {
	return requireFact(answer != nil, stop).or(func() Finding { return Expect(answer, checks...) })
}

var (
	ok           = []int{http.StatusOK}
	refusal      = []int{http.StatusBadRequest}
	unauthorized = []int{http.StatusUnauthorized}
)
