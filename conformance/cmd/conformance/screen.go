package main

import (
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/safetext"
)

// screen shows a run to a person: each failure when it is found, a summary, and a progress bar if
// the output is a terminal.
type screen struct {
	*terminal
	width   int                       // of the longest name
	bar     *progressbar.ProgressBar  // nil if the output is not a terminal
	verbose bool                      // every rule gets a line
	judged  map[string]report.Outcome // of the rules already shown
}

// newScreen returns a screen for items with these names. doing is a word for what is done with
// them.
func newScreen(out io.Writer, redact func(string) string, names []string, doing string) *screen {
	s := &screen{terminal: newTerminal(out, redact), judged: map[string]report.Outcome{}}
	for _, name := range names {
		s.width = max(s.width, len(name))
	}
	if file, ok := out.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	s.bar = progressbar.NewOptions(len(names),
		progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(30), progressbar.OptionShowCount(),
		progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription(doing))
	return s
}

func (s *screen) begin(config suite.Config) {
	s.printf("judging %s (%s key) by %d of %d rules\n", config.BaseURL.Redacted(), config.AuthType, len(config.RuleIDs()), len(rule.All()))
	s.plan(config.Plan())
	if config.LimitScale != 1 {
		s.printf("the contract's limits are multiplied by %g: this run proves nothing about them\n", config.LimitScale)
	}
	s.printf("\n")
}

// rule shows a judged rule. A rule that is judged again with the same outcome is not shown twice.
func (s *screen) rule(r report.RuleResult) {
	before, again := s.judged[r.ID]
	if again && before == r.Outcome {
		return
	}
	s.judged[r.ID] = r.Outcome
	show := func() { s.printFinding(r) }
	if again {
		s.printAboveBar(show)
		return
	}
	s.step(show)
}

func (s *screen) printFinding(r report.RuleResult) {
	shows := r.Outcome == report.Failed || r.Outcome == report.Warned || r.Outcome == report.Known ||
		r.ID == rule.Reachable.ID && r.Outcome != report.Passed
	switch {
	case shows:
		s.finding(r)
	case s.verbose:
		s.printf("%s  %-6s  %-*s  %s\n", s.paint(r.Outcome, pad(outcomeWords(r.Outcome), longestOutcome)), r.Level, s.width, r.ID, r.Title)
	}
}

const longestOutcome = len("not applicable")

func pad(text string, width int) string { return text + strings.Repeat(" ", max(0, width-len(text))) }

// finding shows what is wrong, how to fix it, and the call that repeats it.
func (s *screen) finding(r report.RuleResult) {
	s.printf("%s %s (%s, %s)\n", s.paint(r.Outcome, strings.ToUpper(outcomeWords(r.Outcome))), r.ID, r.Level, r.Clause)
	s.printf("  %s.\n", r.Title)
	s.note("  %s\n", r.Message)
	s.note("  Known: %s\n", r.Known)
	if r.Outcome == report.Known {
		s.printf("\n")
		return
	}
	s.printf("  Fix:    %s\n", r.Fix)
	s.note("  Picture: %s, in the report folder\n", r.Picture)
	if x := tellingCall(r); x != nil {
		s.note("  Repeat: %s\n", x.Curl)
	}
	s.printf("\n")
}

// tellingCall returns the call that causes a finding: the last one to the rule's endpoint, if possible with a marked place;
// else one with a marked place. A reading of the seats only shows what another call did.
func tellingCall(r report.RuleResult) (best *report.Exchange) {
	weight := func(x *report.Exchange) (points int) {
		if x.Endpoint == r.Endpoint {
			points += 2
		}
		if x.Response != nil && x.Response.Body.Excerpt != "" {
			points++
		}
		return points
	}
	for i := range r.Exchanges {
		if x := &r.Exchanges[i]; x.Curl != "" && (best == nil || weight(x) >= weight(best)) {
			best = x
		}
	}
	return best
}

// leastEstimated is the shortest run, in seconds, whose duration is worth a line.
const leastEstimated = 10

func (s *screen) printEstimate(e suite.Estimate) {
	if e.Seconds >= leastEstimated {
		s.printAboveBar(func() { s.printf("this run takes %s\n\n", e) })
	}
}

func (s *screen) printWait(until time.Time) {
	s.printAboveBar(func() { s.printf("waiting until %s for a hold to expire\n", until.Local().Format(time.TimeOnly)) })
}

// listening shows where the partner's webhooks are received.
func (s *screen) listening(config suite.Config) func(string) {
	return func(address string) {
		s.printAboveBar(func() {
			s.printf("webhooks are received at %s, for %s\n\n", config.Webhooks.Listen, safetext.Line(address))
		})
	}
}

// step shows something above the bar and advances the bar. Errors of the bar are ignored.
func (s *screen) step(show func()) {
	s.printAboveBar(show)
	if s.bar != nil {
		_ = s.bar.Add(1)
	}
}

// printAboveBar shows something in place of the bar, which is drawn again with the next step.
func (s *screen) printAboveBar(show func()) {
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

// end shows the result of the run.
func (s *screen) end(r *report.Result) {
	s.finish()
	if s.verbose {
		s.times(r.Latency)
	}
	(&summary{s.terminal, s.width, mostOfLists}).show(r)
}
