package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/openapi"
)

// side has what belongs to one mode: a partner with a catalog, and callers in that mode.
type side struct {
	mode    domain.Mode
	calls   atomic.Int64 // that have reached the partner
	partner registered
	order   map[string]any // the body of a checkout
	callers []caller
	hooks   []string
}

// caller is a way to call the API in a mode.
type caller struct {
	name    string
	headers []header
}

// bothModes is a service with a partner in each mode.
type bothModes struct {
	*bench
	live, test *side
}

func openBothModes(t testing.TB, change ...func(*replica.Config)) *bothModes {
	t.Helper()
	w := &bothModes{bench: setup(t, change...)}
	reseller, affiliate := w.signIn(t, domain.Reseller), w.signIn(t, domain.Affiliate)
	asksForTest := header{"X-Mode", "test"}
	for _, s := range []*side{
		{mode: domain.Live, callers: []caller{
			{"an access token", []header{reseller}}, {"an access token with X-Mode: live", []header{reseller, {"X-Mode", "live"}}},
			{"a live API token", []header{w.tokenOf(t, `,"mode":"live"`)}}, {"an API token made without a mode", []header{w.tokenOf(t, "")}},
			{"an affiliate", []header{affiliate}},
		}},
		{mode: domain.Test, callers: []caller{
			{"an access token with X-Mode: test", []header{reseller, asksForTest}}, {"a test API token", []header{w.tokenOf(t, `,"mode":"test"`)}},
			{"an affiliate with X-Mode: test", []header{affiliate, asksForTest}},
		}},
	} {
		w.stock(t, s)
		if s.mode == domain.Live {
			w.live = s
		} else {
			w.test = s
		}
	}
	return w
}

// tokenOf creates an API token and returns its header; more is added to the request's body.
func (b *bench) tokenOf(t testing.TB, more string) header {
	t.Helper()
	var made client.MadeToken
	b.do(t, "POST", "/api/v1/operator/accounts/"+b.accounts[domain.Reseller].ID.String()+"/api-tokens", `{"name":"shop"`+more+`}`, b.signIn(t, domain.Operator)).data(t, &made)
	return header{"X-Api-Token", string(made.Token)}
}

// stock registers a partner in the side's mode, pulls its catalog and a slot, subscribes to
// all events, and creates one held and one confirmed booking.
func (w *bothModes) stock(t testing.TB, s *side) {
	t.Helper()
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: "partner-key", Now: w.now(), Frozen: true, Seed: 1})
	must(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s.calls.Add(1)
		mock.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() { mock.Close(); server.Close() })
	w.do(t, "POST", "/api/v1/partner-integrations", fmt.Sprintf(`{"name":"Walks","base_url":%q,"auth_key":"partner-key","mode":%q}`, server.URL, s.mode), w.signIn(t, domain.Partner)).data(t, &s.partner)
	for range 2 {
		var hook webhook
		w.do(t, "POST", webhooks, `{"url":"https://shop.example/hooks","events":["activity.changed","slot.changed","booking.confirmed"]}`, s.callers[0].headers...).data(t, &hook)
		s.hooks = append(s.hooks, hook.ID)
	}
	if a := w.trigger(t, s.partner); a.StatusCode != http.StatusOK {
		t.Fatalf("want a catalog, got %s", a.body)
	}
	s.order = w.notifySlot(t, mock, s.partner, 1)
	w.book(t, s)
	paid := w.book(t, s)
	w.do(t, "POST", "/api/v1/resellers/bookings/"+paid+"/payment", `{"outcome":"succeeded","reference":"p-`+paid+`"}`, s.callers[0].headers...)
	_, err = w.store.Events.Publish(t.Context())
	must(t, err)
}

