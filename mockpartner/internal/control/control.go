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

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/console"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/platform"
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
	for _, o := range operations() {
		router.Handle(o.Path, a.handler(o.handle)).Methods(o.Method)
	}
	router.Handle(Path, a.handler(toConsole)).Methods(http.MethodGet)
	a.console = console.New(console.Config{Sandboxes: c.Sandboxes, API: router, Path: Path, Token: c.Token != ""})
	return ownPagesOnly(a.guarded(router))
}

// call is a request of the API, for a sandbox.
type call struct {
	*api
	w   http.ResponseWriter
	r   *http.Request
	box *sandbox.Sandbox
}

// handler does what a call asks for, and returns what it is answered with: JSON and the
// status 200, unless it is an answer. nil is a call that has been answered.
type handler func(*call) (any, error)

// answer is a value with a status.
type answer struct {
	status int
	value  any
}

// keys is an answer with keys of its own.
type keys map[string]any

func (a *api) handler(handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, err := handle(&call{a, w, r, r.Context().Value(sandboxKey{}).(*sandbox.Sandbox)})
		given, ok := value.(answer)
		switch {
		case err != nil:
			status := statusOf(err)
			if status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", "1")
			}
			reply.Message(w, status, "%v", err)
		case ok:
			reply.Send(w, given.status, given.value)
		case value != nil:
			reply.Send(w, http.StatusOK, value)
		}
	})
}

// statuses are those of errors that do not name one themselves; others are 400.
var statuses = map[int][]error{
	http.StatusNotFound: {
		script.ErrMissing, script.ErrQuirkMissing, catalog.ErrNoProduct, defects.ErrNoDefect, defects.ErrNoVariant, sandbox.ErrMissing, sandbox.ErrNoSnapshot,
	},
	http.StatusConflict: {
		script.ErrTaken, script.ErrFull, script.ErrQuirkTaken, script.ErrNotRepeatable, catalog.ErrLastProduct, journal.ErrTooMuch, webhook.ErrOff, webhook.ErrClosed,
		sandbox.ErrTaken, sandbox.ErrKey, sandbox.ErrFull, sandbox.ErrDefault, sandbox.ErrSeed, sandbox.ErrTooManySaved,
	},
	http.StatusServiceUnavailable: {journal.ErrBusy, journal.ErrClosed, context.Canceled},
}

func statusOf(err error) int {
	if stated := (*reply.Refusal)(nil); errors.As(err, &stated) {
		return stated.Status
	}
	for status, kinds := range statuses {
		if slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) }) {
			return status
		}
	}
	return http.StatusBadRequest
}

// as gives an error a status.
func as(status int, err error) error {
	if err == nil {
		return nil
	}
	return reply.Refuse(status, "%v", err)
}

// aboutSlot gives an error of a platform about a slot its status.
func aboutSlot(err error) error {
	if refusal := (*platform.Refusal)(nil); errors.As(err, &refusal) && refusal.Kind == platform.UnknownID {
		return as(http.StatusNotFound, err)
	}
	return err
}

func (c *call) variable(name string) string { return mux.Vars(c.r)[name] }

type sandboxKey struct{}

// WithSandbox returns the request with the sandbox that it is for.
func WithSandbox(r *http.Request, box *sandbox.Sandbox) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), sandboxKey{}, box))
}

// NoSandbox answers a request for a sandbox that does not exist.
func NoSandbox(w http.ResponseWriter, name string) {
	reply.Message(w, http.StatusNotFound, "%v", noSandbox(name))
}

func noSandbox(name string) error {
	return reply.Refuse(http.StatusNotFound, "there is no sandbox %q: POST %s/sandboxes {\"name\": …} makes one", name, Path)
}

const maxBody = 1 << 20

// parsed reads the body, and what it says.
func parsed[T any](c *call, most int64, parse func(name string, text []byte) (T, error)) (value T, err error) {
	text, err := reply.Whole(c.w, c.r, most)
	if err != nil {
		return value, err
	}
	return parse("body", text)
}

// readOptional is read where there is a body.
func readOptional[T any](c *call) (value T, err error) {
	if c.r.ContentLength == 0 {
		return value, nil
	}
	return read[T](c)
}

// read decodes the body. Unknown fields are errors: a misspelt one must not pass for done.
func read[T any](c *call) (value T, err error) {
	decoder := json.NewDecoder(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&value)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("expected one JSON object, received more after its end")
		}
	}
	switch tooLarge := (*http.MaxBytesError)(nil); {
	case err == nil:
		return value, nil
	case errors.As(err, &tooLarge):
		return value, reply.Refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	case errors.Is(err, io.EOF):
		return value, errors.New("expected a JSON object, received no body")
	}
	return value, errors.New("the body cannot be read: " + strings.TrimPrefix(err.Error(), "json: "))
}
