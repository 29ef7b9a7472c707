package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"sync"
	"unicode/utf8"

	"partnerkit.dev/internal/webui"
)

//go:embed page
var pageFiles embed.FS

// HTML returns r as one page for people, which needs no network and no other
// file. All that a partner sent stands in it as text; a content security policy
// lets nothing run but the page's own script, without which it reads as well.
func HTML(r *Result) ([]byte, error) {
	assets, err := loadAssets()
	if err != nil {
		return nil, fmt.Errorf("write the report as HTML: %w", err)
	}
	var out bytes.Buffer
	page, err := newPage(complete(r), assets)
	if err == nil {
		err = assets.template.ExecuteTemplate(&out, "page.html", page)
	}
	if err != nil {
		return nil, fmt.Errorf("write the report as HTML: %w", err)
	}
	return legible(out.Bytes()), nil
}

// assets is what every page is made of.
type assets struct {
	template *template.Template
	head     webui.Head // but for its title
	script   template.JS
}

var loadAssets = sync.OnceValues(func() (*assets, error) {
	t, err := webui.Templates(pageFiles, template.FuncMap{
		"bytes": size, "duration": duration, "label": label, "ms": Milliseconds, "plural": plural, "thousands": thousands,
		"took":    func(ms int64) string { return Milliseconds(float64(ms)) },
		"shorten": func(s string) string { return shorten(s, maxText) },
	})
	if err != nil {
		return nil, err
	}
	style, err := webui.Style(pageFiles)
	if err != nil {
		return nil, err
	}
	script, err := pageFiles.ReadFile("page/script.js")
	if err != nil {
		return nil, err
	}
	policy := fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", webui.HashSource(style), webui.HashSource(script))
	return &assets{template: t, head: webui.Head{Style: template.CSS(style), Policy: policy}, script: template.JS(script)}, nil
})

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
		case r <= 0x9F, turnsText(r):
			return utf8.RuneError
		}
		return r
	}, page)
}

// turnsText reports whether r is one of Unicode's directional formatting
// characters, with which a text can pose as another.
func turnsText(r rune) bool {
	return r == 0x061C || r >= 0x200E && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
