package control

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

// Route is something that a mock answers.
type Route struct {
	Method string `json:"method"`
	Path   string `json:"path"` // a template, below a sandbox
	About  string `json:"about"`
}

type operation struct {
	Route
	handle handler
}

// operations are the whole control API.
func operations() []operation {
	return []operation{
		{Route{http.MethodGet, ConsolePath, "the console: all of this as a page, for a browser"}, showConsole},
		{Route{http.MethodPost, ConsolePath, "what the console's forms do"}, actOnConsole},
		{Route{http.MethodPost, sessionPath, "let a browser in that brings the control token, for the console"}, signIn},
		{Route{http.MethodGet, Path + "/healthz", "the mock is up"}, healthz},
		{Route{http.MethodGet, Path + "/routes", "this list, with absolute URLs"}, routes},
		{Route{http.MethodGet, Path + "/openapi.yaml", "the control API as an OpenAPI document"}, document(controlDocument)},
		{Route{http.MethodGet, Path + "/docs", "that document as a page, to read and to try"}, shown(func(*call) http.Handler { return controlDocs })},
		{Route{http.MethodGet, Path + "/docs/partner", "the partner API as a page, to read and to try"}, shown(func(*call) http.Handler { return partnerDocs })},
		{Route{http.MethodGet, Path + "/docs/partner.yaml", "the partner API as an OpenAPI document"}, document(partnerDocument)},
		{Route{http.MethodGet, Path + "/docs/assets/{asset}", "what those pages load"}, docsAsset},
		{Route{http.MethodGet, Path + "/metrics", "metrics of the whole mock, for Prometheus"}, shown(func(c *call) http.Handler { return c.Metrics })},
		{Route{http.MethodGet, Path + "/clock", "the sandbox's time"}, showClock},
		{Route{http.MethodPost, Path + "/clock", `move it: {"advance": "25m"}, {"set": "2026-07-01T09:00:00Z"}, {"freeze": true}`}, moveClock},
		{Route{http.MethodGet, Path + "/clock/timers", "what is pending: holds that expire, sales that end, days that begin; ?limit= of each"}, showTimers},
		{Route{http.MethodPost, Path + "/clock/next", `move it to the next of them, or of some: {"kinds": ["hold-expires"]}`}, runToNext},
		{Route{http.MethodGet, Path + "/state", "holds, bookings and touched slots; ?limit= of each, the newest"}, state},
		{Route{http.MethodGet, Path + "/slots", "every slot of an option; ?product= ?option= ?from=2026-07-01 ?days=14"}, listSlots},
		{Route{http.MethodPatch, Path + "/slots", `change a slot as staff would: {"productId": …, "optionId": …, "availabilityId": …, "status": "SOLD_OUT"}, or vacancies, capacity`}, changeSlot},
		{Route{http.MethodGet, Path + "/invariants", "broken laws of the inventory; none is right"}, invariants},
		{Route{http.MethodGet, Path + "/journal", "exchanges; ?endpoint= ?method= ?status= ?contains= ?body= ?hold= ?slot= ?booking= ?fault= ?done= ?after= ?limit="}, showJournal},
		{Route{http.MethodDelete, Path + "/journal", "empty the journal"}, clearJournal},
		{Route{http.MethodGet, Path + "/journal/count", "how many exchanges; ?endpoint= and so on"}, countJournal},
		{Route{http.MethodGet, Path + "/journal/wait", "wait until there are ?count= exchanges, at most ?timeout=10s; ?endpoint= and so on"}, waitForJournal},
		{Route{http.MethodGet, Path + "/journal/events", "server-sent events: exchanges as they arrive and end; ?endpoint= and so on"}, streamJournal},
		{Route{http.MethodGet, Path + "/journal/har", "exchanges as an HTTP archive (HAR 1.2); ?endpoint= and so on, ?limit="}, exportJournal},
		{Route{http.MethodGet, Path + "/verdict", "whether the callers kept their side of the contract, rule by rule"}, verdict},
		{Route{http.MethodGet, Path + "/testimony", "what tests have told the judge of the callers"}, showTestimony},
		{Route{http.MethodPost, Path + "/testimony", `tell it what the mock cannot see: {"died": ["127.0.0.1:40112"]}, or {"byHand": "a hold's code"}`}, testify},
		{Route{http.MethodGet, Path + "/faults", "armed faults with their counters, and those that never fired"}, showFaults},
		{Route{http.MethodPost, Path + "/faults", `arm one or a list: {"match": {"endpoint": "reserve"}, "key": "slot", "times": 2, "status": 500}`}, armFaults},
		{Route{http.MethodDelete, Path + "/faults", "disarm all"}, disarmFaults},
		{Route{http.MethodDelete, Path + "/faults/{name}", "disarm one"}, disarmFault},
		{Route{http.MethodGet, Path + "/quirks", "ways in which the platform itself misbehaves"}, showQuirks},
		{Route{http.MethodPost, Path + "/quirks", `add one or a list: {"on": "release", "gives": "none"}`}, addQuirks},
		{Route{http.MethodDelete, Path + "/quirks", "remove all that were added here"}, removeQuirks},
		{Route{http.MethodDelete, Path + "/quirks/{name}", "remove one"}, removeQuirk},
		{Route{http.MethodGet, Path + "/defects", "breaches of the contract by name, with the rule that each breaks"}, showParts(defects.Defects)},
		{Route{http.MethodPost, Path + "/defects/{name}", "have it"}, applyPart(defects.Defects)},
		{Route{http.MethodDelete, Path + "/defects/{name}", "have it no more"}, removePart(defects.Defects)},
		{Route{http.MethodGet, Path + "/variants", "lawful partners that are unlike most, by name"}, showParts(defects.Variants)},
		{Route{http.MethodPost, Path + "/variants/{name}", "be one"}, applyPart(defects.Variants)},
		{Route{http.MethodDelete, Path + "/variants/{name}", "be one no more"}, removePart(defects.Variants)},
		{Route{http.MethodGet, Path + "/catalog", "what is sold, in the form of a catalog file"}, showCatalog},
		{Route{http.MethodPut, Path + "/catalog", "sell another catalog from now on; a catalog file, YAML or JSON"}, replaceCatalog},
		{Route{http.MethodPut, Path + "/products/{id}", "add a product to the catalog, or replace it; in the form that it has there"}, sellProduct},
		{Route{http.MethodDelete, Path + "/products/{id}", "sell it no longer"}, stopSelling},
		{Route{http.MethodGet, Path + "/webhooks", "how webhooks are set up, and what became of them; ?kind= ?state= ?limit="}, showWebhooks},
		{Route{http.MethodPut, Path + "/webhooks", `set them up: {"url": "http://127.0.0.1:8080/api/v1/partner-integrations/…", "secret": "…"}`}, setWebhooks},
		{Route{http.MethodDelete, Path + "/webhooks", "turn them off"}, unsetWebhooks},
		{Route{http.MethodPost, Path + "/webhooks/trigger", "send a sync/trigger now"}, sendTrigger},
		{Route{http.MethodPost, Path + "/webhooks/notify", `send how a slot is, now: {"productId": …, "optionId": …, "availabilityId": …}`}, sendNotify},
		{Route{http.MethodGet, Path + "/webhooks/wait", "wait until ?count= webhooks have ended, at most ?timeout=10s; ?kind= ?state="}, waitForWebhooks},
		{Route{http.MethodPut, Path + "/scenario", "be what a scenario says, in the place of the one before; what is held and booked stays"}, playScenario},
		{Route{http.MethodDelete, Path + "/scenario", "take off its faults, quirks and policy"}, stopScenario},
		{Route{http.MethodGet, Path + "/scenario/schema", "the JSON Schema of scenario files and faults"}, scenarioSchema},
		{Route{http.MethodGet, Path + "/sandboxes", "all sandboxes"}, listSandboxes},
		{Route{http.MethodPost, Path + "/sandboxes", `make one: {"name": "mine"}, and perhaps authKey, seed, now, frozen, holdFor, policy, catalog, products, options, webhooks`}, createSandbox},
		{Route{http.MethodGet, Path + "/sandboxes/{name}", "one of them"}, named(showSandbox)},
		{Route{http.MethodDelete, Path + "/sandboxes/{name}", "delete one"}, deleteSandbox},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/clone", `make one like it: {"name": "another"}, and perhaps authKey`}, named(cloneSandbox)},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/reset", "as it was made: state, clock and journal"}, named(resetSandbox)},
		{Route{http.MethodGet, Path + "/sandboxes/{name}/snapshots", "its snapshots"}, named(listSnapshots)},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/snapshots", `keep state and clock: {"name": "sold-out"}`}, named(takeSnapshot)},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/snapshots/{snapshot}/restore", "put state and clock back"}, named(restoreSnapshot)},
		{Route{http.MethodDelete, Path + "/sandboxes/{name}/snapshots/{snapshot}", "forget it"}, named(deleteSnapshot)},
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

func healthz(*call) (any, error) { return keys{"status": "ok"}, nil }

func routes(c *call) (any, error) {
	type listed struct {
		Route
		URL string `json:"url"`
	}
	base := sandbox.BaseURL(c.r, c.box.Name())
	list := []listed{}
	for _, route := range AllRoutes(c.Partner) {
		list = append(list, listed{Route: route, URL: base + route.Path})
	}
	return keys{"routes": list}, nil
}
