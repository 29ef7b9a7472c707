package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"partnerkit.dev/internal/safetext"
)

// printer prints the demo: on the screen, and without colours in the transcript.
//
// A step has a numbered title. Below it, a column shows the HTTP status of each call, or "ok" for
// what was verified. Then follow the called service and the request.
type printer struct {
	screen, transcript io.Writer
	width              int // of the screen, in characters
	colour             bool
	last               call // is printed when its number is known
	times              int
	read               map[call]bool // in this step: a repeated read is printed once
}

// call is a printed request and its answer.
type call struct {
	status int    // 0: no answer
	whom   string // the called service
	what   string
}

// usualWidth is the width if the output is not a terminal.
const usualWidth = 80

// newPrinter returns a printer for the screen. It uses colours on a terminal, unless the user
// disabled them.
func newPrinter(screen, transcript io.Writer) *printer {
	t := &printer{screen: screen, transcript: transcript, width: usualWidth}
	if file, ok := screen.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		t.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			t.width = width
		}
	}
	return t
}

// Colours, as ANSI codes.
const (
	plain = ""
	bold  = "1"
	dim   = "2"
	green = "32"
	red   = "1;31"
	cyan  = "36"
)

const (
	callee     = 13 // width of the called service's name
	wideEnough = 60 // the minimum width for that column
	// narrowest is the minimum width to which text is fitted. A narrower terminal breaks lines
	// itself.
	narrowest = 40
)

func (t *printer) chapter(title string) {
	t.flush()
	t.write("", "")
	t.write(cyan, title)
}

func (t *printer) step(number int, title string) {
	t.flush()
	t.read = map[call]bool{}
	t.write("", "")
	t.line(fmt.Sprintf("%3d  ", number), bold, bold, title)
}

// printCommand prints a command.
func (t *printer) printCommand(command string) {
	t.flush()
	t.line(fmt.Sprintf("%8s  ", "run"), dim, dim, command)
}

// printCall prints a request and its answer.
func (t *printer) printCall(status int, whom, what string) {
	made := call{status, whom, what}
	if t.read[made] {
		return
	}
	if strings.HasPrefix(what, "GET ") {
		t.read[made] = true
	}
	if t.times == 0 || t.last != made {
		t.flush()
		t.last = made
	}
	t.times++
}

// flush prints the pending calls.
func (t *printer) flush() {
	if t.times == 0 {
		return
	}
	status, what := "none", t.last.what
	if t.last.status != 0 {
		status = strconv.Itoa(t.last.status)
	}
	if t.times > 1 {
		what += fmt.Sprintf("  (%d times)", t.times)
	}
	t.times = 0
	before := fmt.Sprintf("%8s  ", status)
	if t.width < wideEnough {
		what = t.last.whom + " " + what
	} else {
		before += fmt.Sprintf("%-*s", callee, t.last.whom)
	}
	t.line(before, dim, dim, what)
}

// holds prints a verified fact.
func (t *printer) holds(fact string) {
	t.flush()
	t.line(fmt.Sprintf("%8s  ", "ok"), green, plain, fact)
}

// fails prints an error.
func (t *printer) fails(err error) {
	t.flush()
	t.line(fmt.Sprintf("%8s  ", "FAIL"), red, red, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// line prints a text with a prefix on its first line. The other lines are indented by the prefix's
// width.
func (t *printer) line(before, beforeColour, colour, text string) {
	indent := utf8.RuneCountInString(before)
	for i, part := range wrapText(safetext.Line(text), max(t.width, narrowest)-indent) {
		if i > 0 {
			before, beforeColour = strings.Repeat(" ", indent), plain
		}
		fmt.Fprintln(t.screen, t.paint(beforeColour, before)+t.paint(colour, part))
		fmt.Fprintln(t.transcript, before+part)
	}
}

// write prints a line unchanged.
func (t *printer) write(colour, text string) {
	fmt.Fprintln(t.screen, t.paint(colour, text))
	fmt.Fprintln(t.transcript, text)
}

func (t *printer) paint(colour, text string) string {
	if !t.colour || colour == plain || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// wrapText breaks a text into lines of at most width characters. It breaks at a space, or after a
// separator of an address if that fills the line better, otherwise anywhere.
func wrapText(text string, width int) (lines []string) {
	for utf8.RuneCountInString(text) > width {
		most := len(string([]rune(text)[:width]))
		end := strings.LastIndexByte(text[:most+1], ' ') // the space itself may exceed the width
		if end < most/2 {
			end = max(end, strings.LastIndexAny(text[:most], "/?&,")+1)
		}
		if end <= 0 {
			end = most
		}
		lines = append(lines, strings.TrimRight(text[:end], " "))
		text = strings.TrimLeft(text[end:], " ")
	}
	return append(lines, text)
}
