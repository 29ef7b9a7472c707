package view

import (
	"bytes"
	"fmt"
	"html/template"

	"partnerkit.dev/conformance/report"
)

// badgeLabel is what a badge is about.
const badgeLabel = "partner contract"

// badge is a picture of two fields, as they stand in READMEs.
type badge struct {
	Label, Says     string
	Colour          string
	LabelWidth      int // pixels
	SaysWidth       int
	Title           string
	LabelAt, SaysAt int // the middle of the words
}

var badgeTemplate = template.Must(template.New("badge").Parse(`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Width}}" height="20" role="img" aria-label="{{.Label}}: {{.Says}}">
<title>{{.Title}}</title>
<clipPath id="round"><rect width="{{.Width}}" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)"><rect width="{{.LabelWidth}}" height="20" fill="#3d4650"/><rect x="{{.LabelWidth}}" width="{{.SaysWidth}}" height="20" fill="{{.Colour}}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
<text x="{{.LabelAt}}" y="14" textLength="{{.LabelText}}">{{.Label}}</text>
<text x="{{.SaysAt}}" y="14" textLength="{{.SaysText}}">{{.Says}}</text>
</g>
</svg>
`))

// Badge returns the verdict as a small picture: "conformant", and how many of
// the rules that were judged hold. Nothing of a partner's stands in it.
func Badge(r *report.Result) ([]byte, error) {
	b := badge{Label: badgeLabel, Title: badgeLabel + ": " + checksumWords(r)}
	b.Says, b.Colour = badgeWords(r.Complete())
	b.LabelWidth, b.SaysWidth = textWidth(b.Label)+2*badgePadding, textWidth(b.Says)+2*badgePadding
	b.LabelAt, b.SaysAt = b.LabelWidth/2, b.LabelWidth+b.SaysWidth/2
	var out bytes.Buffer
	if err := badgeTemplate.Execute(&out, b); err != nil {
		return nil, fmt.Errorf("write the badge: %w", err)
	}
	return out.Bytes(), nil
}

// Width is that of the whole badge, in pixels.
func (b badge) Width() int { return b.LabelWidth + b.SaysWidth }

// LabelText is the width of the left words.
func (b badge) LabelText() int { return b.LabelWidth - 2*badgePadding }

// SaysText is the width of the right words.
func (b badge) SaysText() int { return b.SaysWidth - 2*badgePadding }

// badgeWords are the verdict and its colour.
func badgeWords(r *report.Result) (says, colour string) {
	judged := r.Summary[report.Passed] + r.Summary[report.Failed] + r.Summary[report.Warned] + r.Summary[report.Known]
	share := fmt.Sprintf(" %d/%d", r.Summary[report.Passed], judged)
	switch {
	case r.LimitScale != 0:
		return "not measured: limits scaled", "#66727f"
	case r.Verdict == report.Conformant && r.Summary[report.Known] > 0:
		return "conformant but for known failures" + share, "#8c5600"
	case r.Verdict == report.Conformant:
		return "conformant" + share, "#1a7445"
	case r.Verdict == report.Nonconformant:
		return "not conformant" + share, "#b3261e"
	default:
		return "not judged", "#66727f"
	}
}

const badgePadding = 7 // pixels beside the words

// textWidth estimates how wide words are, in pixels of an 11 px Verdana; the
// viewer's font is stretched to it.
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
