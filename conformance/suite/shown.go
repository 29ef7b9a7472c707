package suite

import (
	"fmt"
	"strings"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// announce reports the outcome of a rule if it is new, and stops the judging after the first
// failure if FailFast is set. A breach is reported after all rules that its rule needs are judged:
// one of them may turn out to be the cause.
func (r *run) announce(v *report.RuleResult) {
	if v == nil {
		return
	}
	if r.choice.Judged[v.ID] {
		r.waiting = append(r.waiting, v.ID)
	}
	r.tell(false)
	if r.config.FailFast && r.failed.Load() == nil {
		r.failed.Store(r.firstFailed())
	}
}

// tell reports the waiting rules. Rules that may still be blocked are reported at the end of the
// run.
func (r *run) tell(end bool) {
	var still []string
	for _, id := range r.waiting {
		one, _ := rule.Lookup(id)
		shown := r.shown(r.verdicts.Get(id))
		broken := shown.Outcome == report.Failed || shown.Outcome == report.Warned
		switch {
		case end || !broken:
			r.config.Progress(shown)
		case !r.knowsNeeds(one):
			still = append(still, id)
		case !r.isBlocked(one):
			r.config.Progress(shown)
		default: // reported at the end, as blocked
			still = append(still, id)
		}
	}
	r.waiting = still
}

// firstFailed returns the first rule that certainly failed, or nil. A rule that needs rules which
// are not judged yet may turn out to be blocked.
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

// shown returns a verdict as reports show it: a breach in the baseline is known.
func (r *run) shown(v *report.RuleResult) report.RuleResult {
	shown := *v
	if shown.Outcome == report.Failed || shown.Outcome == report.Warned {
		if entry, known := r.config.Baseline.Covers(v.ID, r.player.Time.Started()); known {
			shown.Outcome, shown.Known = report.Known, r.client.Redactor().Words(entry.Words())
		}
	}
	return shown
}

// shownRules returns the outcome of every rule, in the order of the catalogue. A rule that was run
// only for others is not shown as judged, unless its breach keeps one of them from being judged.
func (r *run) shownRules() []report.RuleResult {
	causes := map[string]bool{}
	for id := range r.choice.Judged {
		if v := r.verdicts.Get(id); v != nil && v.BlockedBy != "" {
			causes[v.BlockedBy] = true
		}
	}
	var all []report.RuleResult
	for _, one := range rule.All() {
		v := r.verdicts.Get(one.ID)
		if v == nil || !r.choice.Judged[one.ID] && !causes[one.ID] {
			why, remedy := r.whySkipped(one)
			v = r.verdicts.Set(one, report.Skipped, why)
			v.Remedy = remedy
		}
		all = append(all, r.shown(v))
	}
	return all
}

// whySkipped returns why a rule was left out, and how to have it judged.
func (r *run) whySkipped(one rule.Rule) (why, remedy string) {
	var chosen []string
	for _, flag := range r.config.narrowedBy() {
		if flag == "--rule" || flag == "--label" {
			chosen = append(chosen, flag)
		}
	}
	by := strings.Join(chosen, " and ")
	failed := r.failed.Load()
	switch {
	case !r.choice.Judged[one.ID]:
		return fmt.Sprintf("left out by %s", by), fmt.Sprintf("Run without %s.", by)
	case r.player.Time.Interrupted():
		return "the run was interrupted", "Let the run finish."
	case failed != nil:
		return leftOutAfter(failed.ID), fmt.Sprintf("Fix %s, or run without --fail-fast.", failed.ID)
	default:
		return "left out by Ginkgo's own filters", "Run without Ginkgo's filters."
	}
}

func leftOutAfter(id string) string {
	return fmt.Sprintf("left out after %s failed (--fail-fast)", id)
}
