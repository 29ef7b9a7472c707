package suite

import (
	"fmt"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// announce tells of what came of a rule, and ends the judging with the first that
// failed where that is wanted.
func (s *session) announce(v *verdict) {
	if s.choice.judged[v.ID] {
		s.config.Progress(s.shown(v))
	}
	if s.config.FailFast && s.failed.Load() == nil {
		s.failed.Store(s.firstFailed())
	}
}

// firstFailed returns the first rule that failed for certain, or nil: one that needs
// a rule which is not judged yet may turn out to be blocked by it.
func (s *session) firstFailed() *rule.Rule {
	for _, r := range rule.All() {
		v := s.verdicts.get(r.ID)
		if v != nil && s.choice.judged[r.ID] && s.shown(v).Outcome == report.Failed && s.verdicts.cause(r) == "" && s.knowsNeeds(r) {
			return &r
		}
	}
	return nil
}

// knowsNeeds reports whether it is known what came of all that a rule needs.
func (s *session) knowsNeeds(r rule.Rule) bool {
	for _, id := range r.Needs {
		needed, ok := rule.Lookup(id)
		if !ok || s.verdicts.get(id) == nil || !s.knowsNeeds(needed) {
			return false
		}
	}
	return true
}

// shown is a verdict as reports show it: the breach that the baseline has is known.
func (s *session) shown(v *verdict) report.RuleResult {
	shown := v.RuleResult
	if shown.Outcome == report.Failed || shown.Outcome == report.Warned {
		if entry, known := s.config.Baseline.Covers(v.ID, s.started); known {
			shown.Outcome, shown.Known = report.Known, s.words(entry.Words())
		}
	}
	return shown
}

// shownRules returns what came of every rule, in the catalogue's order. A rule that
// was run for others only is not judged, unless its breach keeps one of them from
// being judged.
func (s *session) shownRules() []report.RuleResult {
	causes := map[string]bool{}
	for id := range s.choice.judged {
		if v := s.verdicts.get(id); v != nil && v.cause != "" {
			causes[v.cause] = true
		}
	}
	var all []report.RuleResult
	for _, r := range rule.All() {
		v := s.verdicts.get(r.ID)
		if v == nil || !s.choice.judged[r.ID] && !causes[r.ID] {
			v = s.verdicts.set(r, report.Skipped, s.whySkipped(r))
		}
		all = append(all, s.shown(v))
	}
	return all
}

func (s *session) whySkipped(r rule.Rule) string {
	failed := s.failed.Load()
	switch {
	case !s.choice.run[r.ID]:
		return "left out by the choice of rules"
	case !s.choice.judged[r.ID]:
		return "left out by the choice of rules, and run for those that need it"
	case s.interrupted():
		return "the run was interrupted"
	case failed != nil:
		return leftOutAfter(failed.ID)
	default:
		return "left out by Ginkgo's own filters"
	}
}

// leftOutAfter says why a rule was not judged once another had failed.
func leftOutAfter(id string) string {
	return fmt.Sprintf("left out after %s failed (--fail-fast)", id)
}
