package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
)

// screen is what a person sees of a run: a line for each rule as it is judged,
// with a progress bar below where the output is a terminal, and the verdict.
type screen struct {
	out    io.Writer
	colour bool
	width  int                      // of the longest name
	bar    *progressbar.ProgressBar // nil where the output is no terminal
	redact func(string) string      // removes the key
}

// newScreen returns a screen for things of those names; doing says in a word what
// is done with them.
func newScreen(out io.Writer, redact func(string) string, names []string, doing string) *screen {
	s := &screen{out: out, redact: redact}
	for _, name := range names {
		s.width = max(s.width, len(name))
	}
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	s.bar = progressbar.NewOptions(len(names),
		progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(30), progressbar.OptionShowCount(),
		progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription(doing))
	return s
}

// printf writes to the screen. Nobody may be reading any more, which is no
// reason to stop: a run has to release what it holds.
func (s *screen) printf(format string, args ...any) {
	fmt.Fprint(s.out, s.redact(fmt.Sprintf(format, args...)))
}

// The words of the outcomes, all of one width.
var words = map[report.Outcome]string{
	report.Passed: "pass", report.Failed: "FAIL", report.Warned: "warn", report.Known: "know", report.Skipped: "skip",
	report.NotApplicable: "n/a ", report.Blocked: "blkd", report.Inconclusive: "open",
}

// The colours of the outcomes, as ANSI codes.
var colours = map[report.Outcome]string{
	report.Passed: "32", report.Failed: "1;31", report.Warned: "33", report.Known: "33", report.Skipped: "2",
	report.NotApplicable: "2", report.Blocked: "35", report.Inconclusive: "36",
}

func (s *screen) paint(outcome report.Outcome, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + colours[outcome] + "m" + text + "\x1b[0m"
}

// begin says what is judged.
func (s *screen) begin(config suite.Config) {
	s.printf("judging %s (%s key) by %d of %d rules\n", config.BaseURL.Redacted(), config.AuthType, len(config.Judged()), len(rule.All()))
	s.plan(config.Plan())
	if config.LimitScale != 1 {
		s.printf("the contract's limits are multiplied by %g: this run proves nothing about them\n", config.LimitScale)
	}
	s.printf("\n")
}

// rule shows what came of one rule.
func (s *screen) rule(r report.RuleResult) {
	s.step(func() {
		s.printf("%s  %-6s  %-*s  %s\n", s.paint(r.Outcome, words[r.Outcome]), r.Level, s.width, r.ID, r.Title)
		if r.Known != "" {
			s.printf("              known: %s\n", oneLine(r.Known))
		}
		if r.Outcome == report.Failed || r.Outcome == report.Warned || r.Outcome == report.Known {
			s.printf("              %s\n", oneLine(r.Message))
		}
	})
}

// waiting says until when nothing will be seen to happen.
func (s *screen) waiting(until time.Time) {
	s.above(func() { s.printf("waiting until %s for a hold to expire\n", until.Local().Format(time.TimeOnly)) })
}

// step shows something above the bar, which moves on. A bar that cannot be drawn
// is no reason to stop.
func (s *screen) step(show func()) {
	s.above(show)
	if s.bar != nil {
		_ = s.bar.Add(1)
	}
}

// above shows something in place of the bar, which is drawn again with the next step.
func (s *screen) above(show func()) {
	if s.bar != nil {
		_ = s.bar.Clear()
	}
	show()
}

// finish takes the bar away.
func (s *screen) finish() {
	if s.bar != nil {
		_ = s.bar.Finish()
	}
}

// end shows the verdict, and why.
func (s *screen) end(r *report.Result) {
	s.finish()
	s.printf("\n")
	s.times(r.Latency)
	for _, outcome := range []report.Outcome{report.Inconclusive, report.Known, report.Warned, report.Failed} {
		s.list(r, outcome)
	}
	s.exploration(r.Exploration)
	for _, left := range r.NotUndone {
		s.printf("not undone: %s\n", leftover(left))
	}
	if len(r.NotUndone) > 0 && r.Ledger != "" {
		s.printf("'conformance cleanup %s' tries it again\n", oneLine(r.Ledger))
	}
	counts := []string{fmt.Sprintf("%d rules passed", r.Summary[report.Passed])}
	for _, outcome := range report.Outcomes() {
		if n := r.Summary[outcome]; n > 0 && outcome != report.Passed {
			counts = append(counts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(outcome), "_", " ")))
		}
	}
	s.printf("%s in %s: %s\n", s.verdict(r), time.Duration(r.DurationMS)*time.Millisecond, strings.Join(counts, ", "))
	s.printf("%d calls; %d products; slots of %d of %d options, %d slots; %d holds, %d bookings\n",
		r.Coverage.Calls, r.Coverage.Products, r.Coverage.OptionsAsked, r.Coverage.Options, r.Coverage.Slots, r.Coverage.Holds, r.Coverage.Bookings)
	if r.Baseline != nil {
		for _, stale := range r.Baseline.Stale {
			s.printf("%s %s\n", s.paint(report.Failed, "stale"), oneLine(stale.Message))
		}
	}
}

func (s *screen) verdict(r *report.Result) string {
	switch r.Verdict {
	case report.Conformant:
		if r.Summary[report.Known] > 0 {
			return s.paint(report.Known, "conformant but for known failures")
		}
		return s.paint(report.Passed, "conformant")
	case report.Nonconformant:
		return s.paint(report.Failed, "NOT CONFORMANT")
	default:
		return s.paint(report.Inconclusive, "COULD NOT BE JUDGED") + " (" + oneLine(r.Reason) + ")"
	}
}

// list shows the rules of one outcome, with what to do about them.
func (s *screen) list(r *report.Result, outcome report.Outcome) {
	for _, one := range r.Rules {
		if one.Outcome != outcome {
			continue
		}
		s.printf("%s  %s %s (%s)\n", s.paint(outcome, words[outcome]), one.Level, one.ID, one.Clause)
		s.printf("      %s.\n      %s\n", one.Title, oneLine(one.Message))
		if one.Known != "" {
			s.printf("      known: %s\n", oneLine(one.Known))
		}
		if one.Picture != "" {
			s.printf("      picture: %s, in the report's folder\n", one.Picture)
		}
		if outcome != report.Inconclusive {
			s.printf("      fix: %s\n", one.Fix)
		}
		s.printf("\n")
	}
}

func leftover(l report.Leftover) string {
	text := l.Kind
	if l.Code != "" {
		text += fmt.Sprintf(" %q", l.Code)
	}
	text += fmt.Sprintf(" of product %q, option %q, slot %q at %s: %s", l.ProductID, l.OptionID, l.AvailabilityID, l.Start, l.Reason)
	switch {
	case l.ExpiresAt != "" && l.Code == "":
		text += fmt.Sprintf("; reference %s; it has expired by %s", l.Reference, l.ExpiresAt)
	case l.ExpiresAt != "":
		text += "; it expires at " + l.ExpiresAt
	}
	return oneLine(text)
}

// reports says where the reports are.
func (s *screen) reports(files []string) {
	for _, file := range files {
		s.printf("wrote %s\n", file)
	}
}

// sum says by which SHA-256 the report can be told from any other.
func (s *screen) sum(digits string) {
	if digits != "" {
		s.printf("SHA-256 of the report: %s\n", digits)
	}
}

// oneLine keeps a stranger's text from drawing on the terminal: line breaks,
// control characters and marks that turn the direction of text become spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
}
