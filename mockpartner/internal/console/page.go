package console

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
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
	write(w, status, "page.html", b.page())
}

// SignIn answers with a page that asks for the control token. wrong is the error of the previous
// attempt.
func (c *Console) SignIn(w http.ResponseWriter, wrong string) {
	write(w, http.StatusUnauthorized, "signin.html", map[string]any{"Wrong": wrong})
}

// write answers with a page. Only its own script may run in it, and it can be neither framed nor
// cached.
func write(w http.ResponseWriter, status int, name string, data any) {
	var text bytes.Buffer
	if err := assets().templates.ExecuteTemplate(&text, name, data); err != nil {
		http.Error(w, "the page cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", assets().policy)
	header.Set("X-Frame-Options", "DENY")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A failed write means that the caller has disconnected.
	_, _ = w.Write(text.Bytes())
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
	if err := c.make(r); err != nil {
		c.show(w, r, box, http.StatusUnprocessableEntity, refused{id: r.PostForm.Get("call"), message: err.Error(), form: r.PostForm})
		return
	}
	back := choiceOf(r.URL.Query()).href()
	if r.PostForm.Get("method") == http.MethodDelete && r.PostForm.Get("path") == "/sandboxes/"+box.Name() {
		back = c.Path + "/" // the current sandbox no longer exists
	}
	// Not http.Redirect: it would resolve against a path without the sandbox.
	w.Header().Set("Location", back)
	w.WriteHeader(http.StatusSeeOther)
}

func (c *Console) make(r *http.Request) error {
	method, path := r.PostForm.Get("method"), r.PostForm.Get("path")
	if !slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method) || !strings.HasPrefix(path, "/") {
		return errors.New("expected a form of this page: its method POST, PUT, PATCH or DELETE, its path one of the control API")
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
	style := webui.Style(ownStyle)
	functions := template.FuncMap{
		"plural": plural.Count, "message": messageOf,
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
