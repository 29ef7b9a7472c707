// Package webui is what all pages have in common: a style sheet, in light and dark, and the
// beginning of every page.
package webui

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
)

var (
	//go:embed head.html
	files embed.FS
	//go:embed webui.css
	common string
	//go:embed page.js
	script string
)

// What a browser does not need of styles and scripts.
var (
	comments = regexp.MustCompile(`(?m)^\s*//.*\n|[ \t]+// .*$|/\*.*?\*/\n?|^\s+`)
	spaces   = regexp.MustCompile(`([{;}]) +`)
)

// Head is the beginning of a page, up to its body: {{template "head" .}} renders one.
type Head struct {
	Title  string
	Icon   template.URL // may be empty
	Style  template.CSS // inline style of the page
	Sheets []string     // URLs of other style sheets
	Policy string       // for a page that is a file, whose server cannot send it
}

// Icon returns an icon: a white glyph, given as an SVG path in 16 by 16 units and drawn with a
// stroke of that width.
func Icon(path, width string) template.URL {
	return template.URL(fmt.Sprintf("data:image/svg+xml,%%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%%3E%%3Crect width='16' height='16' rx='4' fill='%%231d4fb8'/%%3E"+
		"%%3Cpath d='%s' fill='none' stroke='white' stroke-width='%s'/%%3E%%3C/svg%%3E", path, width))
}

// Templates returns the pages page/*.html of a folder, with "head".
func Templates(folder fs.FS, functions template.FuncMap) (*template.Template, error) {
	pages, err := template.New("").Funcs(functions).ParseFS(files, "head.html")
	if err != nil {
		return nil, err
	}
	return pages.ParseFS(folder, "page/*.html")
}

// Style returns the style sheet of all pages, followed by a page's own.
func Style(own string) string {
	return spaces.ReplaceAllString(comments.ReplaceAllString(common+own, ""), "$1")
}

// Script returns the script of all pages, followed by a page's own. Without it they work too.
func Script(own string) string { return comments.ReplaceAllString(script+own, "") }

// Policy returns the content security policy of a page with that style and that script, both inline. It
// may call and be sent to its own server only, and cannot be framed.
func Policy(style, script string) string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; connect-src 'self'; img-src data:; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'", HashSource(style), HashSource(script))
}

// HashSource returns the expression with which a content security policy allows exactly this text
// in a page.
func HashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
