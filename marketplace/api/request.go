package api

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/signin"
)

// requestIDHeader tells requests from each other, here and at the caller's.
const requestIDHeader = "X-Request-Id"

// saneID is what a caller's own id may look like: anything else could break a log.
var saneID = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

// call is what is known of a request that is under way. One goes with its context, and
// is filled on the way in: a context for each thing would be a copy of the request each.
type call struct {
	id  string
	who signin.Identity // nobody until a guard has let him in
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	if known, ok := ctx.Value(callKey{}).(*call); ok {
		return known
	}
	return &call{}
}

func requestID(ctx context.Context) string { return callOf(ctx).id }

// withRequestID gives every request an id, or keeps its own, and answers with it.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if id == "" || !saneID.MatchString(id) {
			id = newRequestID()
		}
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, &call{id: id})))
	})
}

// newRequestID makes one that nobody else has. It is no secret: the system's own source
// of chance, which costs a call of it, is not needed.
func newRequestID() string {
	var id uuid.UUID
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4
	return id.String()
}

// recorder remembers what was answered, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(body []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(body)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController through.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// withLog writes a line for every request. The path is the only thing of the caller's
// in it: a query or a header may hold a secret.
func (a *API) withLog(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := a.now()
		recorded := &recorder{ResponseWriter: w}
		next.ServeHTTP(recorded, r)
		a.log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("request_id", requestID(r.Context())), slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", recorded.status), slog.Int64("bytes", recorded.bytes),
			slog.Float64("duration_ms", float64(a.now().Sub(began))/float64(time.Millisecond)))
	})
}

// withRecovery answers a panic with 500, and logs where it came from.
func (a *API) withRecovery(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch found := recover(); found {
			case nil:
			case http.ErrAbortHandler:
				panic(found) // net/http's own way to drop a connection
			default:
				a.log.ErrorContext(r.Context(), "panic", slog.String("request_id", requestID(r.Context())),
					slog.Any("panic", found), slog.String("stack", string(debug.Stack())))
				a.writeProblem(w, r, &statusError{http.StatusInternalServerError, saysInternal})
			}
		}()
		next.ServeHTTP(w, r)
	})
}
