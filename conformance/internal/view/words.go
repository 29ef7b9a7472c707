package view

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/plural"
)

// maxText is the maximum number of bytes of a partner's text in a view for people. report.json has
// the complete text.
const maxText = 4 << 10

// shorten cuts s to at most limit bytes, between two characters, and adds how much is left out.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s … (%s more bytes)", s[:cut], plural.Thousands(len(s)-cut))
}

func answer(x report.Exchange) string {
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

// duration formats d with a useful precision.
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

// Milliseconds returns a duration in words, such as "120 ms".
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

func label(o report.Outcome) string {
	s := strings.ReplaceAll(string(o), "_", " ")
	if s == "" {
		return "Unknown"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// checksumWords returns what a view was made from: the versions, and the checksum that identifies
// its report.
func checksumWords(r *report.Result) string {
	versions := fmt.Sprintf("suite %s, contract %s", r.SuiteVersion, r.ContractVersion)
	if r.Integrity == nil {
		return versions
	}
	return "SHA-256 " + r.Integrity.SHA256 + ", " + versions
}

// VerdictWords returns the verdict as a heading, and a sentence that explains it.
func VerdictWords(r *report.Result) (heading, sentence string) {
	judged, known := 0, 0
	for _, rule := range mustRules(r.Rules) {
		switch rule.Outcome {
		case report.Passed, report.Failed, report.Warned:
			judged++
		case report.Known:
			known++
		}
	}
	open := notJudgedWords(r.Rules)
	var notes []string
	for _, note := range []struct {
		n    int
		word string
	}{{r.Summary[report.Known], "known failure"}, {r.Summary[report.Warned], "warning"}} {
		if note.n > 0 {
			notes = append(notes, plural.Count(note.n, note.word))
		}
	}
	hold := fmt.Sprintf("All %s that were judged hold.", plural.Count(judged, "MUST rule"))
	switch {
	case judged == len(mustRules(r.Rules)):
		hold = fmt.Sprintf("All %s hold.", plural.Count(judged, "MUST rule"))
	case judged == 1:
		hold = "The one MUST rule that was judged holds."
	}
	switch r.Verdict {
	case report.Conformant:
		heading, sentence = "Conformant", hold
		if known > 0 {
			heading, sentence = "Conformant except for known failures", fmt.Sprintf("Apart from %s, %s hold.", plural.Count(known, "known failure"), plural.Count(judged, "MUST rule"))
			notes = notes[1:]
		}
		if open != "" {
			heading += ", " + open
		}
	case report.Nonconformant:
		heading = "Not conformant"
		sentence = fmt.Sprintf("The partner fails %d of the %s that were judged.", r.Summary[report.Failed], plural.Count(judged, "MUST rule"))
		if open != "" {
			notes = append(notes, open)
		}
	case report.Partial:
		heading = "Partial, " + cmp.Or(open, "every MUST rule judged")
		sentence = sentenceOf(r.Reason) + " " + hold
		if judged == 0 {
			sentence = sentenceOf(r.Reason) + " No MUST rule was judged."
		}
	default:
		heading, sentence = "Not judged", sentenceOf(cmp.Or(r.Reason, "the run could not judge this partner"))
	}
	if len(notes) > 0 {
		sentence += " Also: " + strings.Join(notes, ", ") + "."
	}
	for _, one := range r.Unread {
		sentence += " " + sentenceOf(one)
	}
	return heading, sentence
}

// Seal returns the outcome of a rule that stands for the verdict, for its colour and icon.
func Seal(r *report.Result) report.Outcome {
	switch {
	case r.Verdict == report.Conformant && r.Summary[report.Known] > 0:
		return report.Known
	case r.Verdict == report.Conformant:
		return report.Passed
	case r.Verdict == report.Nonconformant:
		return report.Failed
	default:
		return report.Inconclusive
	}
}

func sentenceOf(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:] + "."
}
