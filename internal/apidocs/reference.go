// Package apidocs shows an OpenAPI document as pages. They are rendered on the server, each once: an index of
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
	pages    map[string]func() (webui.Packed, error) // by tag, rendered at their first use; "" is the first
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
	Head     webui.Head
	Document *document
	Index    []group
	Tag      string // the only tag on the page; "" on the first page
	Sections []section
	Shared   []answer
	Words    string  // what is searched for
	Found    []entry // operations that match the words
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
		pages:    map[string]func() (webui.Packed, error){},
	}
	operations := 0
	for _, tag := range d.Tags {
		operations += len(d.calls(tag.Name))
	}
	whole := operations <= onePage
	for _, tag := range d.Tags {
		g := group{Name: tag.Name, Open: whole}
		if !whole {
			g.Href = "?tag=" + url.QueryEscape(tag.Name)
		}
		for _, op := range d.calls(tag.Name) {
			g.Entries = append(g.Entries, entry{op.Method, op.Path, op.Summary, g.Href + "#" + op.OperationID})
		}
		b.index.Index = append(b.index.Index, g)
	}
	b.pages[""] = sync.OnceValues(func() (webui.Packed, error) {
		first := b.index
		for _, tag := range d.Tags {
			if whole {
				first.Sections = append(first.Sections, r.section(d, tag))
			}
		}
		return first.pack()
	})
	if whole {
		return b, nil
	}
	for i, tag := range d.Tags {
		b.pages[tag.Name] = sync.OnceValues(func() (webui.Packed, error) {
			one := b.index.opened(i)
			one.Sections, one.Tag = []section{r.section(d, tag)}, tag.Name
			one.Head.Title = tag.Name + " · " + r.Title
			return one.pack()
		})
	}
	return b, nil
}

// section describes the operations of a tag.
func (r *Reference) section(d *document, t tag) section {
	s := section{Name: t.Name, Text: markdown(t.Description)}
	for _, op := range d.calls(t.Name) {
		v := d.view(op)
		v.Before, v.After = d.curl(&v, r.Tokens)
		s.Operations = append(s.Operations, v)
	}
	return s
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
	render, ok := b.pages[query.Get("tag")]
	if !ok {
		render = b.pages[""]
	}
	respond(w, request, render)
}

// respond answers with a page.
func respond(w http.ResponseWriter, request *http.Request, render func() (webui.Packed, error)) {
	packed, err := render()
	if err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
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
	respond(w, request, p.pack)
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
