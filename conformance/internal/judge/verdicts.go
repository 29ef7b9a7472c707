package judge

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Verdicts keeps the state of every rule. A later lifecycle can still break a rule that has passed, but
// cannot make a broken rule pass.
type Verdicts struct {
	words func(string) string // prepares a message for display
	byID  map[string]*report.RuleResult
	// partly has the rules that hold in a part of what was tried: what needs them can be judged there.
	partly      map[string]bool
	independent func(cause, broken string) bool // at the end of a run; see Settle
}

// NewVerdicts returns the verdicts of a run that has judged nothing yet.
func NewVerdicts(words func(string) string) *Verdicts {
	return &Verdicts{words: words, byID: map[string]*report.RuleResult{}, partly: map[string]bool{}}
}

// Set replaces the verdict on a rule, and returns it so that evidence can be added.
func (v *Verdicts) Set(r rule.Rule, outcome report.Outcome, message string) *report.RuleResult {
	known := &report.RuleResult{
		ID: r.ID, Title: r.Title, Endpoint: r.Endpoint, Level: r.Level, Clause: r.Clause,
		Outcome: outcome, Message: v.words(message), Why: r.Why, Fix: r.Fix, Exchanges: []report.Exchange{},
	}
	v.byID[r.ID] = known
	return known
}

// Get returns the verdict on the rule with that id, or nil if it is not judged yet.
func (v *Verdicts) Get(id string) *report.RuleResult {
	return v.byID[id]
}

// Weight returns the outcome of a breach of r.
func Weight(r rule.Rule) report.Outcome {
	switch {
	case r.ID == rule.Reachable.ID:
		return report.Inconclusive // an unreachable partner cannot be judged
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

// Stands reports whether r may still be found broken: it has passed, or could not be judged on what
// was tried so far.
func (v *Verdicts) Stands(r rule.Rule) bool {
	known := v.Get(r.ID)
	return known == nil || known.Outcome == report.Passed || known.Outcome == report.Inconclusive && !v.isBroken(r)
}

// AnyFailed reports whether one of the specs that fit is of a rule that has failed.
func (v *Verdicts) AnyFailed(specs []Spec, fits func(Spec) bool) bool {
	return slices.ContainsFunc(specs, func(s Spec) bool { return v.hasFailed(s.Rule) && fits(s) })
}

func (v *Verdicts) hasFailed(r rule.Rule) bool {
	known := v.Get(r.ID)
	return known != nil && known.Outcome == report.Failed
}

// SeatsFailed reports whether a rule about seats has failed.
func (v *Verdicts) SeatsFailed() bool {
	_, failed := v.failedSeats()
	return failed
}

// failedSeats returns a rule about seats that has failed, the first in the order of judging.
func (v *Verdicts) failedSeats() (failed rule.Rule, found bool) {
	for _, g := range Groups() {
		for _, s := range g.Specs {
			if v.hasFailed(s.Rule) && s.AboutSeats() {
				return s.Rule, true
			}
		}
	}
	return rule.Rule{}, false
}

// FailedCause returns the rule that has failed and explains a flaw whose cause is a breach of that rule: the rule
// itself, or, if it is about seats, another one about seats.
func (v *Verdicts) FailedCause(of rule.Rule) (failed rule.Rule, found bool) {
	if v.hasFailed(of) || !AboutSeats(of) {
		return of, v.hasFailed(of)
	}
	return v.failedSeats()
}

// AboutSeats reports whether a rule is about the number of seats left in a slot.
func AboutSeats(r rule.Rule) bool { return seatRuleIDs()[r.ID] }

var seatRuleIDs = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, group := range Groups() {
		for _, s := range group.Specs {
			all[s.Rule.ID] = s.AboutSeats()
		}
	}
	return all
})

// Decide returns what a finding means for the judged rule. Only Decide determines what a cause
// blocks. A broken rule
//   - is itself failed, or warned, by its level;
//   - makes the rules that it builds on pass: they had to hold before it could break;
//   - blocks every other rule that met it, and every rule that needs it;
//   - blocks the breaches of rules that build on it, even if the rules in between have passed.
//
// A finding without an outcome means that the rule has passed.
func (v *Verdicts) Decide(r rule.Rule, f Finding) (outcome report.Outcome, cause string) {
	if f.Outcome == report.Skipped {
		return report.Skipped, "" // the user's choice
	}
	if blocks := v.blocks(r); blocks != "" {
		return report.Blocked, blocks
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
		if cause := v.brokenBelow(r, r); cause != "" {
			return report.Blocked, cause
		}
		return Weight(r), ""
	default:
		return f.Outcome, ""
	}
}