// book creates a held booking and returns its id.
func (w *bothModes) book(t testing.TB, s *side, more ...header) string {
	t.Helper()
	body, err := json.Marshal(s.order)
	must(t, err)
	var made client.Booking
	a := w.do(t, "POST", "/api/v1/resellers/bookings", string(body), append(more, s.callers[0].headers...)...)
	if a.data(t, &made); a.StatusCode != http.StatusCreated {
		t.Fatalf("want it held, got %s", a.body)
	}
	return made.ID
}

// ids returns the ids of everything that belongs to the side's integration, by kind.
func (w *bothModes) ids(t testing.TB, s *side) map[string][]string {
	t.Helper()
	found := map[string][]string{"integration": {s.partner.ID}, "webhook": s.hooks}
	rows, err := w.store.Pool().Query(t.Context(), `
		WITH own AS (SELECT id FROM activities WHERE integration_id = $1)
		SELECT 'activity', id::text FROM own UNION ALL SELECT 'variation', id::text FROM variations WHERE activity_id IN (SELECT id FROM own)
		UNION ALL SELECT 'booking', id::text FROM bookings WHERE integration_id = $1
		UNION ALL SELECT 'event', id::text FROM events WHERE data->>'activity_id' IN (SELECT id::text FROM own)`, s.partner.ID)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var kind, id string
		must(t, rows.Scan(&kind, &id))
		found[kind] = append(found[kind], id)
	}
	must(t, rows.Err())
	return found
}

// fingerprint returns a fingerprint of everything that callers can change on a side.
func (w *bothModes) fingerprint(t testing.TB, s *side) (print string) {
	t.Helper()
	must(t, w.store.Pool().QueryRow(t.Context(), `
		SELECT (SELECT string_agg(id::text || version, ',' ORDER BY id) FROM bookings WHERE integration_id = $1) || '/' ||
			(SELECT count(*) FROM event_subscriptions WHERE id::text = ANY ($2)) || '/' ||
			(SELECT coalesce(string_agg(d::text, ',' ORDER BY d::text), '') FROM event_deliveries d WHERE d.subscription_id::text = ANY ($2))`, s.partner.ID, s.hooks).Scan(&print))
	return print
}

// bodies returns request bodies for an operation, with objects of both sides.
func bodies(op *openapi.Operation, own, other *side) []string {
	switch op.ID {
	case "book":
		list := []string{}
		for _, from := range [][3]*side{{own, own, own}, {other, other, other}, {own, other, other}, {other, own, own}, {own, own, other}} {
			order := map[string]any{}
			for name, value := range own.order {
				order[name] = value
			}
			order["activity_id"], order["variation_id"], order["availability_id"] = from[0].order["activity_id"], from[1].order["variation_id"], from[2].order["availability_id"]
			text, _ := json.Marshal(order) // texts and numbers can always be encoded
			list = append(list, string(text))
		}
		return list
	case "reschedule":
		return []string{fmt.Sprintf(`{"availability_id":%q}`, own.order["availability_id"]), fmt.Sprintf(`{"availability_id":%q}`, other.order["availability_id"])}
	case "pay":
		return []string{`{"outcome":"succeeded","reference":"p-9"}`, `{"outcome":"failed","reference":"p-8"}`}
	case "createWebhook":
		return []string{`{"events":["slot.changed"]}`, `{}`}
	}
	if op.Body != nil {
		return []string{`{}`}
	}
	return []string{""}
}

