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

	"partnerkit.dev/marketplace/internal/auth"
)

// requestIDHeader tells requests from each other, here and at the caller's.
const requestIDHeader = "X-Request-Id"

// saneID is what a caller's own id may look like: anything else could break a log.
var saneID = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

// exchange is one request under way, as the log and the metrics see it. It stands
// before the answer's writer, and is found in the request's context.
type exchange struct {
	http.ResponseWriter
	id     string
	route  *served // nil: no route fits
	plain  bool    // the path holds nothing but what the route says, and ids
	who    auth.Identity
	status int // 0: nothing has been answered yet
	bytes  int64
	values []string   // of headers
	room   [10]string // for as many as a read has
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

func requestID(ctx context.Context) string { return exchangeOf(ctx).id }

// set sets a header by its canonical name, as http.Header's own Set does, but for the
// memory that it takes for each.
func (x *exchange) set(name, value string) {
	if x.values == nil {
		x.values = x.room[:0]
	}
	x.values = append(x.values, value)
	last := len(x.values)
	x.Header()[name] = x.values[last-1 : last : last]
}

// WriteHeader notes the status.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write notes how much is answered.
func (x *exchange) Write(body []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(body)
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController through.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// withExchange gives every request an id, or keeps its own, answers with it, and counts
// and logs what came of the request.
func (a *API) withExchange(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := a.now()
		x := &exchange{ResponseWriter: w, id: r.Header.Get(requestIDHeader)}
		if x.id == "" || !saneID.MatchString(x.id) {
			x.id = newRequestID()
		}
		x.set(requestIDHeader, x.id)
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		next.ServeHTTP(x, r)
		if x.status >= http.StatusInternalServerError && r.Context().Err() != nil {
			x.status = callerGone
		}
		ended := a.now()
		took := ended.Sub(began)
		route := x.route
		if route == nil {
			route = a.unknown
		}
		route.counters.Answered(x.status, took)
		a.logExchange(r, x, route, ended, took)
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

// callerGone is what the log and the metrics say of a caller who did not wait for the
// answer: it is no failure of the service's. Nobody is answered so.
const callerGone = 499

// slow is from when on a request is worth a warning, one that waits for a partner too.
const slow = 2 * time.Second

// logExchange writes a line about a request. Of what the caller sent there is nothing
// that could be a secret: the path only where it is made of ids.
func (a *API) logExchange(r *http.Request, x *exchange, route *served, ended time.Time, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case x.status >= http.StatusInternalServerError, took >= slow:
		level = slog.LevelWarn
	case route.quiet:
		level = slog.LevelDebug
	}
	if !a.log.Enabled(r.Context(), level) {
		return
	}
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs, slog.String("request_id", x.id), slog.String("route", route.name), slog.Int("status", x.status),
		slog.Int64("bytes", x.bytes), slog.Float64("duration_ms", float64(took.Microseconds())/1000), slog.String("remote", r.RemoteAddr))
	if x.plain {
		attrs = append(attrs, slog.String("path", r.URL.Path))
	}
	if x.who.Role != "" {
		attrs = append(attrs, slog.String("account_id", x.who.Account.String()), slog.String("role", string(x.who.Role)))
	}
	// The logger itself would look at the clock again, and for the line of code that it
	// is called from.
	line := slog.NewRecord(ended, level, "request", 0)
	line.AddAttrs(attrs...)
	_ = a.log.Handler().Handle(r.Context(), line) // as the logger does
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
