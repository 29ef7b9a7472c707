package registry

import (
	"fmt"
	"html"
	"time"
	"unicode/utf8"
)

// The colours of a badge, on which white text is readable.
const (
	badgeDark  = "#3d4852"
	badgeGood  = "#176b3e"
	badgeMuted = "#56626f"
)

// The width of a letter of a badge, and of the space beside a text.
const (
	letterWidth = 6.6
	badgeSpace  = 8
)

// longestVersion is the number of letters of a contract version that a badge has room for.
const longestVersion = 20

// Badge returns an image in SVG that says until when an integration is certified, or that it is not.
func (e Entry) Badge() []byte {
	left, right, colour := "contract", "not certified", badgeMuted
	if e.Certificate != "" {
		left, right, colour = "contract "+firstLetters(e.ContractVersion, longestVersion), "conformant until "+e.ValidUntil.UTC().Format(time.DateOnly), badgeGood
	}
	at, width := textWidth(left), textWidth(left)+textWidth(right)
	title := html.EscapeString(left + " · " + right)
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="22" viewBox="0 0 %[1]d 22" role="img" aria-label="%[2]s">
<title>%[2]s</title>
<clipPath id="r"><rect width="%[1]d" height="22" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="%[3]d" height="22" fill="%[4]s"/><rect x="%[3]d" width="%[5]d" height="22" fill="%[6]s"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11"><text x="%[7]d" y="15" textLength="%[8]d" lengthAdjust="spacingAndGlyphs">%[9]s</text><text x="%[10]d" y="15" textLength="%[11]d" lengthAdjust="spacingAndGlyphs">%[12]s</text></g>
</svg>
`, width, title, at, badgeDark, width-at, colour,
		badgeSpace, at-2*badgeSpace, html.EscapeString(left), at+badgeSpace, width-at-2*badgeSpace, html.EscapeString(right))
}

// textWidth returns the width of a text with the space around it.
func textWidth(text string) int {
	return int(letterWidth*float64(utf8.RuneCountInString(text))) + 2*badgeSpace
}

func firstLetters(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}