// Every kind of caller calls every route in either mode, about objects of either mode. No
// answer contains an id of the other mode, nothing of the other mode changes, and its partner
// is never called.
func TestNoRouteShowsOrChangesWhatIsOfTheOtherMode(t *testing.T) {
	t.Parallel()
	w := openBothModes(t, func(c *replica.Config) { c.RateLimit = 0 })
	operations, names := map[string]*openapi.Operation{}, []string{}
	for _, op := range theDocument(t).Operations() {
		if op.ID != "metrics" { // operators read the metrics of both modes
			operations[op.ID], names = op, append(names, op.ID)
		}
	}
	asked := map[string]bool{}
	ask := func(rt *rapid.T, op *openapi.Operation) {
		own, other := w.live, w.test
		if rapid.Bool().Draw(rt, "test") {
			own, other = other, own
		}
		who := own.callers[rapid.IntRange(0, len(own.callers)-1).Draw(rt, "caller")]
		foreign := w.ids(t, other)
		path := op.Path
		known := []map[string][]string{w.ids(t, own), foreign}
		for _, p := range op.Parameters {
			if p.In == "path" {
				of := rapid.SampledFrom(known).Draw(rt, "objects")[p.Name]
				if len(of) == 0 {
					of = []string{w.accounts[domain.Reseller].ID.String()}
				}
				path = strings.ReplaceAll(path, "{"+p.Name+"}", rapid.SampledFrom(of).Draw(rt, p.Name))
			}
		}
		query := ""
		for _, p := range op.Parameters {
			if (p.In == "query" && p.Required) || p.Name == "limit" {
				query += p.Name + "=" + map[string]string{"from": "2026-07-01", "to": "2026-07-31", "date": "2026-07-10", "limit": "100"}[p.Name] + "&"
			}
		}
		body := rapid.SampledFrom(bodies(op, own, other)).Draw(rt, "body")
		calls, before := other.calls.Load(), w.fingerprint(t, other)
		a := w.ask(t, op.Method, path+"?"+strings.TrimSuffix(query, "&"), body, who.headers...)
		asked[op.ID] = true
		what := fmt.Sprintf("%s %s in %s mode, by %s, answered %d", op.Method, path, own.mode, who.name, a.StatusCode)
		for kind, ids := range foreign {
			for _, id := range ids {
				if strings.Contains(string(a.body), id) {
					rt.Fatalf("%s: want nothing of the other mode, got the %s %s", what, kind, id)
				}
			}
		}
		if other.calls.Load() != calls {
			rt.Fatalf("%s: want the other mode's partner not to be called", what)
		}
		if after := w.fingerprint(t, other); after != before {
			rt.Fatalf("%s: want nothing of the other mode changed, got\n%s\nafter\n%s", what, after, before)
		}
		if op.ID == "createWebhook" && a.StatusCode == http.StatusCreated {
			var hook webhook
			a.data(t, &hook)
			own.hooks = append(own.hooks, hook.ID)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		for range 12 {
			ask(rt, operations[rapid.SampledFrom(names).Draw(rt, "operation")])
		}
	})
	for _, name := range names {
		if !asked[name] && !testing.Short() { // random calls may miss it
			rapid.Check(t, func(rt *rapid.T) { ask(rt, operations[name]) })
		}
	}
}

func TestEachModeSeesItsOwn(t *testing.T) {
	t.Parallel()
	w := openBothModes(t)
	for _, s := range []*side{w.live, w.test} {
		own := w.ids(t, s)
		for _, who := range s.callers[:len(s.callers)-1] {
			for path, id := range map[string]string{
				"activities?limit=100": own["activity"][0], "activities/" + own["activity"][0]: own["activity"][0], "bookings": own["booking"][0],
				"bookings/" + own["booking"][0]: own["booking"][0], "events?limit=100": own["event"][0], "webhooks": s.hooks[0],
			} {
				if a := w.do(t, "GET", "/api/v1/resellers/"+path, "", who.headers...); !strings.Contains(string(a.body), id) {
					t.Errorf("%s in %s mode, by %s: want %s, got %s", path, s.mode, who.name, id, a.body)
				}
			}
		}
	}
}

func TestTheModeOfARequestIsChosenOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reseller, test, live := b.signIn(t, domain.Reseller), b.tokenOf(t, `,"mode":"test"`), b.tokenOf(t, "")
	if !strings.HasPrefix(test.value, "pk_test_") || !strings.HasPrefix(live.value, "pk_live_") {
		t.Errorf("want prefixes that show the modes, got %.10s and %.10s", test.value, live.value)
	}
	const path = "/api/v1/resellers/bookings"
	wantProblem(t, b.do(t, "GET", path, "", reseller, header{"X-Mode", "Test"}), 400, "X-Mode: expected live or test")
	wantProblem(t, b.do(t, "GET", path, "", reseller, header{"X-Mode", ""}), 400, "X-Mode: expected live or test")
	wantProblem(t, b.do(t, "GET", path, "", test, header{"X-Mode", "live"}), 403, "the API token is for test mode, and X-Mode asks for live")
	wantProblem(t, b.do(t, "GET", path, "", live, header{"X-Mode", "test"}), 403, "the API token is for live mode")
	if a := b.do(t, "GET", path, "", test, header{"X-Mode", "test"}); a.StatusCode != http.StatusOK {
		t.Errorf("want the token's own mode accepted, got %s", a.body)
	}
}

func TestAnOldTokenIsLiveUnlessARequestAsksForTestMode(t *testing.T) {
	t.Parallel()
	w := openBothModes(t)
	old := w.tokenOf(t, "")
	_, err := w.store.Pool().Exec(t.Context(), `UPDATE api_tokens SET mode = NULL`)
	must(t, err)
	for _, s := range []*side{w.live, w.test} {
		headers := []header{old}
		if s.mode == domain.Test {
			headers = append(headers, header{"X-Mode", "test"})
		}
		if a := w.do(t, "GET", "/api/v1/resellers/bookings", "", headers...); !strings.Contains(string(a.body), w.ids(t, s)["booking"][0]) {
			t.Errorf("want the bookings of %s mode, got %s", s.mode, a.body)
		}
	}
}

func TestLimitsAndIdempotencyKeysAreOfOneMode(t *testing.T) {
	t.Parallel()
	w := openBothModes(t, func(c *replica.Config) { c.RateLimit = 40 })
	key := header{"Idempotency-Key", "order-17"}
	live, test := w.book(t, w.live, key), w.book(t, w.test, key)
	if live == test || live != w.book(t, w.live, key) || test != w.book(t, w.test, key) {
		t.Errorf("want one booking for the key in each mode")
	}
	ask := func(s *side) answer { return w.do(t, "GET", "/api/v1/resellers/bookings", "", s.callers[0].headers...) }
	for ask(w.live).StatusCode == http.StatusOK {
	}
	if a := ask(w.test); a.StatusCode != http.StatusOK {
		t.Errorf("want test mode to have a limit of its own, got %s", a.body)
	}
}

func TestAnAddressIsRegisteredOnceForEachMode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner, operator := b.signIn(t, domain.Partner), b.signIn(t, domain.Operator)
	register := func(mode string) answer {
		return b.do(t, "POST", "/api/v1/partner-integrations", `{"name":"Walks","base_url":"https://one.example","auth_key":"k","mode":"`+mode+`"}`, partner)
	}
	var live, test registered
	register("live").data(t, &live)
	register("test").data(t, &test)
	wantProblem(t, register("test"), 409, "an integration with this base_url and mode exists")
	wantProblem(t, register("sandbox"), 400, "mode: expected one of live, test")
	for _, who := range []header{partner, operator} {
		for query, ids := range map[string][]string{"": {live.ID, test.ID}, "?mode=live": {live.ID}, "?mode=test": {test.ID}} {
			var list []struct {
				ID   string `json:"integration_id"`
				Mode string
			}
			b.do(t, "GET", "/api/v1/partner-integrations"+query, "", who).data(t, &list)
			got := []string{}
			for _, i := range list {
				got = append(got, i.ID)
				if want := map[string]string{live.ID: "live", test.ID: "test"}[i.ID]; i.Mode != want {
					t.Errorf("want the mode %s shown, got %q", want, i.Mode)
				}
			}
			if strings.Join(got, " ") != strings.Join(ids, " ") {
				t.Errorf("%q: want %v, got %v", query, ids, got)
			}
		}
	}
}
