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
	"partnerkit.dev/conformance/internal/view"
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

// note writes a line about a stranger's text, unless that is empty.
func (s *screen) note(format, text string) {
	if text != "" {
		s.printf(format, oneLine(text))
	}
}

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

func (s *screen) finish() {
	if s.bar != nil {
		_ = s.bar.Finish()
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

// The words of the outcomes, all of one width.
var words = map[report.Outcome]string{
	report.Passed: "pass", report.Failed: "FAIL", report.Warned: "warn", report.Known: "know", report.Skipped: "skip",
	report.NotApplicable: "n/a ", report.Blocked: "blkd", report.Inconclusive: "open",
}

func (s *screen) begin(config suite.Config) {
	s.printf("judging %s (%s key) by %d of %d rules\n", config.BaseURL.Redacted(), config.AuthType, len(config.Judged()), len(rule.All()))
	s.plan(config.Plan())
	if config.LimitScale != 1 {
		s.printf("the contract's limits are multiplied by %g: this run proves nothing about them\n", config.LimitScale)
	}
	s.printf("\n")
}

func (s *screen) rule(r report.RuleResult) {
	s.step(func() {
		s.printf("%s  %-6s  %-*s  %s\n", s.paint(r.Outcome, words[r.Outcome]), r.Level, s.width, r.ID, r.Title)
		s.note("              known: %s\n", r.Known)
		if r.Outcome == report.Failed || r.Outcome == report.Warned || r.Outcome == report.Known {
			s.printf("              %s\n", oneLine(r.Message))
		}
	})
}

func (s *screen) waiting(until time.Time) {
	s.above(func() { s.printf("waiting until %s for a hold to expire\n", until.Local().Format(time.TimeOnly)) })
}

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
	if len(r.NotUndone) > 0 {
		s.note("'conformance cleanup %s' tries it again\n", r.Ledger)
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

func (s *screen) list(r *report.Result, outcome report.Outcome) {
	for _, one := range r.Rules {
		if one.Outcome != outcome {
			continue
		}
		s.printf("%s  %s %s (%s)\n", s.paint(outcome, words[outcome]), one.Level, one.ID, one.Clause)
		s.printf("      %s.\n      %s\n", one.Title, oneLine(one.Message))
		s.note("      known: %s\n", one.Known)
		s.note("      picture: %s, in the report's folder\n", one.Picture)
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

func (s *screen) reports(files []string) {
	for _, file := range files {
		s.printf("wrote %s\n", file)
	}
}

func (s *screen) times(all []report.Latency) {
	if len(all) == 0 {
		return
	}
	const row = "%-14s %6v %9s %9s %9s %9s%s\n"
	s.printf(row, "answer times", "calls", "median", "95%", "worst", "limit", "")
	ms := view.Milliseconds
	for _, l := range all {
		s.printf(row, l.Endpoint, l.Calls, ms(l.MedianMS), ms(l.P95MS), ms(l.WorstMS), ms(l.HealthyLimitMS), givenUp(l))
	}
	s.printf("\n")
}

// givenUp says how many calls the marketplace would not have waited for, or nothing
// where it would for all.
func givenUp(l report.Latency) string {
	if l.OverHealthy == 0 {
		return ""
	}
	return fmt.Sprintf("   the marketplace would give up %d while you are HEALTHY, %d while DEGRADED", l.OverHealthy, l.OverDegraded)
}

func (s *screen) exploration(e *report.Exploration) {
	if e == nil {
		return
	}
	s.printf("%d of %d random lifecycles played, of %d steps; --explore %d --seed %d plays them again\n", e.Played, e.Stories, e.Steps, e.Stories, e.Seed)
	if e.Broken == nil {
		return
	}
	s.printf("\nthe shortest story that breaks, of %d steps at first, found by playing %d more:\n", e.Broken.Drawn, e.Broken.Tries)
	for _, slot := range e.Broken.Slots {
		s.printf("  %s\n", oneLine(slot))
	}
	for i, step := range e.Broken.Steps {
		s.printf("  %2d. %s\n      want %s\n      got  %s\n", i+1, oneLine(step.Does), oneLine(step.Want), oneLine(step.Got))
		for _, curl := range step.Curl {
			s.printf("      %s\n", oneLine(curl))
		}
	}
	s.printf("\n")
}
