// Package control is a mock's control API, /_mock/. It moves the clocks, shows the state of the
// sandboxes, and creates and deletes them.
//
// Everything is JSON. A refusal is {"message": …}, which names the problem and what to do. The API
// of one sandbox is below that sandbox, at /s/{name}/_mock/, and for the sandbox "default" at
// /_mock/.
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

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/console"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// Path is the path of the control API, below a sandbox.
const Path = "/_mock"

// ConsolePath is the path of a sandbox's web page, below a sandbox.
const ConsolePath = Path + "/"

// Config configures the control API.
type Config struct {
	Sandboxes *sandbox.Registry
	Token     string       // the token that callers must present; empty means loopback only
	Partner   []Route      // the partner endpoints, to be listed
	Metrics   http.Handler // GET /_mock/metrics
}

type api struct {
	Config
	console *console.Console
	session string // the cookie value of a browser that is signed in
}

// New returns the control API. Requests must carry their sandbox: see WithSandbox.
func New(c Config) http.Handler {
	a := &api{Config: c, session: rand.Text()}
	router := reply.NewRouter()
	for _, o := range operations() {
		router.Handle(o.Path, a.handler(o.handle)).Methods(o.Method)
	}
	router.Handle(Path, a.handler(toConsole)).Methods(http.MethodGet)
	a.console = console.New(console.Config{Sandboxes: c.Sandboxes, API: router, Path: Path, Token: c.Token != ""})
	return ownPagesOnly(a.requireToken(router))
}

// call is a request of the API, for a sandbox.
type call struct {
	*api
	w   http.ResponseWriter
	r   *http.Request
	box *sandbox.Sandbox
}

// handler handles a call and returns its result. The result is sent as JSON with status 200, unless
// it is an answer. A nil result means that the call was already answered.
type handler func(*call) (any, error)

// answer is a value with a status.
type answer struct {
	status int
	value  any
}

// keys is an answer with arbitrary keys.
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

// statuses maps errors without a status of their own to a status. The default is 400.
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

// withStatus gives an error a status.
func withStatus(status int, err error) error {
	if err == nil {
		return nil
	}
	return reply.Refuse(status, "%v", err)
}

// aboutSlot gives a platform's error about a slot its status.
func aboutSlot(err error) error {
	if refusal := (*platform.Refusal)(nil); errors.As(err, &refusal) && refusal.Kind == platform.UnknownID {
		return withStatus(http.StatusNotFound, err)
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

// parseBody reads and parses the body.
func parseBody[T any](c *call, most int64, parse func(name string, text []byte) (T, error)) (value T, err error) {
	text, err := reply.ReadBody(c.w, c.r, most)
	if err != nil {
		return value, err
	}
	return parse("body", text)
}

// readOptional decodes the body, if there is one.
func readOptional[T any](c *call) (value T, err error) {
	if c.r.ContentLength == 0 {
		return value, nil
	}
	return read[T](c)
}

// read decodes the body. Unknown fields are errors, so that a misspelt one is not silently ignored.
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
