package control

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

// Route is one route of a mock.
type Route struct {
	Method string `json:"method"`
	Path   string `json:"path"` // a template, below a sandbox
	About  string `json:"about"`
}

type operation struct {
	Route
	handle handler
}

// operations returns all operations of the control API.
func operations() []operation {
	return []operation{
		{Route{http.MethodGet, ConsolePath, "the console: the control API as pages for a browser"}, showConsole},
		{Route{http.MethodPost, ConsolePath, "submit a form of the console"}, actOnConsole},
		{Route{http.MethodPost, sessionPath, "sign a browser in to the console with the control token"}, signIn},
		{Route{http.MethodGet, Path + "/healthz", "check that the mock is up"}, healthz},
		{Route{http.MethodGet, Path + "/routes", "list these routes, with absolute URLs"}, routes},
		{Route{http.MethodGet, Path + "/openapi.yaml", "the control API as an OpenAPI document"}, passOn(controlReference.ServeDocument)},
		{Route{http.MethodGet, Path + "/docs", "the control API's reference; ?tag= ?q="}, passOn(controlReference.ServeHTTP)},
		{Route{http.MethodGet, Path + "/docs/partner", "the partner API's reference; ?q="}, passOn(partnerReference.ServeHTTP)},
		{Route{http.MethodGet, Path + "/docs/partner.yaml", "the partner API as an OpenAPI document"}, passOn(partnerReference.ServeDocument)},
		{Route{http.MethodGet, Path + "/metrics", "metrics of the whole mock, for Prometheus"}, showMetrics},
		{Route{http.MethodGet, Path + "/clock", "the sandbox's time"}, showClock},
		{Route{http.MethodPost, Path + "/clock", `move the clock: {"advance": "25m"}, {"set": "2026-07-01T09:00:00Z"}, {"freeze": true}`}, moveClock},
		{Route{http.MethodGet, Path + "/clock/timers", "pending events: holds that expire, sales that end, days that begin; ?limit= of each"}, showTimers},
		{Route{http.MethodPost, Path + "/clock/next", `move the clock to the next event, or to the next of some kinds: {"kinds": ["hold-expires"]}`}, runToNext},
		{Route{http.MethodGet, Path + "/state", "holds, bookings and changed slots; the newest ?limit= of each"}, state},
		{Route{http.MethodGet, Path + "/slots", "the slots of an option; ?product= ?option= ?from=2026-07-01 ?days=14"}, listSlots},
		{Route{http.MethodPatch, Path + "/slots", `change a slot, as the partner's staff would: {"productId": …, "optionId": …, "availabilityId": …, "status": "SOLD_OUT"}, or vacancies, capacity`}, changeSlot},
		{Route{http.MethodGet, Path + "/invariants", "inventory invariant violations; an empty list is healthy"}, invariants},
		{Route{http.MethodGet, Path + "/journal", "exchanges; ?endpoint= ?method= ?status= ?text= ?contains= ?body= ?probes=false ?hold= ?slot= ?booking= ?fault= ?done= ?after= ?limit="}, showJournal},
		{Route{http.MethodDelete, Path + "/journal", "empty the journal"}, clearJournal},
		{Route{http.MethodGet, Path + "/journal/count", "count exchanges; same filters"}, countJournal},
		{Route{http.MethodGet, Path + "/journal/wait", "wait for ?count= exchanges, for at most ?timeout=10s; same filters"}, waitForJournal},
		{Route{http.MethodGet, Path + "/journal/events", "exchanges as server-sent events, when they begin and end; same filters"}, streamJournal},
		{Route{http.MethodGet, Path + "/journal/har", "exchanges as an HTTP archive (HAR 1.2); same filters, and ?limit="}, exportJournal},
		{Route{http.MethodGet, Path + "/verdict", "the verdict on the callers: which rules of the contract they kept and broke; ?format=text for people"}, verdict},
		{Route{http.MethodGet, Path + "/testimony", "facts about the callers that tests have reported"}, showTestimony},
		{Route{http.MethodPost, Path + "/testimony", `report a fact that the mock cannot see: {"died": ["127.0.0.1:40112"]}, or {"byHand": "a hold's code"}`}, testify},
		{Route{http.MethodGet, Path + "/faults", "active faults with their counters, and the ones that never fired"}, showFaults},
		{Route{http.MethodPost, Path + "/faults", `add one fault or a list: {"match": {"endpoint": "reserve"}, "key": "slot", "times": 2, "status": 500}`}, armFaults},
		{Route{http.MethodPost, Path + "/faults/from/{exchange}", "answer the next call like that recorded exchange"}, armRecorded},
		{Route{http.MethodDelete, Path + "/faults", "remove all faults"}, disarmFaults},
		{Route{http.MethodDelete, Path + "/faults/{name}", "remove one fault"}, disarmFault},
		{Route{http.MethodGet, Path + "/quirks", "quirks: ways in which the platform itself misbehaves"}, showQuirks},
		{Route{http.MethodPost, Path + "/quirks", `add one quirk or a list: {"on": "release", "gives": "none"}`}, addQuirks},
		{Route{http.MethodDelete, Path + "/quirks", "remove all quirks that were added here"}, removeQuirks},
		{Route{http.MethodDelete, Path + "/quirks/{name}", "remove one quirk"}, removeQuirk},
		{Route{http.MethodGet, Path + "/defects", "defects: breaches of the contract by name, with the rule that each breaks"}, showParts(defects.Defects)},
		{Route{http.MethodPost, Path + "/defects/{name}", "add the defect"}, applyPart(defects.Defects)},
		{Route{http.MethodDelete, Path + "/defects/{name}", "remove the defect"}, removePart(defects.Defects)},
		{Route{http.MethodGet, Path + "/variants", "variants: unusual behaviour within the contract, by name"}, showParts(defects.Variants)},
		{Route{http.MethodPost, Path + "/variants/{name}", "add the variant"}, applyPart(defects.Variants)},
		{Route{http.MethodDelete, Path + "/variants/{name}", "remove the variant"}, removePart(defects.Variants)},
		{Route{http.MethodGet, Path + "/catalog", "the catalog, in the format of a catalog file"}, showCatalog},
		{Route{http.MethodPut, Path + "/catalog", "replace the catalog; a catalog file in YAML or JSON"}, replaceCatalog},
		{Route{http.MethodPut, Path + "/products/{id}", "add or replace a product, in the format of a catalog file"}, sellProduct},
		{Route{http.MethodDelete, Path + "/products/{id}", "remove a product"}, stopSelling},
		{Route{http.MethodGet, Path + "/webhooks", "the webhooks' settings and deliveries; ?kind= ?state= ?limit="}, showWebhooks},
		{Route{http.MethodPut, Path + "/webhooks", `set up webhooks: {"url": "http://127.0.0.1:8080/api/v1/partner-integrations/…", "secret": "…"}`}, setWebhooks},
		{Route{http.MethodDelete, Path + "/webhooks", "turn webhooks off"}, unsetWebhooks},
		{Route{http.MethodPost, Path + "/webhooks/trigger", "send a sync/trigger webhook now"}, sendTrigger},
		{Route{http.MethodPost, Path + "/webhooks/notify", `send a webhook with a slot's current state: {"productId": …, "optionId": …, "availabilityId": …}`}, sendNotify},
		{Route{http.MethodGet, Path + "/webhooks/wait", "wait until ?count= deliveries are finished, for at most ?timeout=10s; ?kind= ?state="}, waitForWebhooks},
		{Route{http.MethodPut, Path + "/scenario", "replace the scenario; holds and bookings stay"}, playScenario},
		{Route{http.MethodDelete, Path + "/scenario", "remove the scenario with its faults, quirks and policy"}, stopScenario},
		{Route{http.MethodGet, Path + "/scenario/schema", "the JSON Schema of scenario files and faults"}, scenarioSchema},
		{Route{http.MethodGet, Path + "/sandboxes", "list the sandboxes"}, listSandboxes},
		{Route{http.MethodPost, Path + "/sandboxes", `create a sandbox: {"name": "mine"}, with optional authKey, seed, now, frozen, holdFor, policy, catalog, products, options, webhooks`}, createSandbox},
		{Route{http.MethodGet, Path + "/sandboxes/{name}", "show a sandbox"}, forNamedSandbox(showSandbox)},
		{Route{http.MethodDelete, Path + "/sandboxes/{name}", "delete a sandbox"}, deleteSandbox},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/clone", `clone a sandbox: {"name": "another"}, with optional authKey`}, forNamedSandbox(cloneSandbox)},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/reset", "reset a sandbox: state, clock and journal"}, forNamedSandbox(resetSandbox)},
		{Route{http.MethodGet, Path + "/sandboxes/{name}/snapshots", "list the sandbox's snapshots"}, forNamedSandbox(listSnapshots)},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/snapshots", `save state and clock as a snapshot: {"name": "sold-out"}`}, forNamedSandbox(takeSnapshot)},
		{Route{http.MethodPost, Path + "/sandboxes/{name}/snapshots/{snapshot}/restore", "restore state and clock"}, forNamedSandbox(restoreSnapshot)},
		{Route{http.MethodDelete, Path + "/sandboxes/{name}/snapshots/{snapshot}", "delete a snapshot"}, forNamedSandbox(deleteSnapshot)},
	}
}

// AllRoutes returns the partner's routes, followed by those of the control API.
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
