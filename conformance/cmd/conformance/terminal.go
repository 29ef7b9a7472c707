package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/safetext"
)

// terminal writes lines to a person.
type terminal struct {
	out     io.Writer
	colour  bool
	columns int                 // 0: lines may be of any length
	redact  func(string) string // removes the key
}

func newTerminal(out io.Writer, redact func(string) string) *terminal {
	t := &terminal{out: out, redact: redact}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		t.columns, _, _ = term.GetSize(int(file.Fd()))
		t.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return t
}

// printf writes to the terminal. It ignores errors: a run must release its holds even if its output
// is closed.
func (t *terminal) printf(format string, args ...any) {
	fmt.Fprint(t.out, t.redact(fmt.Sprintf(format, args...)))
}

// note writes a line with text from outside, unless the text is empty.
func (t *terminal) note(format, text string) {
	if text != "" {
		t.printf(format, safetext.Line(text))
	}
}

var colours = map[report.Outcome]string{
	report.Passed: "32", report.Failed: "1;31", report.Warned: "33", report.Known: "33", report.Skipped: "2",
	report.NotApplicable: "2", report.Blocked: "35", report.Inconclusive: "36",
}

func (t *terminal) paint(outcome report.Outcome, text string) string {
	if !t.colour {
		return text
	}
	return "\x1b[" + colours[outcome] + "m" + text + "\x1b[0m"
}

// outcomeWords returns an outcome in words.
func outcomeWords(o report.Outcome) string { return strings.ReplaceAll(string(o), "_", " ") }

// keepText redacts nothing, where no text can contain a secret key.
func keepText(text string) string { return text }

// say writes a line that may contain text from outside.
func say(out io.Writer, format string, args ...any) {
	fmt.Fprintln(out, safetext.Line(fmt.Sprintf(format, args...)))
}

// writeJSON writes the result of a command for programs.
func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
