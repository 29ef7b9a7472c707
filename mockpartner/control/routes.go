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
		{Route{http.MethodGet, Path + "/openapi.yaml", "the control API as an OpenAPI document"}, (*api).openAPI},
		{Route{http.MethodGet, Path + "/metrics", "metrics of the whole mock, for Prometheus"}, (*api).metrics},
		{Route{http.MethodGet, Path + "/clock", "the sandbox's time"}, (*api).showClock},
		{Route{http.MethodPost, Path + "/clock", `move it: {"advance": "25m"}, {"set": "2026-07-01T09:00:00Z"}, {"freeze": true}`}, (*api).moveClock},
		{Route{http.MethodGet, Path + "/clock/timers", "what is pending: holds that expire, sales that end, days that begin; ?limit= of each"}, (*api).showTimers},
		{Route{http.MethodPost, Path + "/clock/next", `move it to the next of them, or of some: {"kinds": ["hold-expires"]}`}, (*api).runToNext},
		{Route{http.MethodGet, Path + "/state", "holds, bookings and touched slots; ?limit= of each, the newest"}, (*api).state},
		{Route{http.MethodGet, Path + "/invariants", "broken laws of the inventory; none is right"}, (*api).invariants},
		{Route{http.MethodGet, Path + "/journal", "exchanges; ?endpoint= ?method= ?status= ?contains= ?body= ?hold= ?slot= ?booking= ?fault= ?done= ?after= ?limit="}, (*api).showJournal},
		{Route{http.MethodDelete, Path + "/journal", "empty the journal"}, (*api).clearJournal},
		{Route{http.MethodGet, Path + "/journal/count", "how many exchanges; ?endpoint= and so on"}, (*api).countJournal},
		{Route{http.MethodGet, Path + "/journal/wait", "wait until there are ?count= exchanges, at most ?timeout=10s; ?endpoint= and so on"}, (*api).waitForJournal},
		{Route{http.MethodGet, Path + "/journal/events", "server-sent events: exchanges as they arrive and end; ?endpoint= and so on"}, (*api).streamJournal},
		{Route{http.MethodGet, Path + "/journal/har", "exchanges as an HTTP archive (HAR 1.2); ?endpoint= and so on, ?limit="}, (*api).exportJournal},
		{Route{http.MethodGet, Path + "/faults", "armed faults with their counters, and those that never fired"}, (*api).showFaults},
		{Route{http.MethodPost, Path + "/faults", `arm one or a list: {"match": {"endpoint": "reserve"}, "key": "slot", "times": 2, "status": 500}`}, (*api).armFaults},
		{Route{http.MethodDelete, Path + "/faults", "disarm all"}, (*api).disarmFaults},
		{Route{http.MethodDelete, Path + "/faults/{name}", "disarm one"}, (*api).disarmFault},
		{Route{http.MethodGet, Path + "/scenario/schema", "the JSON Schema of scenario files and faults"}, (*api).scenarioSchema},
		{Route{http.MethodGet, Path + "/sandboxes", "all sandboxes"}, (*api).listSandboxes},
		{Route{http.MethodPost, Path + "/sandboxes", `make one: {"name": "mine"}, and perhaps authKey, seed, now, frozen, holdFor, policy, catalog, products, options`}, (*api).createSandbox},
		{Route{http.MethodGet, Path + "/sandboxes/{name}", "one of them"}, (*api).showSandbox},
		{Route{http.MethodDelete, Path + "/sandboxes/{name}", "delete one"}, (*api).deleteSandbox},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/clone", `make one like it: {"name": "another"}, and perhaps authKey`}, (*api).cloneSandbox},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/reset", "as it was made: state, clock and journal"}, (*api).resetSandbox},
		{Route{http.MethodGet, Path + "/sandboxes/{name}/snapshots", "its snapshots"}, (*api).listSnapshots},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/snapshots", `keep state and clock: {"name": "sold-out"}`}, (*api).takeSnapshot},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/snapshots/{snapshot}/restore", "put state and clock back"}, (*api).restoreSnapshot},
		{Route{http.MethodDelete, Path + "/sandboxes/{name}/snapshots/{snapshot}", "forget it"}, (*api).deleteSnapshot},
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
