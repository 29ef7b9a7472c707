package judge

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

type Verdict struct {
	report.RuleResult
	Cause string // id of the rule that blocks this one; "" where none does
}

// Verdicts holds what is known of every rule. A rule that has passed can still
// be found broken by a later story; nothing makes a broken rule whole again.
type Verdicts struct {
	words func(string) string // makes a message fit to be shown
	byID  map[string]*Verdict
}

// NewVerdicts returns those of a run that has judged nothing.
func NewVerdicts(words func(string) string) *Verdicts {
	return &Verdicts{words: words, byID: map[string]*Verdict{}}
}

func (v *Verdicts) Set(r rule.Rule, outcome report.Outcome, message string) *Verdict {
	known := &Verdict{RuleResult: report.RuleResult{
		ID: r.ID, Title: r.Title, Endpoint: r.Endpoint, Level: r.Level, Clause: r.Clause,
		Outcome: outcome, Message: v.words(message), Why: r.Why, Fix: r.Fix, Exchanges: []probe.Exchange{},
	}}
	v.byID[r.ID] = known
	return known
}

func (v *Verdicts) Get(id string) *Verdict {
	return v.byID[id]
}

// Weight returns the outcome of a breach of r.
func Weight(r rule.Rule) report.Outcome {
	switch {
	case r.ID == rule.Reachable.ID:
		return report.Inconclusive // nobody can be judged who cannot be reached
	case r.Level == rule.Must:
		return report.Failed
	default:
		return report.Warned
	}
}

func (v *Verdicts) isBroken(r rule.Rule) bool {
	known := v.Get(r.ID)
	return known != nil && known.Outcome == Weight(r)
}

// Decide says what a finding means for the rule that was judged. It is the one place
// that decides what a cause blocks. A broken rule makes
//   - itself failed, or warned of, as its level is;
//   - passed what it builds on: that had to hold before it could break;
//   - blocked every other rule that met it, and every rule that needs it.
//
// A finding of nothing means that the rule has passed.
func (v *Verdicts) Decide(r rule.Rule, f Finding) (outcome report.Outcome, cause string) {
	if f.Outcome == report.Skipped {
		return report.Skipped, "" // the user's choice
	}
	for _, id := range r.Needs {
		switch known := v.Get(id); {
		case known == nil:
		case known.Cause != "":
			return report.Blocked, known.Cause
		case known.Outcome == report.Failed:
			return report.Blocked, id
		}
	}
	for _, suspect := range f.Suspects {
		if v.isBroken(suspect) {
			return report.Blocked, suspect.ID
		}
	}
	switch {
	case f.Outcome == "":
		return report.Passed, ""
	case f.Cause != nil && f.Cause.ID != r.ID && rule.BuildsOn(*f.Cause, r.ID):
		return report.Passed, ""
	case f.Cause != nil && f.Cause.ID != r.ID:
		return report.Blocked, f.Cause.ID
	case f.Outcome == report.Failed:
		return Weight(r), ""
	default:
		return f.Outcome, ""
	}
}

// Blame records that the rule which a finding names as its cause is broken, and returns
// its verdict; nil where that is known, or none is named.
func (v *Verdicts) Blame(f Finding) *Verdict {
	if f.Outcome != report.Failed || f.Cause == nil || v.isBroken(*f.Cause) {
		return nil
	}
	blamed := v.Set(*f.Cause, Weight(*f.Cause), f.Message)
	blamed.Exchanges = evidence(f.Exchanges)
	return blamed
}

// Record records what the judging of r has found, and how long that took; nil where
// another story has found it broken already.
func (v *Verdicts) Record(r rule.Rule, f Finding, took time.Duration) *Verdict {
	outcome, cause := v.Decide(r, f)
	if v.isBroken(r) && outcome != Weight(r) {
		return nil
	}
	message := f.Message
	switch outcome {
	case report.Passed:
		message = ""
	case report.Blocked:
		message = whileBroken(cause)
	}
	verdict := v.Set(r, outcome, message)
	verdict.Cause, verdict.DurationMS = cause, took.Milliseconds()
	if outcome == report.Failed || outcome == report.Warned || outcome == report.Inconclusive {
		for _, problem := range f.Problems {
			verdict.Problems = append(verdict.Problems, v.words(problem))
		}
		verdict.Exchanges = evidence(f.Exchanges)
	}
	return verdict
}

// Settle adds what stories found after the rule about it had been judged, and brings the
// verdicts into their final order: a breach that was found before its cause is blocked
// by it, and so is what the breach blocked.
func (v *Verdicts) Settle(late *Fields) {
	for id := range late.found {
		r, _ := rule.Lookup(id)
		if known := v.Get(id); known != nil && (known.Outcome == report.Passed || known.Outcome == report.Inconclusive) && !v.isBroken(r) {
			v.found(r, late.Finding(id))
		}
	}
	for _, r := range rule.All() {
		if !v.isBroken(r) || r.ID == rule.Reachable.ID {
			continue
		}
		if outcome, cause := v.Decide(r, Finding{}); outcome == report.Blocked {
			v.Set(r, report.Blocked, whileBroken(cause)).Cause = cause
		}
	}
	for _, r := range rule.All() {
		known := v.Get(r.ID)
		if known == nil || known.Cause == "" {
			continue
		}
		root := known.Cause
		for next := v.Get(root); next != nil && next.Cause != ""; next = v.Get(root) {
			root = next.Cause
		}
		known.Cause, known.Message = root, whileBroken(root)
	}
}

// found records a breach of r that was found late.
func (v *Verdicts) found(r rule.Rule, f Finding) {
	verdict := v.Set(r, Weight(r), f.Message)
	verdict.Exchanges = evidence(f.Exchanges)
	for _, problem := range f.Problems {
		verdict.Problems = append(verdict.Problems, v.words(problem))
	}
}

func whileBroken(id string) string { return fmt.Sprintf("cannot be judged while %s is broken", id) }

// evidence copies the exchanges that a report shows, each once: with its place
// marked, if it is marked at all.
func evidence(exchanges []*probe.Exchange) []probe.Exchange {
	const most = 12 // a story is shorter; a rule over the whole catalog shows its first breaches
	shown := []probe.Exchange{}
	for _, exchange := range exchanges {
		if exchange == nil {
			continue
		}
		known := slices.IndexFunc(shown, func(x probe.Exchange) bool { return x.Number == exchange.Number })
		switch {
		case known >= 0 && exchange.Response != nil && exchange.Response.Body.Excerpt != "":
			shown[known] = *exchange
		case known < 0 && len(shown) < most:
			shown = append(shown, *exchange)
		}
	}
	return shown
}
