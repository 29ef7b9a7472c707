// Package api is the service's HTTP: one file a surface, and one each for what they
// share: the routes (route.go), who may come in and how often (guard.go), how bodies and
// queries are read (body.go, query.go), how answers and errors are written (answer.go,
// problem.go), and what the log and the metrics see of a request (exchange.go).
//
// A handler returns an error, and never writes one itself.
//
// Every route stands in schemas/openapi/marketplace.yaml, its bodies in schema files
// beside it. The tests judge each request and answer by that document, so a route is
// described there first, with every status that it answers.
package api

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// API is the service's HTTP handler. It is safe for concurrent use.
type API struct{ handler http.Handler }

// New returns the handler of every surface.
func New(c Config) *API {
	record := recorder{metrics: c.Metrics, tracer: c.Traces.Requests(), proxies: c.Proxies, now: c.Now, log: c.Log, unknown: &served{name: "none", counters: c.Metrics.Route("none", "none")}}
	guard := newGuard(c)
	// SkipClean: a path that is not clean would be answered with a redirect, which
	// turns a POST into a GET.
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	router.NotFoundHandler = record.answer(func(http.ResponseWriter, *http.Request) error {
		return httpError(marketplace.Unknown, "no such path")
	})
	router.MethodNotAllowedHandler = record.answer(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Allow", allowed(router, r))
		return httpError(marketplace.MethodNotAllowed, "no such method here")
	})
	for _, r := range routes(c, guard, newCatchUp(c)) {
		if c.MetricsApart && r.path == metricsPath {
			continue
		}
		router.Handle(r.path, record.route(r, record.answer(guard.protect(r)))).Methods(r.methods()...)
	}
	// Outside of the router, whose own middleware does not run for 404 and 405.
	a := &API{record.exchanges(record.panics(router))}
	if c.Pages != nil {
		addPages(router, record, c.Pages(a))
	}
	return a
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

func addPages(router *mux.Router, record recorder, pages []Page) {
	groups := map[string]*served{}
	for _, p := range pages {
		known := groups[p.Group]
		if known == nil {
			known = &served{name: p.Group, counters: record.metrics.Route(strings.TrimPrefix(p.Group, "/"), p.Group)}
			groups[p.Group] = known
		}
		route := router.NewRoute().Handler(known.handler(p.Handler))
		if p.Prefix {
			route.PathPrefix(p.Path)
		} else {
			route.Path(p.Path)
		}
		if len(p.Methods) > 0 {
			route.Methods(p.Methods...)
		}
	}
}

// allowed lists the methods that a path takes.
func allowed(router *mux.Router, r *http.Request) string {
	var list []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := r.Clone(r.Context())
		asked.Method = method
		if match := (mux.RouteMatch{}); router.Match(asked, &match) && match.MatchErr == nil {
			list = append(list, method)
		}
	}
	return strings.Join(list, ", ")
}
