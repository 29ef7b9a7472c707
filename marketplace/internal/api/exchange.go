package api

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// requestIDHeader identifies a request here and at the caller.
const requestIDHeader = "X-Request-Id"

// validRequestID matches acceptable ids from callers. Others could corrupt a log.
var validRequestID = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

// exchange is a request in progress, for the log and the metrics. It wraps the answer's writer and
// is in the request's context.
type exchange struct {
	http.ResponseWriter
	id          string
	route       *served // nil: no route matches
	plain       bool    // the path contains only the route's text and ids
	who         auth.Identity
	integration uuid.UUID // whose webhook it is, even with a wrong secret; zero: no webhook
	stream      bool      // the answer is a long stream
	proxied     bool      // a trusted proxy sent it
	trace       string    // its trace id; "": not traced
	status      int       // 0: no answer yet
	bytes       int64
	values      []string   // header values
	room        [12]string // initial space, enough for a read
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

func requestID(ctx context.Context) string { return exchangeOf(ctx).id }

// set sets a header by its canonical name without an allocation for each value, unlike
// http.Header's Set.
func (x *exchange) set(name, value string) {
	if x.values == nil {
		x.values = x.room[:0]
	}
	x.values = append(x.values, value)
	last := len(x.values)
	x.Header()[name] = x.values[last-1 : last : last]
}

// WriteHeader records the status.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write counts the answer's bytes.
func (x *exchange) Write(body []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(body)
	x.bytes += int64(n)
	return n, err
}

// Unwrap supports http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// served is a route as logs and metrics name it.
type served struct {
	name     string // such as GET /healthz
	path     string // such as /healthz
	quiet    bool   // called so often by machines that it is logged only at debug level
	counters *telemetry.Route
}

// handler records the route of a request.
func (s *served) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exchangeOf(r.Context()).route = s
		next.ServeHTTP(w, r)
	})
}

// recorder logs and counts requests.
type recorder struct {
	metrics *telemetry.Metrics
	traces  *telemetry.Traces
	tracer  trace.Tracer // nil: requests are not traced
	unknown *served      // for requests without a route
	proxies proxies
	now     func() time.Time
	log     *slog.Logger
}

// answer adapts a handler to http.Handler and writes its error.
func (rec recorder) answer(f handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := f(w, r); err != nil {
			writeProblem(w, r, rec.log, err)
		}
	})
}

// route records that requests take that route.
func (rec recorder) route(r route, next http.Handler) http.Handler {
	known := &served{name: r.method + " " + r.path, path: r.path, quiet: r.surface() == serviceSurface}
	known.counters = rec.metrics.Route(r.surface(), known.name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		x.route, x.plain = known, onlyIDs(mux.Vars(r))
		if rec.tracer == nil || known.quiet {
			next.ServeHTTP(w, r)
			return
		}
		rec.serveTraced(x, known, next, w, r)
	})
}

// callerTrace returns the trace that a caller names; an invalid one if it names two, of which a trusted proxy
// may have passed on one.
func callerTrace(header http.Header) trace.SpanContext {
	if differ(header.Values("Traceparent")) {
		return trace.SpanContext{}
	}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(header)))
}

// serveTraced answers a request in a span. Only a trusted proxy's trace is continued, because it also
// decides whether spans are exported. Any other trace is linked.
func (rec recorder) serveTraced(x *exchange, known *served, next http.Handler, w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	caller := callerTrace(r.Header)
	continued := caller.IsValid() && x.proxied
	if !continued && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !rec.traces.StartRead() {
		next.ServeHTTP(w, r)
		return
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		semconv.HTTPRequestMethodKey.String(r.Method), semconv.HTTPRoute(known.path), attribute.String("marketplace.request.id", x.id),
	)}
	switch {
	case continued:
		ctx = trace.ContextWithRemoteSpanContext(ctx, caller)
	case caller.IsValid():
		options = append(options, trace.WithLinks(trace.Link{SpanContext: caller}))
	}
	ctx, span := rec.tracer.Start(ctx, known.name, options...)
	defer span.End()
	if span.IsRecording() {
		x.trace = span.SpanContext().TraceID().String()
	}
	next.ServeHTTP(w, r.WithContext(ctx))
	span.SetAttributes(semconv.HTTPResponseStatusCode(x.status))
	if x.who.Role != "" {
		span.SetAttributes(attribute.String("marketplace.role", string(x.who.Role)))
	}
	if x.status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// onlyIDs reports whether all variables of a path are ids.
func onlyIDs(variables map[string]string) bool {
	for _, value := range variables {
		if !isID(value) {
			return false
		}
	}
	return true
}

// exchanges gives every request an id or keeps the caller's, returns it in the answer, and counts
// and logs the request.
func (rec recorder) exchanges(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := rec.now()
		x := &exchange{ResponseWriter: w, id: r.Header.Get(requestIDHeader)}
		if !validRequestID.MatchString(x.id) || differ(r.Header.Values(requestIDHeader)) {
			x.id = uuid.NewString()
		}
		x.set(requestIDHeader, x.id)
		x.set("X-Content-Type-Options", "nosniff")
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		x.proxied = rec.proxies.haveSent(r)
		r.RemoteAddr = rec.proxies.remote(r)
		next.ServeHTTP(x, r)
		if x.status >= http.StatusInternalServerError && r.Context().Err() != nil {
			x.status = callerGone
		}
		ended := rec.now()
		took := ended.Sub(began)
		route := x.route
		if route == nil {
			route = rec.unknown
		}
		route.counters.CountAnswer(x.status, took)
		rec.logExchange(r, x, route, ended, took)
	})
}

// callerGone is the status in logs and metrics for a caller that disconnected before the
// answer. It is not a failure of the service, and is never sent.
const callerGone = 499

// slow is the duration from which a request is logged as a warning, including the wait for a
// partner.
const slow = 2 * time.Second

// logExchange logs a request. It contains nothing from the caller that may be secret: the path only
// if it consists of ids.
func (rec recorder) logExchange(r *http.Request, x *exchange, route *served, ended time.Time, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case x.status >= http.StatusInternalServerError, took >= slow && !x.stream:
		level = slog.LevelWarn
	case route.quiet:
		level = slog.LevelDebug
	}
	if !rec.log.Enabled(r.Context(), level) {
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
	if x.trace != "" {
		attrs = append(attrs, slog.String("trace_id", x.trace))
	}
	// The logger would read the clock again and look up the source line.
	line := slog.NewRecord(ended, level, "request", 0)
	line.AddAttrs(attrs...)
	_ = rec.log.Handler().Handle(r.Context(), line) // like the logger
}

// panics answers a panic with 500 and logs its stack.
func (rec recorder) panics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch found := recover(); found {
			case nil:
			case http.ErrAbortHandler:
				panic(found) // net/http's way to abort a connection
			default:
				rec.log.ErrorContext(r.Context(), "panic", slog.String("request_id", requestID(r.Context())),
					slog.Any("panic", found), slog.String("stack", string(debug.Stack())))
				writeProblem(w, r, rec.log, httpError(domain.UnexpectedError, "panic"))
			}
		}()
		next.ServeHTTP(w, r)
	})
}
