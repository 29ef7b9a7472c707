package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/mockpartner/internal/sandbox"
)

// maxForm bounds a form, in bytes: a body of the control API, escaped.
const maxForm = 4 << 20

// Act makes the call that a form asks for, and leads back to the page; where the
// call is refused the page comes at once, and says so at the form.
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
	back := "?" + choiceOf(r.URL.Query()).query()
	if r.PostForm.Get("method") == http.MethodDelete && r.PostForm.Get("path") == "/sandboxes/"+box.Name() {
		back = c.Path + "/" // there is nothing left to come back to
	}
	// Not http.Redirect: it would resolve against a path without the sandbox.
	w.Header().Set("Location", back)
	w.WriteHeader(http.StatusSeeOther)
}

// make makes the call of a form. Its error is the refusal.
func (c *Console) make(r *http.Request) error {
	method, path := r.PostForm.Get("method"), r.PostForm.Get("path")
	if !slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method) || !strings.HasPrefix(path, "/") {
		return errors.New("want a form of this page: its method POST, PUT, PATCH or DELETE, its path one of the control API")
	}
	body, err := bodyOf(r.PostForm)
	if err != nil {
		return err
	}
	return c.ask(r, method, path, body)
}

// ask makes a call of the control API, for the sandbox of the request. Its error
// is the API's message.
func (c *Console) ask(r *http.Request, method, path, body string) error {
	request, err := http.NewRequestWithContext(r.Context(), method, "http://"+r.Host+c.Path+path, strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	answer := answer{header: http.Header{}}
	c.API.ServeHTTP(&answer, request)
	if answer.status < http.StatusBadRequest {
		return nil
	}
	var refusal struct{ Message string }
	if json.Unmarshal(answer.body.Bytes(), &refusal) != nil || refusal.Message == "" {
		return fmt.Errorf("%s %s was answered with %d", method, path, answer.status)
	}
	return errors.New(refusal.Message)
}

// answer keeps an answer.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(text []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(text)
}
