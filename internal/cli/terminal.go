package cli

import (
	"strings"
	"unicode"
)

// OneLine prevents text from outside from controlling the terminal: line breaks, control characters
// and marks that change the direction of text become spaces.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
}
