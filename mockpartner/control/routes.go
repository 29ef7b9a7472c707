package control

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/sandbox"
)

// Route is something that a mock answers.
type Route struct {
	Method string `json:"method"`
	Path   string `json:"path"` // a template, below a sandbox
	About  string `json:"about"`
}

// operation is a Route of the control API with what it does.
type operation struct {
	Route
	handle func(*api, http.ResponseWriter, *http.Request)
}

// operations are the whole control API.
func operations() []operation {
	return []operation{
		{Route{http.MethodGet, Path + "/healthz", "the mock is up"}, (*api).healthz},
		{Route{http.MethodGet, Path + "/routes", "this list, with absolute URLs"}, (*api).routes},
		{Route{http.MethodGet, Path + "/clock", "the sandbox's time"}, (*api).showClock},
		{Route{http.MethodPost, Path + "/clock", `move it: {"advance": "25m"}, {"set": "2026-07-01T09:00:00Z"}, {"freeze": true}`}, (*api).moveClock},
		{Route{http.MethodGet, Path + "/state", "holds, bookings and touched slots; ?limit= of each, the newest"}, (*api).state},
		{Route{http.MethodGet, Path + "/invariants", "broken laws of the inventory; none is right"}, (*api).invariants},
		{Route{http.MethodGet, Path + "/journal", "exchanges; ?endpoint= ?method= ?status= ?contains= ?after= ?limit="}, (*api).showJournal},
		{Route{http.MethodDelete, Path + "/journal", "empty the journal"}, (*api).clearJournal},
		{Route{http.MethodGet, Path + "/sandboxes", "all sandboxes"}, (*api).listSandboxes},
		{Route{http.MethodPost, Path + "/sandboxes", `make one: {"name": "mine"}, and perhaps seed, now, frozen, holdFor, policy, catalog, products, options`}, (*api).createSandbox},
		{Route{http.MethodDelete, Path + "/sandboxes/{name}", "delete one"}, (*api).deleteSandbox},
	}
}

// AllRoutes lists the partner's routes and then those of the control API.
func AllRoutes(partner []Route) []Route {
	all := append([]Route(nil), partner...)
	for _, o := range operations() {
		all = append(all, o.Route)
	}
	return all
}

func (a *api) healthz(w http.ResponseWriter, _ *http.Request) {
	reply.JSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// routes lists what the request's sandbox answers.
func (a *api) routes(w http.ResponseWriter, r *http.Request) {
	type listed struct {
		Route
		URL string `json:"url"`
	}
	base := baseURL(r, sandboxOf(r).Name())
	list := []listed{}
	for _, route := range AllRoutes(a.Partner) {
		list = append(list, listed{Route: route, URL: base + route.Path})
	}
	reply.JSON(w, http.StatusOK, map[string]any{"routes": list})
}

// baseURL returns where the sandbox's partner endpoints lie, as the caller of r
// sees it.
func baseURL(r *http.Request, name string) string {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host + sandbox.Prefix(name)
}
