package suite

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// announcer reports the outcome of each rule as soon as it is final.
type announcer struct {
	config   Config
	choice   plan.Choice
	verdicts *judge.Verdicts
	time     *partner.Time
	words    func(string) string // prepares a text for display
	hints    hints
	waiting  []string                  // ids of the rules still to be announced
	failed   atomic.Pointer[rule.Rule] // the first failed rule, if FailFast is set
}

// stoppingRule returns the failed rule after which nothing is judged, or nil.
func (a *announcer) stoppingRule() *rule.Rule { return a.failed.Load() }

// announce reports the outcome of a rule if it is new, and stops the judging after the first
// failure if FailFast is set. A breach is reported after all rules that its rule needs are judged:
// one of them may turn out to be the cause.
func (a *announcer) announce(v *report.RuleResult) {
	if v == nil {
		return
	}
	if a.choice.Judged[v.ID] {
		a.waiting = append(a.waiting, v.ID)
	}
	a.report(false)
	if a.config.FailFast && a.stoppingRule() == nil {
		a.failed.Store(a.firstFailed())
	}
}

// report reports the waiting rules. Rules that may still be blocked are reported at the end of the
// run.
func (a *announcer) report(end bool) {
	var still []string
	for _, id := range a.waiting {
		one, _ := rule.Find(id)
		shown := a.showVerdict(a.verdicts.Get(id))
		broken := shown.Outcome == report.Failed || shown.Outcome == report.Warned
		switch {
		case end || !broken:
			a.config.Progress(shown)
		case !a.knowsNeeds(one):
			still = append(still, id)
		case !a.isBlocked(one):
			a.config.Progress(shown)
		default: // reported at the end, as blocked
			still = append(still, id)
		}
	}
	a.waiting = still
}

// firstFailed returns the first rule that certainly failed, or nil. A rule that needs rules which
// are not judged yet may turn out to be blocked.
func (a *announcer) firstFailed() *rule.Rule {
	for _, one := range rule.All() {
		v := a.verdicts.Get(one.ID)
		if v != nil && a.choice.Judged[one.ID] && a.showVerdict(v).Outcome == report.Failed && !a.isBlocked(one) && a.knowsNeeds(one) {
			return &one
		}
	}
	return nil
}

func (a *announcer) isBlocked(one rule.Rule) bool {
	outcome, _ := a.verdicts.Decide(one, judge.Finding{})
	return outcome == report.Blocked
}

func (a *announcer) knowsNeeds(one rule.Rule) bool {
	return !slices.ContainsFunc(one.Needed(), func(needed rule.Rule) bool {
		return a.verdicts.Get(needed.ID) == nil || !a.knowsNeeds(needed)
	})
}

// showVerdict returns a verdict as reports show it: with a hint, and a breach in the baseline is known.
func (a *announcer) showVerdict(v *report.RuleResult) report.RuleResult {
	shown := *v
	a.hints.addTo(&shown)
	if shown.Outcome == report.Failed || shown.Outcome == report.Warned {
		if entry, known := a.config.Baseline.Covers(v.ID, a.time.StartTime()); known {
			shown.Outcome, shown.Known = report.Known, a.words(entry.Words())
		}
	}
	return shown
}

// rules returns the outcome of every rule, in the order of the catalogue. A rule that was run
// only for others is not shown as judged, unless its breach keeps one of them from being judged.
func (a *announcer) rules() []report.RuleResult {
	causes := map[string]bool{}
	for id := range a.choice.Judged {
		if v := a.verdicts.Get(id); v != nil && v.BlockedBy != "" {
			causes[v.BlockedBy] = true
		}
	}
	var all []report.RuleResult
	for _, one := range rule.All() {
		v := a.verdicts.Get(one.ID)
		if v == nil || !a.choice.Judged[one.ID] && !causes[one.ID] {
			why, remedy := a.whySkipped(one)
			v = a.verdicts.Set(one, report.Skipped, why)
			v.Remedy = remedy
		}
		all = append(all, a.showVerdict(v))
	}
	return all
}

// whySkipped returns why a rule was left out, and how to have it judged.
func (a *announcer) whySkipped(one rule.Rule) (why, remedy string) {
	var chosen []string
	for _, flag := range a.config.narrowedBy() {
		if flag == "--rule" || flag == "--label" {
			chosen = append(chosen, flag)
		}
	}
	by := strings.Join(chosen, " and ")
	failed := a.stoppingRule()
	switch {
	case !a.choice.Judged[one.ID]:
		return fmt.Sprintf("left out by %s", by), fmt.Sprintf("Run without %s.", by)
	case a.time.WasInterrupted():
		return "the run was interrupted", "Let the run finish."
	case failed != nil:
		return leftOutAfter(failed.ID), fmt.Sprintf("Fix %s, or run without --fail-fast.", failed.ID)
	default:
		return "the suite itself failed before it judged this rule", "Report the failure."
	}
}

func leftOutAfter(id string) string {
	return fmt.Sprintf("left out after %s failed (--fail-fast)", id)
}
