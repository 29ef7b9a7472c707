package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// maxText bounds a text of the partner's in a view meant for people, in bytes.
// report.json has the whole.
const maxText = 4 << 10

// shorten cuts s to at most limit bytes, between two characters, and says how
// much is left out.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s … (%s more bytes)", s[:cut], thousands(len(s)-cut))
}

func answer(x probe.Exchange) string {
	switch {
	case x.Failure != nil && x.Response != nil:
		return fmt.Sprintf("%d, then %s", x.Response.Status, strings.ReplaceAll(string(x.Failure.Kind), "_", " "))
	case x.Failure != nil:
		return strings.ReplaceAll(string(x.Failure.Kind), "_", " ")
	case x.Response != nil:
		return strconv.Itoa(x.Response.Status)
	}
	return "no answer"
}

// duration writes d with the precision that a reader can use.
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 ms"
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%s s", strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.2f", d.Seconds()), "0"), ".0"))
	case d < time.Minute:
		return fmt.Sprintf("%s s", strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0"))
	}
	whole := d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", whole/time.Minute, whole%time.Minute/time.Second)
}

func Milliseconds(ms float64) string { return duration(time.Duration(ms * float64(time.Millisecond))) }

func size(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return thousands(n) + " " + word + "s"
}

func label(o report.Outcome) string {
	s := strings.ReplaceAll(string(o), "_", " ")
	if s == "" {
		return "Unknown"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// checksumWords say what a view was drawn from: the versions, and the sum by which
// its report can be told from any other.
func checksumWords(r *report.Result) string {
	versions := fmt.Sprintf("suite %s, contract %s", r.SuiteVersion, r.ContractVersion)
	if r.Integrity == nil {
		return versions
	}
	return "SHA-256 " + r.Integrity.SHA256 + ", " + versions
}

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
