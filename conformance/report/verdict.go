package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"partnerkit.dev/conformance/internal/rule"
)

// verdictWords says the verdict, and in a sentence what it stands on.
func verdictWords(r *Result) (heading, sentence string) {
	must, judged, known := 0, 0, 0
	for _, rule := range mustRules(r.Rules) {
		must++
		switch rule.Outcome {
		case Passed, Failed, Warned:
			judged++
		case Known:
			known++
		}
	}
	notes := ""
	if n := r.Summary[Known]; n > 0 {
		notes = "; " + plural(n, "known failure")
	}
	if n := r.Summary[Warned]; n > 0 {
		notes += "; " + plural(n, "warning")
	}
	switch r.Verdict {
	case Conformant:
		if known > 0 {
			return "Conformant but for known failures", fmt.Sprintf("%d of the %d MUST rules hold%s.", judged, must, notes)
		}
		if judged == must {
			return "Conformant", fmt.Sprintf("All %s hold%s.", plural(must, "MUST rule"), notes)
		}
		return "Conformant", fmt.Sprintf("Every MUST rule that could be judged holds: %d of %d%s.", judged, must, notes)
	case Nonconformant:
		return "Not conformant", fmt.Sprintf("The partner breaks %d of the %d MUST rules that could be judged%s.", r.Summary[Failed], judged, notes)
	default:
		if r.Reason == "" {
			return "Not judged", "The run could not judge this partner."
		}
		return "Not judged", sentenceOf(r.Reason)
	}
}

// sentenceOf writes words that follow a colon elsewhere as a sentence.
func sentenceOf(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:] + "."
}

func mustRules(rules []RuleResult) []RuleResult {
	var some []RuleResult
	for _, r := range rules {
		if r.Level == rule.Must {
			some = append(some, r)
		}
	}
	return some
}

// stateWords says how an endpoint stands: the class of its icon, and words.
func stateWords(views []ruleView) (state, says string) {
	if len(views) == 0 {
		return string(Skipped), "no rules"
	}
	n := make(map[Outcome]int)
	for _, v := range views {
		n[v.Outcome]++
	}
	var parts []string
	for _, o := range []Outcome{Failed, Warned, Known} {
		if n[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[o], o))
		}
	}
	if n[Passed] == len(views) {
		parts = append(parts, fmt.Sprintf("all %d passed", len(views)))
	} else {
		parts = append(parts, fmt.Sprintf("%d of %d passed", n[Passed], len(views)))
	}
	says = strings.Join(parts, ", ")
	for _, o := range []Outcome{Failed, Warned} {
		if n[o] > 0 {
			return string(o), says
		}
	}
	if n[Passed] > 0 && n[Known]+n[Inconclusive]+n[Blocked] == 0 {
		return string(Passed), says
	}
	for _, o := range []Outcome{Known, Inconclusive, Blocked, NotApplicable} {
		if n[o] > 0 {
			return string(o), says
		}
	}
	return string(Skipped), says
}
