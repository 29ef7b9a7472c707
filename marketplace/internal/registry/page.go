package registry

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"sync"
	"time"

	"partnerkit.dev/internal/webui"
)

var (
	//go:embed page/registry.html
	files embed.FS
	//go:embed page/style.css
	ownStyle string
)

// Page is a page of the registry. Its links are relative, so it may be served at any path.
type Page struct {
	Address string // the marketplace's, for the command that verifies an entry
	Words   string // that the names contain; "": any
	Entries []Entry
	Later   bool   // it is not the first page
	Next    string // the cursor of the next page; "": it is the last one
}

// icon shows a seal with a check mark.
var icon = webui.Icon("M4.5 8.2l2.4 2.4 4.6-5", "1.8")

// style is the style sheet of the page, which it contains.
var style = sync.OnceValue(func() string { return webui.Style(ownStyle) })

// pages panics if the embedded page is invalid, which the tests would find.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(webui.Templates(files, template.FuncMap{
		"day": func(at time.Time) string { return at.UTC().Format(time.DateOnly) },
	}))
})

// Policy returns the page's content security policy. It needs no script, and shows badges.
func Policy() string {
	return fmt.Sprintf("default-src 'none'; style-src %s; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", webui.HashSource(style()))
}

// HTML renders the page.
func (p Page) HTML() ([]byte, error) {
	var text bytes.Buffer
	err := pages().ExecuteTemplate(&text, "registry.html", p)
	return text.Bytes(), err
}

// Head returns the data for the page's head.
func (p Page) Head() webui.Head {
	title := "Certified partners"
	if p.Words != "" {
		title = "“" + p.Words + "” · " + title
	}
	return webui.Head{Title: title, Icon: icon, Style: template.CSS(style())}
}

// FirstPage returns the address of the first page.
func (p Page) FirstPage() string { return p.address("") }

// NextPage returns the address of the next page.
func (p Page) NextPage() string { return p.address(p.Next) }

func (p Page) address(cursor string) string {
	query := url.Values{}
	for name, value := range map[string]string{"q": p.Words, "cursor": cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return "registry"
	}
	return "registry?" + query.Encode()
}
