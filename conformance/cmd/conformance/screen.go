package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"partnerkit.dev/conformance/report"
)

// screen shows a run to a person: each failure when it is found, a summary, and a progress bar if
// the output is a terminal.
type screen struct {
	out     io.Writer
	colour  bool
	width   int                       // of the longest name
	columns int                       // of the terminal; 0: lines may be of any length
	bar     *progressbar.ProgressBar  // nil if the output is not a terminal
	redact  func(string) string       // removes the key
	verbose bool                      // every rule gets a line
	judged  map[string]report.Outcome // of the rules already shown
	room    int                       // lines left for the lists of a summary
}

// newScreen returns a screen for items with these names. doing is a word for what is done with
// them.
func newScreen(out io.Writer, redact func(string) string, names []string, doing string) *screen {
	s := &screen{out: out, redact: redact, judged: map[string]report.Outcome{}}
	for _, name := range names {
		s.width = max(s.width, len(name))
	}
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	s.columns, _, _ = term.GetSize(int(file.Fd()))
	s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	s.bar = progressbar.NewOptions(len(names),
		progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(30), progressbar.OptionShowCount(),
		progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription(doing))
	return s
}

// printf writes to the screen. It ignores errors: a run must release its holds even if its output
// is closed.
func (s *screen) printf(format string, args ...any) {
	fmt.Fprint(s.out, s.redact(fmt.Sprintf(format, args...)))
}

// note writes a line with text from outside, unless the text is empty.
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

// step shows something above the bar and advances the bar. Errors of the bar are ignored.
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

// oneLine prevents text from outside from controlling the terminal: line breaks, control characters
// and marks that change the direction of text become spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
}
