package console

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"sync"
)

//go:embed page
var files embed.FS

// asset is what every page is made of.
type asset struct {
	templates *template.Template
	policy    string
}

// assets panics where the embedded files are wrong: the first test would.
var assets = sync.OnceValue(func() asset {
	style, styleHash := inline("style", "page/style.css")
	script, scriptHash := inline("script", "page/script.js")
	functions := template.FuncMap{
		"plural": plural,
		"script": func() template.HTML { return script },
		"style":  func() template.HTML { return style },
	}
	return asset{
		templates: template.Must(template.New("").Funcs(functions).ParseFS(files, "page/*.html")),
		policy: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; connect-src 'self'; img-src data:; "+
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'", styleHash, scriptHash),
	}
})

// inline returns an embedded file as an element of that name, and the hash by
// which a content security policy knows it.
func inline(element, file string) (template.HTML, string) {
	text, err := files.ReadFile(file)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(text)
	return template.HTML("<" + element + ">" + string(text) + "</" + element + ">"),
		"'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
