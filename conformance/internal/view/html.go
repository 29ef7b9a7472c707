package view

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"sync"
	"unicode"
	"unicode/utf8"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/webui"
)

// What the page is made of.
var (
	//go:embed page/*.html
	templates embed.FS
	//go:embed page/style.css
	ownStyle string
	//go:embed page/script.js
	script string
)

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(webui.Templates(templates, template.FuncMap{
		"bytes": size, "duration": duration, "label": label, "ms": Milliseconds, "plural": plural, "thousands": thousands,
		"took":    func(ms int64) string { return Milliseconds(float64(ms)) },
		"shorten": func(s string) string { return shorten(s, maxText) },
	}))
})

// HTML returns r as one page for people, which needs no network and no other
// file. All that a partner sent stands in it as text; a content security policy
// lets nothing run but the page's own script, without which it reads as well.
func HTML(r *report.Result) ([]byte, error) {
	var out bytes.Buffer
	if err := pageTemplate().ExecuteTemplate(&out, "page.html", newPage(r.Complete())); err != nil {
		return nil, fmt.Errorf("write the report as HTML: %w", err)
	}
	return legible(out.Bytes()), nil
}

// policy allows the page its own style and script, and nothing else.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", webui.HashSource(style()), webui.HashSource(script))
}

// style is that of all pages, with what a report has of its own.
func style() string { return webui.Style(ownStyle) }

// legible makes visible what a page would hide or obey: control characters, and
// those that turn the direction of the text around them. Invalid UTF-8 becomes
// the replacement character.
func legible(page []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r >= 0x20 && r < 0x7F, r == '\n', r == '\t', r == '\r':
			return r
		case r < 0x20:
			return 0x2400 + r // the control pictures block, in the same order
		case r == 0x7F:
			return 0x2421
		case r <= 0x9F, unicode.Is(unicode.Bidi_Control, r):
			return utf8.RuneError
		}
		return r
	}, page)
}
