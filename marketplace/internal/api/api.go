package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/metrics"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/ratelimit"
	"partnerkit.dev/marketplace/internal/signin"
	"partnerkit.dev/marketplace/internal/storefront"
)

// Store is what the api itself asks of the database.
type Store struct {
	Database interface {
		Ping(ctx context.Context) error
		Overview(ctx context.Context, now time.Time) (marketplace.Overview, error)
	}
	Accounts interface {
		CreateAccount(ctx context.Context, a marketplace.Account) error
		Account(ctx context.Context, id uuid.UUID) (marketplace.Account, error)
		List(ctx context.Context, role marketplace.Role, words string, skip int64, size int) (list []marketplace.Account, total int, err error)
		APITokens(ctx context.Context, account uuid.UUID) ([]marketplace.APIToken, error)
		AddAPIToken(ctx context.Context, t marketplace.APIToken, hash []byte, role marketplace.Role) error
		RevokeAPIToken(ctx context.Context, account, token uuid.UUID, at time.Time) error
	}
	Partners interface {
		Health(ctx context.Context, integration uuid.UUID) (partner.Health, error)
		HealthChanges(ctx context.Context, integration uuid.UUID) ([]partner.HealthChange, error)
		Breaches(ctx context.Context, integration uuid.UUID) ([]booking.Breach, error)
	}
	Catalog interface {
		Position(ctx context.Context, integration uuid.UUID) (catalog.Position, error)
		Syncs(ctx context.Context, integration uuid.UUID, skip int64, size int) (list []catalog.Sync, total int, err error)
		SlotsKnown(ctx context.Context, integration uuid.UUID) (catalog.SlotsKnown, error)
		Activity(ctx context.Context, id uuid.UUID) (marketplace.Activity, error)
		Activities(ctx context.Context, by marketplace.ActivityFilter, skip int64, size int) (list []marketplace.Activity, total int, err error)
		EditActivity(ctx context.Context, id uuid.UUID, edit func(*marketplace.Activity) error) (marketplace.Activity, error)
	}
	Storefront interface {
		Terms(ctx context.Context) (marketplace.Terms, error)
		ChangeRates(ctx context.Context, c marketplace.RatesChange) error
		ChangeFees(ctx context.Context, c marketplace.FeesChange) error
	}
	Bookings interface {
		List(ctx context.Context, by booking.Filter, skip int64, size int) (list []marketplace.Booking, total int, err error)
		Histories(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]marketplace.HistoryEntry, error)
		Commissions(ctx context.Context, affiliate uuid.UUID, skip int64, size int) (list []booking.Commission, total int, err error)
	}
}

// Config is what an API is made of. Every field but Mounts is required.
type Config struct {
	Store        Store
	SignIn       *signin.Service
	Integrations *partner.Registry
	Bookings     *booking.Service
	Syncer       *catalog.Syncer
	Notifier     *catalog.Notifier
	Front        *storefront.Front // what readers see; see API.caughtUp for whoever changes that
	RateLimit    int               // requests a minute of one credential; 0 is no limit
	Metrics      *metrics.Metrics
	Scrapers     []netip.Prefix // the networks that may read the metrics
	Now          func() time.Time
	Log          *slog.Logger
	Mounts       []Mount // beside the API's own routes; may be empty
}

// Mount is a handler of its own below a path. Its requests are counted, logged and
// guarded against panics as the API's are.
type Mount struct {
	Path    string                              // such as /console
	Handler func(api http.Handler) http.Handler // is given the API, which it may ask
}

// API is the service's HTTP handler. It is safe for concurrent use.
type API struct {
	store        Store
	signin       *signin.Service
	integrations *partner.Registry
	bookings     *booking.Service
	syncer       *catalog.Syncer
	front        *storefront.Front
	notifier     *catalog.Notifier
	limiter      *ratelimit.Limiter
	metrics      *metrics.Metrics
	scrapers     []netip.Prefix
	unknown      *served // where no route fits
	now          func() time.Time
	log          *slog.Logger
	handler      http.Handler
}

// New returns the handler of every surface.
func New(c Config) *API {
	a := &API{
		store: c.Store, signin: c.SignIn, integrations: c.Integrations, bookings: c.Bookings, syncer: c.Syncer, notifier: c.Notifier, front: c.Front,
		limiter: ratelimit.New(c.RateLimit, limitWindow, c.Now), metrics: c.Metrics, scrapers: c.Scrapers, now: c.Now, log: c.Log,
		unknown: &served{name: "none", counters: c.Metrics.Route("none", "none")},
	}
	// SkipClean: a path that is not clean would be answered with a redirect, which
	// turns a POST into a GET.
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	router.NotFoundHandler = a.handle(func(http.ResponseWriter, *http.Request) error {
		return &statusError{http.StatusNotFound, "no such path"}
	})
	router.MethodNotAllowedHandler = a.handle(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Allow", allowed(router, r))
		return &statusError{http.StatusMethodNotAllowed, "no such method here"}
	})
	for _, route := range a.routes() {
		router.Handle(route.path, a.serve(route)).Methods(route.method)
	}
	// Outside of the router, whose own middleware does not run for 404 and 405.
	a.handler = a.withExchange(a.withRecovery(a.withMounts(c.Mounts, router)))
	return a
}

// withMounts answers what lies below a mount's path by the mount's handler.
func (a *API) withMounts(mounts []Mount, next http.Handler) http.Handler {
	for _, m := range mounts {
		name := strings.TrimPrefix(m.Path, "/")
		known, own, others := &served{name: m.Path, counters: a.metrics.Route(name, m.Path)}, m.Handler(a), next
		next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != m.Path && !strings.HasPrefix(r.URL.Path, m.Path+"/") {
				others.ServeHTTP(w, r)
				return
			}
			exchangeOf(r.Context()).route = known
			own.ServeHTTP(w, r)
		})
	}
	return next
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// caughtUp waits until every later read shows what this request has changed: a handler
// that has stored what resellers see calls it before it answers. What is stored stays so
// where it fails, and the answer is a good one.
func (a *API) caughtUp(r *http.Request) {
	if err := a.front.CatchUp(r.Context()); err != nil {
		a.log.WarnContext(r.Context(), "readers see a change later", slog.String("request_id", requestID(r.Context())), slog.Any("error", err))
	}
}

// served is a route as the log and the metrics know it.
type served struct {
	name     string // such as GET /healthz
	quiet    bool   // it is asked so often, by machines, that the log says so only when it debugs
	counters *metrics.Route
}

// serve makes the handler of a route.
func (a *API) serve(r route) http.Handler {
	known := &served{name: r.method + " " + r.path, quiet: surfaceOf(r) == serviceSurface}
	known.counters = a.metrics.Route(surfaceOf(r), known.name)
	handle := a.handle(a.guard(r))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		x.route, x.plain = known, onlyIDs(mux.Vars(r))
		handle.ServeHTTP(w, r)
	})
}

// onlyIDs reports whether all that a path says beside its route is ids.
func onlyIDs(variables map[string]string) bool {
	for _, value := range variables {
		if !isID(value) {
			return false
		}
	}
	return true
}

// handle makes net/http's kind of handler of ours.
func (a *API) handle(f handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := f(w, r); err != nil {
			a.writeProblem(w, r, err)
		}
	})
}

// allowed lists the methods that a path takes.
func allowed(router *mux.Router, r *http.Request) string {
	list := ""
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := r.Clone(r.Context())
		asked.Method = method
		var match mux.RouteMatch
		if router.Match(asked, &match) && match.MatchErr == nil {
			if list != "" {
				list += ", "
			}
			list += method
		}
	}
	return list
}
