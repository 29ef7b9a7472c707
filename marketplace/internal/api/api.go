// Package api serves the service's HTTP API. It has one file for each group of routes, and one for
// each part that they share: routes (route.go), authentication and rate limits (guard.go), bodies
// and queries (body.go, query.go), answers and errors (answer.go, problem.go), and logs and metrics
// of requests (exchange.go).
//
// A handler returns an error and never writes one itself.
//
// Every route is in schemas/openapi/marketplace.yaml, and its bodies in schema files beside it. The
// tests validate each request and answer by that document. A new route is described there first,
// with every status that it answers.
package api

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/parts"
)

// API is the service's HTTP handler. It is safe for concurrent use.
type API struct{ handler http.Handler }

// New returns the handler of all routes.
func New(c Config) (*API, error) {
	if err := parts.Check("api", c); err != nil {
		return nil, err
	}
	record := recorder{metrics: c.Metrics, traces: c.Traces, tracer: c.Traces.Requests(), proxies: c.Proxies, now: c.Now, log: c.Log, unknown: &served{name: "none", counters: c.Metrics.Route("none", "none")}}
	guard := newGuard(c)
	// SkipClean: without it, an unclean path is answered with a redirect, which turns a POST into a
	// GET.
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	router.NotFoundHandler = record.answer(func(http.ResponseWriter, *http.Request) error {
		return httpError(domain.Unknown, "no such path")
	})
	router.MethodNotAllowedHandler = record.answer(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Allow", allowedMethods(router, r))
		return httpError(domain.MethodNotAllowed, "this path does not support the method")
	})
	for _, r := range routes(c, guard, newCatchUp(c)) {
		if c.MetricsApart && r.path == metricsPath {
			continue
		}
		router.Handle(r.path, record.route(r, record.answer(guard.protect(r)))).Methods(r.methods()...)
	}
	// Outside of the router, whose middleware does not run for 404 and 405.
	a := &API{record.exchanges(record.panics(router))}
	addPages(router, record, c.Pages(a))
	return a, nil
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

// allowedMethods returns the methods of a path.
func allowedMethods(router *mux.Router, r *http.Request) string {
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
