// Package webui is what all pages have in common: one style sheet, in the light and in the
// dark, and the way every page begins.
package webui

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
)

var (
	//go:embed head.html
	files embed.FS
	//go:embed webui.css
	common string
)

// Head is the beginning of a page, up to its body: {{template "head" .}} shows one.
type Head struct {
	Title  string
	Icon   template.URL // where there is one
	Style  template.CSS // what stands in the page itself,
	Sheets []string     // and where the other style sheets lie
	Policy string       // of a page that is a file, whose server cannot tell it
}

// Icon is an icon of ours: a glyph in white, as a path of SVG in 16 by 16, that a stroke of
// that width draws.
func Icon(path, width string) template.URL {
	return template.URL(fmt.Sprintf("data:image/svg+xml,%%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%%3E%%3Crect width='16' height='16' rx='4' fill='%%231d4fb8'/%%3E"+
		"%%3Cpath d='%s' fill='none' stroke='white' stroke-width='%s'/%%3E%%3C/svg%%3E", path, width))
}

// Templates are the pages page/*.html of a folder, with "head".
func Templates(folder fs.FS, functions template.FuncMap) (*template.Template, error) {
	pages, err := template.New("").Funcs(functions).ParseFS(files, "head.html")
	if err != nil {
		return nil, err
	}
	return pages.ParseFS(folder, "page/*.html")
}

// Style is the style sheet of all pages, with a page's own behind it.
func Style(own string) string { return common + own }

// HashSource is the expression by which a content security policy allows exactly this text
// in a page.
func HashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
