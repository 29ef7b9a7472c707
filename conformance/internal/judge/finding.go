// Package judge says what the values of scenarios mean: a rule has one pure function,
// which takes what was sent, what came and what was counted, and returns a Finding.
// Nothing here sends a request, reads a clock or knows the engine that runs the specs.
//
// Specs are what a run judges, in its order: each names a rule, the scenarios that are
// played for it, and the functions that judge them. Verdicts keeps what is known of
// every rule, and decides what a broken rule means for the others.
package judge

import (
	"fmt"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

// Finding is what a value shows of a rule. The zero Finding says that nothing is wrong
// so far.
type Finding struct {
	Outcome   report.Outcome // "": nothing is wrong; Failed: a rule is broken, whatever its level
	Message   string
	Cause     *rule.Rule        // the rule that is broken, or that blocks; nil: the one that is judged
	Suspects  []rule.Rule       // of which one that is broken blocks the rule
	Problems  []string          // every offending place, where there are several
	Exchanges []*probe.Exchange // the evidence
	Picture   []byte            // HTML that draws how the rule is broken; nil where there is none
}

// Ends reports whether the finding ends the judging of its rule.
func (f Finding) Ends() bool { return f.Outcome != "" }

func ends(outcome report.Outcome, format string, args ...any) Finding {
	return Finding{Outcome: outcome, Message: fmt.Sprintf(format, args...)}
}

// broken finds that the rule is broken.
func broken(format string, args ...any) Finding { return ends(report.Failed, format, args...) }

// notApplicable finds that the partner lacks an optional feature.
func notApplicable(format string, args ...any) Finding {
	return ends(report.NotApplicable, format, args...)
}

// inconclusive finds that there is nothing to test the rule with.
func inconclusive(format string, args ...any) Finding {
	return ends(report.Inconclusive, format, args...)
}

// blockedBy finds that the rule cannot be judged without what another is about.
func blockedBy(r rule.Rule) Finding { return Finding{Outcome: report.Blocked, Cause: &r} }

// unless finds nothing, unless one of the rules is broken: it is the cause then.
func unless(rules ...rule.Rule) Finding { return Finding{Suspects: rules} }

// problems finds that the rule is broken in several places.
func problems(all []string, shown ...*probe.Exchange) Finding {
	if len(all) == 0 {
		return Finding{}
	}
	f := broken("%s", all[0]).showing(shown...)
	f.Problems = all
	return f
}

// showing adds to the evidence.
func (f Finding) showing(exchanges ...*probe.Exchange) Finding {
	f.Exchanges = append(exchanges[:len(exchanges):len(exchanges)], f.Exchanges...)
	return f
}

// or is the first of two findings that ends the judging, with the evidence of both.
func (f Finding) or(next func() Finding) Finding {
	if f.Ends() {
		return f
	}
	return next().showing(f.Exchanges...)
}

// Stopped is what a stop means for the rules. There is nothing to find in none.
func Stopped(stop *scenario.Stop) Finding {
	if stop == nil {
		return Finding{}
	}
	f := inconclusive("%s", stop.Message).showing(stop.Exchanges...)
	if cause, is := causeOf(stop); is {
		f.Outcome, f.Cause = report.Failed, &cause
	} else if stop.Kind == scenario.Unsupported {
		f.Outcome = report.NotApplicable
	}
	return f
}

// reached finds what stopped a scenario before a fact.
func reached(fact bool, stop *scenario.Stop) Finding {
	if fact {
		return Finding{}
	}
	return Stopped(scenario.Unplayed(stop))
}

// blamed lays on a rule about unusual requests what went wrong with one, or that it was
// refused: usual ones are answered well.
func blamed(r rule.Rule, stop *scenario.Stop) Finding {
	f := Stopped(stop)
	refused := stop != nil && stop.Kind == scenario.Refused
	if !refused && (f.Cause == nil || f.Cause.Endpoint != r.Endpoint || stop.Kind == scenario.Late) {
		return f
	}
	f = broken("want it answered as usual ones are: %s", stop.Message).showing(stop.Exchanges...)
	f.Cause = &r
	return f
}
