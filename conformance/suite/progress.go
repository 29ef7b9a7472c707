package suite

import (
	"fmt"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// announce tells of what came of a rule, where there is news, and ends the judging with
// the first that failed where that is wanted.
func (r *run) announce(v *judge.Verdict) {
	if v == nil {
		return
	}
	if r.choice.Judged[v.ID] {
		r.config.Progress(r.shown(v))
	}
	if r.config.FailFast && r.failed.Load() == nil {
		r.failed.Store(r.firstFailed())
	}
}

// firstFailed returns the first rule that failed for certain, or nil: one that needs
// a rule which is not judged yet may turn out to be blocked by it.
func (r *run) firstFailed() *rule.Rule {
	for _, one := range rule.All() {
		v := r.verdicts.Get(one.ID)
		if v != nil && r.choice.Judged[one.ID] && r.shown(v).Outcome == report.Failed && !r.isBlocked(one) && r.knowsNeeds(one) {
			return &one
		}
	}
	return nil
}

func (r *run) isBlocked(one rule.Rule) bool {
	outcome, _ := r.verdicts.Decide(one, judge.Finding{})
	return outcome == report.Blocked
}

func (r *run) knowsNeeds(one rule.Rule) bool {
	for _, id := range one.Needs {
		needed, ok := rule.Lookup(id)
		if !ok || r.verdicts.Get(id) == nil || !r.knowsNeeds(needed) {
			return false
		}
	}
	return true
}

// shown is a verdict as reports show it: the breach that the baseline has is known.
func (r *run) shown(v *judge.Verdict) report.RuleResult {
	shown := v.RuleResult
	if shown.Outcome == report.Failed || shown.Outcome == report.Warned {
		if entry, known := r.config.Baseline.Covers(v.ID, r.player.Time.Started()); known {
			shown.Outcome, shown.Known = report.Known, r.client.Redactor().Words(entry.Words())
		}
	}
	return shown
}

// shownRules returns what came of every rule, in the catalogue's order. A rule that
// was run for others only is not judged, unless its breach keeps one of them from
// being judged.
func (r *run) shownRules() []report.RuleResult {
	causes := map[string]bool{}
	for id := range r.choice.Judged {
		if v := r.verdicts.Get(id); v != nil && v.Cause != "" {
			causes[v.Cause] = true
		}
	}
	var all []report.RuleResult
	for _, one := range rule.All() {
		v := r.verdicts.Get(one.ID)
		if v == nil || !r.choice.Judged[one.ID] && !causes[one.ID] {
			v = r.verdicts.Set(one, report.Skipped, r.whySkipped(one))
		}
		all = append(all, r.shown(v))
	}
	return all
}

func (r *run) whySkipped(one rule.Rule) string {
	failed := r.failed.Load()
	switch {
	case !r.choice.Run[one.ID]:
		return "left out by the choice of rules"
	case !r.choice.Judged[one.ID]:
		return "left out by the choice of rules, and run for those that need it"
	case r.player.Time.Interrupted():
		return "the run was interrupted"
	case failed != nil:
		return leftOutAfter(failed.ID)
	default:
		return "left out by Ginkgo's own filters"
	}
}

func leftOutAfter(id string) string {
	return fmt.Sprintf("left out after %s failed (--fail-fast)", id)
}
