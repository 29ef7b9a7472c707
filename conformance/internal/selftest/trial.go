package selftest

import (
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Outcome is the outcome of a case.
type Outcome string

// The outcomes. A defect has one of the first four, a lawful partner one of the last two.
const (
	Killed     Outcome = "killed"      // the rule that it breaks was found broken, and no other
	Survived   Outcome = "survived"    // the rule was not found broken
	WrongRule  Outcome = "wrong_rule"  // another MUST rule failed, or is named as the cause
	NeverFired Outcome = "never_fired" // the rule was not found broken, because a fault or a quirk never fired
	Silent     Outcome = "silent"      // nothing was found
	Flagged    Outcome = "flagged"     // a rule failed, warned or was not judged, or a hold was left
)

// Words returns the outcome as a reader sees it, such as "never fired".
func (o Outcome) Words() string { return strings.ReplaceAll(string(o), "_", " ") }

// Trial is a case that was run.
type Trial struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	Rule string `json:"rule,omitempty"` // id of the rule that a defect breaks
	// Dimension is the dimension of the single instance in which a deep defect breaks its rule.
	Dimension string   `json:"dimension,omitempty"`
	Outcome   Outcome  `json:"outcome"`
	Failed    []string `json:"failed"`   // ids of the rules that failed, including the defect's own
	Warned    []string `json:"warned"`   // ids of the rules that warned, including the defect's own
	Idle      []string `json:"idle"`     // names of the faults and quirks that never fired
	Problems  []string `json:"problems"` // why the result is unexpected; empty if it is expected
	// Recorded lists the ids of the rules that a recording of the run shows to be broken; nil if no
	// recording was judged.
	Recorded *[]string `json:"recorded,omitempty"`
	Calls    int       `json:"calls"` // that the run made
	Holds    int       `json:"holds"`
	Bookings int       `json:"bookings"`
	TookMS   int64     `json:"took_ms"`
}

// Folder returns the name of the folder with the trial's reports.
func (t Trial) Folder() string { return string(t.Kind) + "-" + t.Name }

func ruleIDs(result *report.Result, outcome report.Outcome) []string {
	ids := []string{}
	for _, r := range result.Rules {
		if r.Outcome == outcome {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func (t *Trial) weighLawful(result *report.Result, m *mock) {
	// If seats are few, or others take them, some rules are not judged.
	open := m.of.Scarce || m.of.Customers > 0
	for _, r := range result.Rules {
		switch r.Outcome {
		case report.Failed, report.Warned, report.Blocked:
			t.problem("%s %s: %s", r.ID, r.Outcome, r.Message)
		case report.Inconclusive:
			if !open {
				t.problem("%s %s: %s", r.ID, r.Outcome, r.Message)
			}
		}
	}
	switch result.Verdict {
	case report.Conformant, report.Partial: // at quick depth
	default:
		if !open || result.Verdict != report.Incomplete {
			t.problem("the verdict is %s %s", result.Verdict, result.Reason)
		}
	}
	t.Problems = append(t.Problems, LeftBehind(m.Mock)...)
	t.Outcome = Silent
	if len(t.Problems) > 0 {
		t.Outcome = Flagged
	}
}

func (t *Trial) weighDefect(result *report.Result) {
	own, others := t.ownRule(result), t.otherRules(result)
	switch {
	case others:
		t.Outcome = WrongRule
		return
	case own:
		t.Outcome = Killed
		return
	}
	t.Outcome = Survived
	if len(t.Idle) > 0 {
		t.Outcome = NeverFired
		t.problem("of its faults and quirks, these never fired: %s", strings.Join(t.Idle, ", "))
	}
}

// ownRule reports whether the defect's own rule was found broken, with evidence and the resulting
// verdict.
func (t *Trial) ownRule(result *report.Result) bool {
	broken, err := rule.Find(t.Rule)
	if err != nil {
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
		t.problem("%s %s, expected %s", r.ID, r.Outcome, want)
	case r.Message == "" || len(r.Exchanges) == 0:
		t.problem("%s %s without a message, or without evidence", r.ID, r.Outcome)
	case result.Verdict != verdict && !(verdict == report.Conformant && result.Verdict == report.Partial): // at quick depth
		t.problem("the verdict is %s %s, expected %s", result.Verdict, result.Reason, verdict)
	default:
		return true
	}
	return false
}

// otherRules reports whether another rule failed, or is named as the cause of a blocked one: one
// cause must give one finding.
func (t *Trial) otherRules(result *report.Result) (found bool) {
	for _, r := range result.Rules {
		if r.ID != t.Rule && (r.Outcome == report.Failed || r.Outcome == report.Blocked && !t.explains(r)) {
			t.problem("%s %s: %s", r.ID, r.Outcome, r.Message)
			found = true
		}
	}
	return found
}

// explains reports whether the cause that a blocked rule names is the defect's own rule, or a
// failed rule that is reported as a problem itself.
func (t *Trial) explains(blocked report.RuleResult) bool {
	return slices.ContainsFunc(strings.Fields(blocked.Message), func(word string) bool {
		return word == t.Rule || slices.Contains(t.Failed, word)
	})
}

func (t *Trial) problem(format string, args ...any) {
	t.Problems = append(t.Problems, fmt.Sprintf(format, args...))
}
