package console

import (
	"embed"
	"fmt"
	"html/template"
	"sync"

	"partnerkit.dev/internal/webui"
)

var (
	//go:embed page/*.html
	files embed.FS
	//go:embed page/style.css
	ownStyle string
	//go:embed page/script.js
	ownScript string
)

// icon is the letter M.
var icon = webui.Icon("M4 11V5l4 4 4-4v6", "1.7")

// asset is what every page is made of.
type asset struct {
	templates *template.Template
	policy    string
}

// assets panics where the embedded files are wrong: the first test would.
var assets = sync.OnceValue(func() asset {
	style := webui.Style(ownStyle)
	functions := template.FuncMap{
		"plural": plural,
		"script": func() template.JS { return template.JS(ownScript) },
		"head": func(page string) webui.Head {
			return webui.Head{Title: page + " · mockpartner", Icon: icon, Style: template.CSS(style)}
		},
	}
	return asset{
		templates: template.Must(webui.Templates(files, functions)),
		policy: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; connect-src 'self'; img-src data:; "+
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'", webui.HashSource(style), webui.HashSource(ownScript)),
	}
})
