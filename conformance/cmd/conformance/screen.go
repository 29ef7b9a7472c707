package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/conformance/suite"
)

// screen is what a person sees of a run: a line for each rule as it is judged,
// with a progress bar below where the output is a terminal, and the verdict.
type screen struct {
	out    io.Writer
	colour bool
	width  int                      // of the longest rule id
	bar    *progressbar.ProgressBar // nil where the output is no terminal
}

func newScreen(out io.Writer) *screen {
	s := &screen{out: out}
	for _, r := range rule.All() {
		s.width = max(s.width, len(r.ID))
	}
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	s.bar = progressbar.NewOptions(len(rule.All()),
		progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(30), progressbar.OptionShowCount(),
		progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription("judging"))
	return s
}

// The words of the outcomes, all of one width.
var words = map[report.Outcome]string{
	report.Passed: "pass", report.Failed: "FAIL", report.Warned: "warn", report.Skipped: "skip",
	report.NotApplicable: "n/a ", report.Blocked: "blkd", report.Inconclusive: "open",
}

// The colours of the outcomes, as ANSI codes.
var colours = map[report.Outcome]string{
	report.Passed: "32", report.Failed: "1;31", report.Warned: "33", report.Skipped: "2",
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
	fmt.Fprintf(s.out, "judging %s (%s key) by %d rules\n", config.BaseURL.Redacted(), config.AuthType, len(rule.All()))
	if config.LimitScale != 1 {
		fmt.Fprintf(s.out, "the contract's limits are multiplied by %g: this run proves nothing about them\n", config.LimitScale)
	}
	fmt.Fprintln(s.out)
}

// rule shows what came of one rule.
func (s *screen) rule(r report.RuleResult) {
	if s.bar != nil {
		_ = s.bar.Clear() // a bar that cannot be drawn is no reason to stop
	}
	fmt.Fprintf(s.out, "%s  %-6s  %-*s  %s\n", s.paint(r.Outcome, words[r.Outcome]), r.Level, s.width, r.ID, r.Title)
	if r.Outcome == report.Failed || r.Outcome == report.Warned {
		fmt.Fprintf(s.out, "              %s\n", oneLine(r.Message))
	}
	if s.bar != nil {
		_ = s.bar.Add(1)
	}
}

// end shows the verdict, and why.
func (s *screen) end(r *report.Result) {
	if s.bar != nil {
		_ = s.bar.Finish()
	}
	fmt.Fprintln(s.out)
	for _, outcome := range []report.Outcome{report.Inconclusive, report.Warned, report.Failed} {
		s.list(r, outcome)
	}
	for _, left := range r.NotUndone {
		fmt.Fprintf(s.out, "not undone: %s\n", leftover(left))
	}
	counts := []string{fmt.Sprintf("%d rules passed", r.Summary[report.Passed])}
	for _, outcome := range report.Outcomes() {
		if n := r.Summary[outcome]; n > 0 && outcome != report.Passed {
			counts = append(counts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(outcome), "_", " ")))
		}
	}
	fmt.Fprintf(s.out, "%s in %s: %s\n", s.verdict(r), time.Duration(r.DurationMS)*time.Millisecond, strings.Join(counts, ", "))
	fmt.Fprintf(s.out, "%d calls; %d products; slots of %d of %d options, %d slots; %d holds, %d bookings\n",
		r.Coverage.Calls, r.Coverage.Products, r.Coverage.OptionsAsked, r.Coverage.Options, r.Coverage.Slots, r.Coverage.Holds, r.Coverage.Bookings)
}

func (s *screen) verdict(r *report.Result) string {
	switch r.Verdict {
	case report.Conformant:
		return s.paint(report.Passed, "conformant")
	case report.Nonconformant:
		return s.paint(report.Failed, "NOT CONFORMANT")
	default:
		return s.paint(report.Inconclusive, "COULD NOT BE JUDGED") + " (" + r.Reason + ")"
	}
}

// list shows the rules of one outcome, with what to do about them.
func (s *screen) list(r *report.Result, outcome report.Outcome) {
	for _, one := range r.Rules {
		if one.Outcome != outcome {
			continue
		}
		fmt.Fprintf(s.out, "%s  %s %s (%s)\n", s.paint(outcome, words[outcome]), one.Level, one.ID, one.Clause)
		fmt.Fprintf(s.out, "      %s.\n      %s\n", one.Title, oneLine(one.Message))
		if outcome != report.Inconclusive {
			fmt.Fprintf(s.out, "      fix: %s\n", one.Fix)
		}
		fmt.Fprintln(s.out)
	}
}

func leftover(l report.Leftover) string {
	text := l.Kind
	if l.Code != "" {
		text += fmt.Sprintf(" %q", l.Code)
	}
	text += fmt.Sprintf(" of product %q, option %q, slot %q at %s: %s", l.ProductID, l.OptionID, l.AvailabilityID, l.Start, l.Reason)
	if l.ExpiresAt != "" {
		text += "; it expires at " + l.ExpiresAt
	}
	return oneLine(text)
}

// reports says where the reports are.
func (s *screen) reports(files []string) {
	for _, file := range files {
		fmt.Fprintf(s.out, "wrote %s\n", file)
	}
}

// oneLine keeps a partner's text from drawing on the terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}