// blocks returns the id of the failed rule that r needs, directly or through rules that could not
// be judged; "" if there is no such rule.
func (v *Verdicts) blocks(r rule.Rule) string {
	for _, needed := range r.Needed() {
		switch known := v.Get(needed.ID); {
		case known == nil:
		case known.BlockedBy != "":
			return known.BlockedBy
		case known.Outcome == report.Failed && !v.holdsFor(needed.ID, r):
			return needed.ID
		case known.Outcome == report.Inconclusive:
			if blocks := v.blocks(needed); blocks != "" {
				return blocks
			}
		}
	}
	return ""
}

// brokenBelow returns the id of a failed rule that r, or a rule that r builds on, needs: the first in the order of causes;
// "" if there is no such rule.
func (v *Verdicts) brokenBelow(of, r rule.Rule) string {
	for _, needed := range of.Needed() {
		if cause := v.brokenBelow(needed, r); cause != "" {
			return cause
		}
		for _, cause := range []string{needed.ID, uniqueness[needed.ID]} {
			if known := v.Get(cause); cause != of.ID && known != nil && known.Outcome == report.Failed && !v.holdsFor(cause, r) {
				return cause
			}
		}
	}
	return ""
}

// holdsFor reports whether a rule that has failed holds in the part where r was judged.
func (v *Verdicts) holdsFor(failed string, r rule.Rule) bool {
	return v.partly[failed] && (v.independent == nil || v.independent(failed, r.ID))
}

// HoldPartly records that a broken rule holds in a part of what was tried: what needs it can be judged there.
func (v *Verdicts) HoldPartly(id string) { v.partly[id] = true }

// Root returns the broken rule that keeps a rule from being judged, directly or through others that it blocks; "" if no
// rule does.
func (v *Verdicts) Root(id string) (root string) {
	for range v.byID { // at most, even if rules block each other
		known := v.Get(id)
		if known == nil || known.BlockedBy == "" {
			break
		}
		root, id = known.BlockedBy, known.BlockedBy
	}
	return root
}

// Blame records that the rule named as the cause of a finding is broken, and returns its verdict.
// It returns nil if that is already recorded, or if there is no cause. A rule that another rule
// blocks stays blocked, because its cause is already recorded.
func (v *Verdicts) Blame(f Finding) *report.RuleResult {
	if f.Outcome != report.Failed || f.Cause == nil || v.isBroken(*f.Cause) {
		return nil
	}
	if known := v.Get(f.Cause.ID); known != nil && known.BlockedBy != "" {
		return nil
	}
	blamed := v.Set(*f.Cause, Weight(*f.Cause), f.Message)
	blamed.Exchanges = Evidence(f.Exchanges)
	return blamed
}

// Record records the finding about r and how long judging took. It returns nil if another lifecycle has
// already broken r.
func (v *Verdicts) Record(r rule.Rule, f Finding, took time.Duration) *report.RuleResult {
	outcome, cause := v.Decide(r, f)
	if v.isBroken(r) && outcome != Weight(r) {
		return nil
	}
	if outcome == report.Passed {
		f.Message = ""
	}
	verdict := v.Set(r, outcome, f.Message)
	v.partly[r.ID] = f.Partly
	verdict.DurationMS = took.Milliseconds()
	switch outcome {
	case report.Blocked:
		v.block(verdict, cause)
	case report.Skipped:
		verdict.Remedy = f.Remedy
	case report.Inconclusive:
		verdict.Remedy = cmp.Or(v.words(f.Remedy), remedyOf(r), "Provide what was missing, then run again.")
	}
	if outcome == report.Passed || outcome == report.Failed || outcome == report.Inconclusive {
		for _, race := range f.Races {
			race.Words = raceWords(race.Tries)
			verdict.Races = append(verdict.Races, race)
		}
	}
	if outcome == report.Failed || outcome == report.Warned || outcome == report.Inconclusive {
		for _, problem := range f.Problems {
			verdict.Problems = append(verdict.Problems, v.words(problem))
		}
		verdict.Exchanges = Evidence(f.Exchanges)
	}
	return verdict
}

