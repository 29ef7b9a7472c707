// Package console is the page of a sandbox for people, at /_mock/: what was said,
// what is held and booked, its slots as a grid, its clock, and everything that
// makes it misbehave.
//
// The page is rendered here, whole, from what is in the sandbox. Its script only
// fetches it again and puts in what has changed, so that without a script the
// page shows and does the same. Each control is a form that stands for one call
// of the control API; the page makes that call and no other, and shows the curl
// line that would.
package console

import (
	"bytes"
	"net/http"

	"partnerkit.dev/mockpartner/internal/sandbox"
)

// Config is what a console works on.
type Config struct {
	Sandboxes *sandbox.Registry
	// API answers the control API's calls, for the sandbox of the request's context.
	API http.Handler
	// Path is where the control API lies below a sandbox, such as /_mock.
	Path string
	// Token reports that callers of the API from outside must present one.
	Token bool
}

// Console answers with pages. It is safe for concurrent use.
type Console struct{ Config }

// New returns a console.
func New(c Config) *Console { return &Console{c} }

// Show answers with the page of the sandbox.
func (c *Console) Show(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox) {
	c.show(w, r, box, http.StatusOK, refused{})
}

func (c *Console) show(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox, status int, last refused) {
	b := builder{console: c, request: r, box: box, choice: choiceOf(r.URL.Query()), refused: last}
	write(w, status, "page.html", b.page())
}

// SignIn answers with a page that asks for the control token, and says what was
// wrong with the one before.
func (c *Console) SignIn(w http.ResponseWriter, wrong string) {
	write(w, http.StatusUnauthorized, "signin.html", map[string]any{"Wrong": wrong})
}

// write answers with a page. Nothing runs in it but its own script, nobody frames
// it and nobody keeps it.
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
	// A caller that has gone away is nobody to tell of a failed write.
	_, _ = w.Write(text.Bytes())
}
