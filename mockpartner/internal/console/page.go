package console

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/webui"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

// page is the template's data: the sandbox, arranged for display.
type page struct {
	Sandbox   string
	Base      string // base URL of the partner endpoints
	Clock     clockPanel
	Slots     slotsPanel
	Exchanges exchangesPanel
	Holds     holdsPanel
	Bookings  bookingsPanel
	Faults    faultsPanel
	Parts     []partsPanel
	Caller    callerPanel
	Webhooks  webhooksPanel
	Sandboxes sandboxesPanel
	Curls     []curlView
	Commands  string // link to the page with or without them
	Lost      string // an error whose form is no longer on the page
}

func (b *builder) page() page {
	b.inside = b.box.Platform().State()
	p := page{
		Sandbox:   b.box.Name(),
		Base:      b.base(),
		Clock:     b.clock(),
		Slots:     b.slots(),
		Exchanges: b.exchanges(),
		Holds:     b.holds(),
		Bookings:  b.bookings(),
		Faults:    b.faults(),
		Parts:     b.parts(),
		Caller:    b.caller(),
		Webhooks:  b.webhooks(),
		Sandboxes: b.sandboxes(),
	}
	p.Curls = b.curls
	other := b.choice
	other.curl = !other.curl
	p.Commands = other.href()
	if !b.placed {
		p.Lost = b.refused.message
	}
	return p
}

// Show answers with the page of the sandbox.
func (c *Console) Show(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox) {
	c.show(w, r, box, http.StatusOK, refused{})
}

func (c *Console) show(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox, status int, last refused) {
	b := builder{console: c, request: r, box: box, choice: choiceOf(r.URL.Query()), refused: last}
	write(w, r, status, "page.html", b.page())
}

// SignIn answers with a page that asks for the control token. wrong is the error of the previous
// attempt.
func (c *Console) SignIn(w http.ResponseWriter, r *http.Request, wrong string) {
	write(w, r, http.StatusUnauthorized, "signin.html", map[string]any{"Wrong": wrong})
}

// write answers with a page, or with the blocks of it that the caller lacks. Only its own script may run in it, and it can be neither framed nor
// cached.
func write(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var rendered bytes.Buffer
	err := assets().templates.ExecuteTemplate(&rendered, name, data)
	var text []byte
	if err == nil {
		text, err = stamped(rendered.Bytes(), partOf(r.URL.Query()))
	}
	if err != nil {
		http.Error(w, "the page cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", assets().policy)
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	webui.Send(w, r, status, "text/html; charset=utf-8", text)
}

// maxForm is the maximum size of a form, in bytes. It allows an escaped body of the control API.
const maxForm = 4 << 20

// Act makes a form's call, and redirects to the page. If the call fails, the page is shown
// immediately, with the error at the form.
func (c *Console) Act(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	id, target, _ := strings.Cut(r.PostForm.Get("call"), " ")
	method, path, _ := strings.Cut(target, " ")
	if err := c.make(r, method, path); err != nil {
		c.show(w, r, box, http.StatusUnprocessableEntity, refused{id: id, message: err.Error(), form: r.PostForm})
		return
	}
	back := choiceOf(r.URL.Query()).href()
	if part := r.URL.Query()["part"]; part != nil {
		back += "&" + url.Values{"part": part}.Encode()
	}
	if method == http.MethodDelete && path == "/sandboxes/"+box.Name() {
		back = c.Path + "/" // the current sandbox no longer exists
	}
	// Not http.Redirect: it would resolve against a path without the sandbox.
	w.Header().Set("Location", back)
	w.WriteHeader(http.StatusSeeOther)
}

func (c *Console) make(r *http.Request, method, path string) error {
	if !slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method) || !strings.HasPrefix(path, "/") {
		return errors.New("expected a form of this page: in call its id, its method POST, PUT, PATCH or DELETE, its path one of the control API")
	}
	body, err := bodyOf(r.PostForm)
	if err != nil {
		return err
	}
	return c.ask(r, method, path, body)
}

// ask makes a call of the control API, for the sandbox of the request. Its error is the API's
// message.
func (c *Console) ask(r *http.Request, method, path, body string) error {
	request, err := http.NewRequestWithContext(r.Context(), method, "http://"+r.Host+c.Path+path, strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	answer := reply.NewKept()
	c.API.ServeHTTP(answer, request)
	if answer.Status() < http.StatusBadRequest {
		return nil
	}
	var refusal struct{ Message string }
	if json.Unmarshal(answer.Body(), &refusal) != nil || refusal.Message == "" {
		return fmt.Errorf("%s %s was answered with %d", method, path, answer.Status())
	}
	return errors.New(refusal.Message)
}

var (
	//go:embed page/*.html
	files embed.FS
	//go:embed page/style.css
	ownStyle string
	//go:embed page/script.js
	ownScript string
)

var icon = webui.Icon("M4 11V5l4 4 4-4v6", "1.7")

type asset struct {
	templates *template.Template
	policy    string
}

// assets panics if the embedded files are invalid, which the first test would detect.
var assets = sync.OnceValue(func() asset {
	style, script := webui.Style(ownStyle), webui.Script(ownScript)
	functions := template.FuncMap{
		"plural": plural.Count, "message": messageOf,
		"script": func() template.JS { return template.JS(script) },
		"head": func(page string) webui.Head {
			return webui.Head{Title: page + " · mockpartner", Icon: icon, Style: template.CSS(style)}
		},
	}
	return asset{
		templates: template.Must(webui.Templates(files, functions)),
		policy:    webui.Policy(style, script),
	}
})
