package console

import (
	"bytes"
	"net/http"

	"partnerkit.dev/mockpartner/internal/sandbox"
)

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
