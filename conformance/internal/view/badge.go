package view

import (
	"fmt"
	"html"

	"partnerkit.dev/conformance/report"
)

const (
	badgeLabel   = "partner contract"
	badgePadding = 7 // pixels beside the text
)

// badgeSVG is a badge of two fields, as in READMEs.
const badgeSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[2]s: %[3]s">
<title>%[4]s</title>
<clipPath id="round"><rect width="%[1]d" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)"><rect width="%[5]d" height="20" fill="#3d4650"/><rect x="%[5]d" width="%[6]d" height="20" fill="%[7]s"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
<text x="%[8]d" y="14" textLength="%[9]d">%[2]s</text>
<text x="%[10]d" y="14" textLength="%[11]d">%[3]s</text>
</g>
</svg>
`

// drawBadge returns the verdict as a small picture: "conformant", and how many of the judged rules
// passed. It contains no text of the partner.
func drawBadge(r *report.Result) ([]byte, error) {
	says, colour := badgeWords(r.Completed())
	labelText, saysText := textWidth(badgeLabel), textWidth(says)
	label, field := labelText+2*badgePadding, saysText+2*badgePadding
	return fmt.Appendf(nil, badgeSVG, label+field, badgeLabel, says, html.EscapeString(badgeLabel+": "+checksumWords(r)),
		label, field, colour, label/2, labelText, label+field/2, saysText), nil
}

func badgeWords(r *report.Result) (says, colour string) {
	judged := r.Summary[report.Passed] + r.Summary[report.Failed] + r.Summary[report.Warned] + r.Summary[report.Known]
	share := fmt.Sprintf(" %d/%d", r.Summary[report.Passed], judged)
	switch {
	case r.LimitScale != 0:
		return "not measured: limits scaled", "#66727f"
	case r.Verdict == report.Conformant && r.Summary[report.Known] > 0:
		return "conformant except for known failures" + share, "#8c5600"
	case r.Verdict == report.Conformant:
		return "conformant" + share, "#1a7445"
	case r.Verdict == report.Partial:
		return "partial" + share, "#66727f"
	case r.Verdict == report.Nonconformant:
		return "not conformant" + share, "#b3261e"
	default:
		return "not judged", "#66727f"
	}
}

// textWidth estimates the width of words, in pixels of an 11 px Verdana. The viewer's font is
// stretched to it.
func textWidth(words string) int {
	width := 0.0
	for _, char := range words {
		switch char {
		case 'i', 'j', 'l', ' ', ':', '/', 't', 'f', 'r':
			width += 4.3
		case 'm', 'w':
			width += 10
		default:
			width += 6.9
		}
	}
	return int(width)
}
