// Package apidocs shows an OpenAPI document as pages. They are rendered on the server, once: an index of
// the operations, and for each operation its parameters, bodies, answers, examples and a curl command.
// They work without scripts, and load nothing else.
package apidocs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/webui"
)

// Config says what a reference shows. Its URLs are relative to its page, which may be served at any path.
type Config struct {
	Title    string
	Bundle   func() ([]byte, error) // reads the document, which refers only to its own components
	Document string                 // URL of ServeDocument
	Server   string                 // URL of the API; "" if it is elsewhere
	Address  string                 // the variable for the API's address in commands, such as $MARKETPLACE
	Tokens   []Token                // of commands; the first that an operation accepts
	Links    []Link                 // to other pages, and to this one
}

// Token is a credential in commands.
type Token struct {
	Scheme   string // the security scheme
	Variable string // the environment variable with the token
}

// Link is a link to a page.
type Link struct {
	Name, To string // To is empty for the page itself
}

// Reference serves the pages of a document, and the document. It is safe for concurrent use.
type Reference struct {
	Config
	built func() (built, error)
}

// built is what has been read and rendered.
type built struct {
	document webui.Packed
	index    page
	pages    map[string]webui.Packed // by tag; "" is the first
}

// New returns a reference. The document is read at the first request.
func New(c Config) *Reference {
	r := &Reference{Config: c}
	r.built = sync.OnceValues(r.build)
	return r
}

// onePage is how many operations are shown on one page. Those of a longer document have a page for
// each tag.
const onePage = 12

// page is the data of a page.
type page struct {
	Config
	Head       webui.Head
	Document   *document
	Index      []group
	Tag        string // the only tag on the page; "" on the first page
	Sections   []section
	Shared     []answer
	Words      string  // what is searched for
	Found      []entry // operations that match the words
	Operations int     // of the document
}

// group is the operations of a tag in the index.
type group struct {
	Name    string
	Href    string
	Open    bool
	Entries []entry
}

// entry is an operation in the index.
type entry struct{ Method, Path, Summary, Href string }

// operationView is an operation on a page.
type operationView struct {
	view
	Page page
}

// section is the operations of a tag in full.
type section struct {
	Name       string
	Text       template.HTML
	Operations []view
}

func (r *Reference) build() (built, error) {
	text, err := r.Bundle()
	if err != nil {
		return built{}, err
	}
	d, err := readDocument(text)
	if err != nil {
		return built{}, fmt.Errorf("read the document of %s: %w", r.Title, err)
	}
	b := built{
		document: webui.Pack("application/yaml", text),
		index:    page{Config: r.Config, Document: d, Head: webui.Head{Title: r.Title, Icon: icon, Style: template.CSS(style)}},
		pages:    map[string]webui.Packed{},
	}
	sections := make([]section, len(d.Tags))
	for i, tag := range d.Tags {
		sections[i] = section{tag.Name, markdown(tag.Description), d.operations(tag.Name)}
		for j := range sections[i].Operations {
			v := &sections[i].Operations[j]
			v.Before, v.After = d.curl(v, r.Tokens)
		}
		b.index.Operations += len(sections[i].Operations)
	}
	whole := b.index.Operations <= onePage
	for _, s := range sections {
		g := group{Name: s.Name, Open: whole}
		if !whole {
			g.Href = "?tag=" + url.QueryEscape(s.Name)
		}
		for _, v := range s.Operations {
			g.Entries = append(g.Entries, entry{v.Method, v.Path, v.Summary, g.Href + "#" + v.OperationID})
		}
		b.index.Index = append(b.index.Index, g)
	}
	first := b.index
	if whole {
		first.Sections = sections
	}
	for i, s := range sections {
		if whole || err != nil {
			break
		}
		one := b.index.opened(i)
		one.Sections, one.Tag = []section{s}, s.Name
		one.Head.Title = s.Name + " · " + r.Title
		b.pages[s.Name], err = one.pack()
	}
	if err == nil {
		b.pages[""], err = first.pack()
	}
	return b, err
}

// opened returns the page whose index shows the operations of one group.
func (p page) opened(i int) page {
	p.Index = append([]group(nil), p.Index...)
	p.Index[i].Open = true
	return p
}

// pack renders a page.
func (p page) pack() (webui.Packed, error) {
	var all []view
	for _, s := range p.Sections {
		all = append(all, s.Operations...)
	}
	p.Shared = p.Document.shared(all)
	text, err := p.render()
	return webui.Pack("text/html; charset=utf-8", text), err
}

func (p page) render() ([]byte, error) {
	var text bytes.Buffer
	templates, err := templates()
	if err == nil {
		err = templates.ExecuteTemplate(&text, "reference.html", p)
	}
	return text.Bytes(), err
}

// HrefOf links to an operation of another one's answer.
func (p page) HrefOf(operation string) string {
	for _, g := range p.Index {
		for _, e := range g.Entries {
			if strings.HasSuffix(e.Href, "#"+operation) {
				return e.Href
			}
		}
	}
	return ""
}

// ServeHTTP answers with a page: the operations of the tag in its query, those that match the words q,
// or the first page.
func (r *Reference) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	b, err := r.built()
	if err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	query := request.URL.Query()
	if words := strings.TrimSpace(query.Get("q")); words != "" {
		r.search(w, request, b.index, words)
		return
	}
	packed, ok := b.pages[query.Get("tag")]
	if !ok {
		packed = b.pages[""]
	}
	packed.ServeHTTP(w, request)
}

// search answers with the operations whose method, path or summary has each of the words. The script
// does the same while a reader types.
func (r *Reference) search(w http.ResponseWriter, request *http.Request, p page, words string) {
	p.Words = words
	for _, g := range p.Index {
		for _, e := range g.Entries {
			if e.matches(strings.Fields(strings.ToLower(words))) {
				p.Found = append(p.Found, e)
			}
		}
	}
	packed, err := p.pack()
	if err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	packed.ServeHTTP(w, request)
}

func (e entry) matches(words []string) bool {
	text := strings.ToLower(e.Method + " " + e.Path + " " + e.Summary)
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// ServeDocument answers with the document.
func (r *Reference) ServeDocument(w http.ResponseWriter, request *http.Request) {
	b, err := r.built()
	if err != nil {
		http.Error(w, "the document cannot be read: "+err.Error(), http.StatusInternalServerError)
		return
	}
	b.document.ServeHTTP(w, request)
}

var (
	//go:embed page/*.html
	files embed.FS
	//go:embed page/style.css
	ownStyle string
)

// icon is a sheet of text.
var icon = webui.Icon("M5 5h6M5 8h6M5 11h4", "1.5")

var (
	style  = webui.Style(ownStyle)
	script = webui.Script("")
	policy = webui.Policy(style, script)
)

var templates = sync.OnceValues(func() (*template.Template, error) {
	return webui.Templates(files, template.FuncMap{
		"markdown": markdown, "plural": plural.Count, "lower": strings.ToLower,
		"script":    func() template.JS { return template.JS(script) },
		"operation": func(p page, v view) operationView { return operationView{v, p} },
	})
})
