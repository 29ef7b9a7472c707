// Package control is a mock's control API, /_mock/: it moves the clocks, shows
// what is inside the sandboxes, and makes and deletes them.
//
// Everything is JSON. A refusal is {"message": …}, naming what is wrong and the
// way out. What concerns one sandbox is found below that sandbox, at
// /s/{name}/_mock/, and for the sandbox "default" at /_mock/.
package control

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/mockpartner/internal/console"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// Path is where the control API lies, below a sandbox.
const Path = "/_mock"

// ConsolePath is where a sandbox's page for people lies, below a sandbox.
const ConsolePath = Path + "/"

// Config is what the control API works on.
type Config struct {
	Sandboxes *sandbox.Registry
	Token     string       // what callers must present; empty: loopback only
	Partner   []Route      // the partner endpoints, to be listed
	Metrics   http.Handler // GET /_mock/metrics
}

type api struct {
	Config
	console *console.Console
	session string // what the cookie of a browser holds that was let in
}

// New returns the control API. Requests come with their sandbox: WithSandbox.
func New(c Config) http.Handler {
	a := &api{Config: c, session: rand.Text()}
	router := reply.NewRouter()
	for _, o := range operations(a) {
		router.Handle(o.Path, o.handle).Methods(o.Method)
	}
	router.HandleFunc(Path, toConsole).Methods(http.MethodGet)
	a.console = console.New(console.Config{Sandboxes: c.Sandboxes, API: router, Path: Path, Token: c.Token != ""})
	return ownPagesOnly(a.guarded(router))
}

type sandboxKey struct{}

// WithSandbox returns the request with the sandbox that it is for.
func WithSandbox(r *http.Request, box *sandbox.Sandbox) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), sandboxKey{}, box))
}

func sandboxOf(r *http.Request) *sandbox.Sandbox {
	return r.Context().Value(sandboxKey{}).(*sandbox.Sandbox)
}

// NoSandbox answers a request for a sandbox that does not exist.
func NoSandbox(w http.ResponseWriter, name string) {
	reply.Message(w, http.StatusNotFound, "there is no sandbox %q: POST %s/sandboxes {\"name\": …} makes one", name, Path)
}

func refused(w http.ResponseWriter, err error) bool {
	is := func(kinds ...error) bool {
		return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	}
	status := http.StatusBadRequest
	switch {
	case err == nil:
		return false
	case is(script.ErrTaken, script.ErrFull, script.ErrQuirkTaken, sandbox.ErrSeed, sandbox.ErrTooManySaved, webhook.ErrClosed):
		status = http.StatusConflict
	case is(defects.ErrNoDefect, defects.ErrNoVariant, sandbox.ErrNoSnapshot):
		status = http.StatusNotFound
	}
	reply.Message(w, status, "%v", err)
	return true
}

const maxBody = 1 << 20

func readOptional(w http.ResponseWriter, r *http.Request, value any) bool {
	return r.ContentLength == 0 || read(w, r, value)
}

// read decodes the body into value, or answers what is wrong with it. Unknown
// fields are errors: a misspelt one must not pass for done.
func read(w http.ResponseWriter, r *http.Request, value any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(value)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("want one JSON object, got more after its end")
		}
	}
	switch tooLarge := (*http.MaxBytesError)(nil); {
	case err == nil:
		return true
	case errors.As(err, &tooLarge):
		reply.Message(w, http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	case errors.Is(err, io.EOF):
		reply.Message(w, http.StatusBadRequest, "want a JSON object, got no body")
	default:
		reply.Message(w, http.StatusBadRequest, "the body cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return false
}
