package view

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// verdictWords says the verdict, and in a sentence what it stands on.
func verdictWords(r *report.Result) (heading, sentence string) {
	must, judged, known := 0, 0, 0
	for _, rule := range mustRules(r.Rules) {
		must++
		switch rule.Outcome {
		case report.Passed, report.Failed, report.Warned:
			judged++
		case report.Known:
			known++
		}
	}
	notes := ""
	if n := r.Summary[report.Known]; n > 0 {
		notes = "; " + plural(n, "known failure")
	}
	if n := r.Summary[report.Warned]; n > 0 {
		notes += "; " + plural(n, "warning")
	}
	switch r.Verdict {
	case report.Conformant:
		if known > 0 {
			return "Conformant but for known failures", fmt.Sprintf("%d of the %d MUST rules hold%s.", judged, must, notes)
		}
		if judged == must {
			return "Conformant", fmt.Sprintf("All %s hold%s.", plural(must, "MUST rule"), notes)
		}
		return "Conformant", fmt.Sprintf("Every MUST rule that could be judged holds: %d of %d%s.", judged, must, notes)
	case report.Nonconformant:
		return "Not conformant", fmt.Sprintf("The partner breaks %d of the %d MUST rules that could be judged%s.", r.Summary[report.Failed], judged, notes)
	default:
		if r.Reason == "" {
			return "Not judged", "The run could not judge this partner."
		}
		first, size := utf8.DecodeRuneInString(r.Reason)
		return "Not judged", string(unicode.ToUpper(first)) + r.Reason[size:] + "."
	}
}

func mustRules(rules []report.RuleResult) []report.RuleResult {
	return slices.DeleteFunc(slices.Clone(rules), func(r report.RuleResult) bool { return r.Level != rule.Must })
}

// stateWords says how an endpoint stands: the class of its icon, and words.
func stateWords(views []ruleView) (state, says string) {
	if len(views) == 0 {
		return string(report.Skipped), "no rules"
	}
	n := map[report.Outcome]int{}
	for _, v := range views {
		n[v.Outcome]++
	}
	for _, o := range []report.Outcome{report.Failed, report.Warned, report.Known} {
		if n[o] > 0 {
			says += fmt.Sprintf("%d %s, ", n[o], o)
		}
	}
	if n[report.Passed] == len(views) {
		says += fmt.Sprintf("all %d passed", len(views))
	} else {
		says += fmt.Sprintf("%d of %d passed", n[report.Passed], len(views))
	}
	order := []report.Outcome{report.Failed, report.Warned, report.Known, report.Inconclusive, report.Blocked, report.Passed, report.NotApplicable, report.Skipped}
	for _, o := range order {
		if n[o] > 0 {
			return string(o), says
		}
	}
	return string(report.Skipped), says
}
