// Package control is a mock's control API, /_mock/: it moves the clocks, shows
// what is inside the sandboxes, and makes and deletes them.
//
// Everything is JSON. A refusal is {"message": …}, naming what is wrong and the
// way out. What concerns one sandbox is found below that sandbox, at
// /s/{name}/_mock/, and for the sandbox "default" at /_mock/.
package control

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/sandbox"
)

// Path is where the control API lies, below a sandbox.
const Path = "/_mock"

// Config is what the control API works on.
type Config struct {
	Sandboxes *sandbox.Registry
	Token     string       // what callers must present; empty: loopback only
	Partner   []Route      // the partner endpoints, to be listed
	Metrics   http.Handler // GET /_mock/metrics
}

// api answers the control API.
type api struct {
	Config
}

// New returns the control API. Requests come with their sandbox: WithSandbox.
func New(c Config) http.Handler {
	a := &api{Config: c}
	router := reply.NewRouter()
	for _, o := range operations() {
		handler := func(w http.ResponseWriter, r *http.Request) { o.handle(a, w, r) }
		router.HandleFunc(o.Path, handler).Methods(o.Method)
	}
	// Browsers must not be made to move a developer's clock by a stranger's page.
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reply.Message(w, http.StatusForbidden, "the control API takes no changes from the pages of another site")
	}))
	return protection.Handler(a.guarded(router))
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

// guarded lets callers pass who present the token or, where there is none, who
// have come to a loopback address.
func (a *api) guarded(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + a.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.Token == "" {
			if !onLoopback(r) {
				reply.Message(w, http.StatusForbidden, "without a control token the control API answers on loopback addresses only: start the mock with --control-token")
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 && r.URL.Path != Path+"/healthz" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="control"`)
			reply.Message(w, http.StatusUnauthorized, "wrong or missing control token: send the header Authorization: Bearer <token>")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// onLoopback reports whether the request reached the mock at a loopback
// address. One without a connection, in a test, did.
func onLoopback(r *http.Request) bool {
	address, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return true
	}
	tcp, ok := address.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// maxBody bounds the body of a control request, in bytes.
const maxBody = 1 << 20

// readOptional is read for a body that may be absent.
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
