package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"partnerkit.dev/conformance/internal/probe"
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

// answer says in a few words what came of a request.
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

// Milliseconds writes a number of them with the precision that a reader can use.
func Milliseconds(ms float64) string { return duration(time.Duration(ms * float64(time.Millisecond))) }

// size writes a number of bytes.
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

// thousands groups the digits of n, such as 12,345.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes n and the word in its number: 1 rule, 2 rules.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return thousands(n) + " " + word + "s"
}

// label is an outcome as people read it.
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
