package selftest

import (
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// weighLawful says what came of a partner of which there is nothing to find.
func (t *Trial) weighLawful(result *report.Result, s *served) {
	for _, r := range result.Rules {
		switch r.Outcome {
		case report.Failed, report.Warned, report.Inconclusive, report.Blocked:
			t.problem("%s %s: %s", r.ID, r.Outcome, r.Message)
		}
	}
	if result.Verdict != report.Conformant {
		t.problem("the verdict is %s %s", result.Verdict, result.Reason)
	}
	t.Problems = append(t.Problems, LeftBehind(s.mock)...)
	t.Outcome = Silent
	if len(t.Problems) > 0 {
		t.Outcome = Flagged
	}
}

// weighDefect says what came of a partner that breaks one rule. Its error is that
// of judging the mock as it is, to compare.
func (b *Bench) weighDefect(t *Trial, result *report.Result, s *served) (err error) {
	own, others, idle := t.ownRule(result), t.otherRules(result), false
	if !own && !others {
		idle, err = b.cameToNothing(t, s)
	}
	switch {
	case others:
		t.Outcome = WrongRule
	case own:
		t.Outcome = Killed
	case idle:
		t.Outcome = NeverFired
	default:
		t.Outcome = Survived
	}
	return err
}

// cameToNothing reports whether there was nothing to find. A quirk has no counter:
// it has come to bear where the mock answered otherwise than as it is.
func (b *Bench) cameToNothing(t *Trial, s *served) (bool, error) {
	if len(t.Idle) > 0 {
		t.problem("of its faults, these never fired: %s", strings.Join(t.Idle, ", "))
		return true, nil
	}
	if !s.quirky() {
		return false, nil
	}
	plain, err := b.plain()
	if err != nil || !s.answers().equal(plain) {
		return false, err
	}
	t.problem("the mock answered as it does without the defect")
	return true, nil
}

// ownRule reports whether the defect's own rule was found broken, with evidence
// and the verdict that follows from it.
func (t *Trial) ownRule(result *report.Result) bool {
	broken, known := rule.Lookup(t.Rule)
	if !known {
		t.problem("there is no rule %s", t.Rule)
		return false
	}
	want, verdict := report.Failed, report.Nonconformant
	if broken.Level != rule.Must {
		want, verdict = report.Warned, report.Conformant
	}
	at := slices.IndexFunc(result.Rules, func(r report.RuleResult) bool { return r.ID == t.Rule })
	if at < 0 {
		t.problem("%s is not in the report", t.Rule)
		return false
	}
	switch r := result.Rules[at]; {
	case r.Outcome != want:
		t.problem("%s %s, want it %s", r.ID, r.Outcome, want)
	case r.Message == "" || len(r.Exchanges) == 0:
		t.problem("%s %s without a message, or without evidence", r.ID, r.Outcome)
	case result.Verdict != verdict:
		t.problem("the verdict is %s %s, want %s", result.Verdict, result.Reason, verdict)
	default:
		return true
	}
	return false
}

// otherRules reports whether a rule that is not the defect's own failed, or is said
// to be the cause of what could not be judged: one cause is one finding.
func (t *Trial) otherRules(result *report.Result) (found bool) {
	for _, r := range result.Rules {
		switch {
		case r.ID == t.Rule:
		case r.Outcome == report.Failed:
			t.problem("%s failed: %s", r.ID, r.Message)
			found = true
		case r.Outcome == report.Blocked && !t.explains(r):
			t.problem("%s blocked: %s", r.ID, r.Message)
			found = true
		}
	}
	return found
}

// explains reports whether the cause that a blocked rule names is the defect's own
// rule, or one that failed and is a problem itself.
func (t *Trial) explains(blocked report.RuleResult) bool {
	return slices.ContainsFunc(strings.Fields(blocked.Message), func(word string) bool {
		return word == t.Rule || slices.Contains(t.Failed, word)
	})
}

func (t *Trial) problem(format string, args ...any) {
	t.Problems = append(t.Problems, fmt.Sprintf(format, args...))
}
