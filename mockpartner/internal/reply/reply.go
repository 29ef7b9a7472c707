// Package reply writes the mock's JSON answers, on the partner endpoints and on the control API.
package reply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gorilla/mux"
)

// Sharer is a ResponseWriter that can keep a body without copying it.
type Sharer interface {
	// WriteShared writes a body that will never change.
	WriteShared(body []byte) (int, error)
}

// Kept is a ResponseWriter that records the answer and sends nothing.
type Kept struct {
	header http.Header
	status int
	body   []byte
	shared bool
}

// NewKept returns an answer that has not begun.
func NewKept() *Kept { return &Kept{header: http.Header{}} }

// Status returns the answer's status.
func (k *Kept) Status() int { return cmp.Or(k.status, http.StatusOK) }

// Body returns the answer's body, which must not be changed.
func (k *Kept) Body() []byte { return k.body }

func (k *Kept) Header() http.Header { return k.header }

func (k *Kept) WriteHeader(status int) {
	if k.status == 0 && status >= http.StatusOK {
		k.status = status
	}
}

func (k *Kept) Write(body []byte) (int, error) {
	if k.shared { // a shared body must not grow
		k.body, k.shared = append([]byte(nil), k.body...), false
	}
	k.body = append(k.body, body...)
	return len(body), nil
}

// WriteShared implements Sharer.
func (k *Kept) WriteShared(body []byte) (int, error) {
	if len(k.body) > 0 {
		return k.Write(body)
	}
	k.body, k.shared = body, true
	return len(body), nil
}

// Marshal renders value as readable JSON, without escaping &, < and >, and with a newline at its
// end.
func Marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.Bytes(), err
}

// Send answers with value. Bytes are rendered JSON, and must not change any more.
func Send(w http.ResponseWriter, status int, value any) {
	body, rendered := value.([]byte)
	if !rendered {
		var err error
		if body, err = Marshal(value); err != nil {
			status, body = http.StatusInternalServerError, []byte(`{"message":"the answer cannot be written as JSON"}`)
		}
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A failed write means that the caller has disconnected.
	if sharer, ok := w.(Sharer); ok {
		sharer.WriteShared(body)
		return
	}
	w.Write(body)
}

// Message answers with {"message": …}, the form of every refusal.
func Message(w http.ResponseWriter, status int, format string, args ...any) {
	Send(w, status, map[string]string{"message": fmt.Sprintf(format, args...)})
}

// Refusal is the error of a request that is answered with this status.
type Refusal struct {
	Status  int
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Refuse returns a Refusal.
func Refuse(status int, format string, args ...any) error {
	return &Refusal{status, fmt.Sprintf(format, args...)}
}

// NewRouter returns a router that does not clean paths, because codes may look like directories.
// For unknown routes it answers with JSON.
func NewRouter() *mux.Router {
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Message(w, http.StatusNotFound, "there is no path %s: GET /_mock/routes lists the paths", r.URL.EscapedPath())
	})
	router.MethodNotAllowedHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allowed := strings.Join(allowedMethods(router, r), ", ")
		w.Header().Set("Allow", allowed)
		Message(w, http.StatusMethodNotAllowed, "%s does not support %s: use %s", r.URL.EscapedPath(), r.Method, allowed)
	})
	return router
}

// allowedMethods lists the methods that the request's path accepts. mux does not provide them.
func allowedMethods(router *mux.Router, r *http.Request) []string {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := *r
		other.Method = method
		var match mux.RouteMatch
		if router.Match(&other, &match) && match.MatchErr == nil {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// ReadBody reads a request's body, which may have at most this many bytes. Its error is a *Refusal.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, Refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "the body is incomplete: %v", err)
	}
	return body, nil
}

// Segment returns the unescaped value of a path segment, which may contain escaped slashes. Its
// error is a *Refusal.
func Segment(r *http.Request, name string) (string, error) {
	value, err := url.PathUnescape(mux.Vars(r)[name])
	if err != nil {
		return "", Refuse(http.StatusBadRequest, "%s: the path segment has invalid escapes: %v", name, err)
	}
	return value, nil
}
