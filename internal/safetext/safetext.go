// Package safetext prepares texts of strangers for a terminal, a log, Markdown or a comment in a file: they
// cannot move the cursor, ring, break a line, or change the direction of other text.
package safetext

import (
	"io"
	"strings"
	"unicode"
)

// Line returns a text on one line. Control characters, line breaks, and characters that have no form of their own,
// such as those that change the direction of text, become spaces.
func Line(text string) string { return strings.Map(Rune, text) }

// Lines is Line for a text that may have several lines and tabs.
func Lines(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return Rune(r)
	}, text)
}

// Rune returns a character as it may stand in a line.
func Rune(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
		return ' '
	}
	return r
}

// Writer writes texts as Lines returns them. Each write must have complete characters.
type Writer struct{ To io.Writer }

// Write implements io.Writer.
func (w Writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.To, Lines(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