// Settle adds what random lifecycles found after the rule about it was judged, and makes the verdicts final:
// a breach that was found before its cause is blocked by that cause, and so is what the breach
// blocked. independent reports whether a rule was found broken where its cause held; nil: where a cause holds is not known.
func (v *Verdicts) Settle(late *Fields, independent func(cause, broken string) bool) {
	v.independent = independent
	for id := range late.found {
		r, _ := rule.Find(id)
		if known := v.Get(id); known != nil && (known.Outcome == report.Passed || known.Outcome == report.Inconclusive) && !v.isBroken(r) {
			v.recordBreach(r, late.Finding(id))
		}
	}
	v.settleReturned(late.returned)
	for _, r := range rule.All() {
		if !v.isBroken(r) || r.ID == rule.Reachable.ID {
			continue
		}
		if outcome, cause := v.Decide(r, Finding{Outcome: report.Failed}); outcome == report.Blocked {
			v.block(v.Set(r, report.Blocked, ""), cause)
		}
	}
	for _, r := range rule.All() {
		if root := v.Root(r.ID); root != "" {
			v.block(v.Get(r.ID), root)
		}
	}
}

// settleReturned judges seats that were returned above the capacity of their slot. A broken rule about seats explains them;
// without one they are a breach by themselves.
func (v *Verdicts) settleReturned(seats *Fields) {
	r := rule.SlotWithinCapacity
	known := v.Get(r.ID)
	if seats == nil || !seats.Finding(r.ID).Ends() || known == nil || known.Outcome != report.Passed {
		return
	}
	for _, cause := range rule.All() {
		if v.isBroken(cause) && AboutSeats(cause) {
			v.block(v.Set(r, report.Blocked, ""), cause.ID)
			return
		}
	}
	v.recordBreach(r, seats.Finding(r.ID))
}

// recordBreach records a breach of r that was found late.
func (v *Verdicts) recordBreach(r rule.Rule, f Finding) {
	verdict := v.Set(r, Weight(r), f.Message)
	verdict.Exchanges = Evidence(f.Exchanges)
	for _, problem := range f.Problems {
		verdict.Problems = append(verdict.Problems, v.words(problem))
	}
}

// block records which broken rule keeps another from being judged.
func (v *Verdicts) block(blocked *report.RuleResult, cause string) {
	named, _ := rule.Find(cause)
	blocked.BlockedBy, blocked.Message = cause, whileBroken(cause)
	blocked.Remedy = cmp.Or(remedyOf(named), fmt.Sprintf("Fix %s.", cause))
}

func remedyOf(r rule.Rule) string {
	if r.ID == rule.Reachable.ID {
		return "Check --base-url, and that the partner is running."
	}
	return ""
}

func whileBroken(id string) string { return fmt.Sprintf("cannot be judged until %s passes", id) }

// Evidence copies the exchanges that a report shows, in the order in which they were sent and each
// once. It prefers the copy with a marked place.
func Evidence(exchanges []*report.Exchange) []report.Exchange {
	const most = 12 // a lifecycle is shorter; a rule over the complete catalog shows its first breaches
	shown := []report.Exchange{}
	for _, exchange := range exchanges {
		if exchange == nil {
			continue
		}
		known := slices.IndexFunc(shown, func(x report.Exchange) bool {
			return x.Number == exchange.Number && x.Endpoint == exchange.Endpoint
		})
		switch {
		case known >= 0 && exchange.Response != nil && exchange.Response.Body.Excerpt != "":
			shown[known] = *exchange
		case known < 0 && len(shown) < most:
			shown = append(shown, *exchange)
		}
	}
	slices.SortFunc(shown, func(a, b report.Exchange) int {
		if (a.Endpoint == rule.Webhooks) != (b.Endpoint == rule.Webhooks) { // these are numbered apart
			return a.StartedAt.Compare(b.StartedAt)
		}
		return cmp.Compare(a.Number, b.Number)
	})
	return shown
}

// raceWords returns the probability that so many tries have missed a breach.
func raceWords(tries int) string {
	missed := func(n int) string { return percent(noise.MissProbability(n, tries)) }
	return fmt.Sprintf("A breach that shows in 1 of 3 tries is missed with a probability of %s, one that shows in 1 of 20 with %s, and one that shows in 1 of 100 with %s.",
		missed(3), missed(20), missed(100))
}

func percent(p float64) string {
	switch {
	case p < 0.0001:
		return "less than 0.01%"
	case p < 0.1:
		return fmt.Sprintf("%.2g%%", 100*p)
	default:
		return fmt.Sprintf("%.0f%%", 100*p)
	}
}
