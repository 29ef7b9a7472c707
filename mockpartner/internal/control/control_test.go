package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/control"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

const key = "a-key-for-tests"

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// operator calls a mock's control API, and its partner endpoints with the key.
type operator struct {
	t    *testing.T
	mock *mockpartner.Mock
	base string
}

func start(t *testing.T, change ...func(*mockpartner.Options)) operator {
	t.Helper()
	options := mockpartner.Options{AuthKey: key, Now: noon, Frozen: true}
	for _, c := range change {
		c(&options)
	}
	mock := mocktest.Start(t, options)
	return operator{t: t, mock: mock.Mock, base: mock.URL}
}

// call expects a status, and returns the answer decoded from JSON.
func (o operator) call(method, path, body string, want int) map[string]any {
	o.t.Helper()
	return o.send(method, path, body, want, nil)
}

func (o operator) send(method, path, body string, want int, header http.Header) map[string]any {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), method, o.base+path, strings.NewReader(body))
	check(o.t, err)
	request.Header = http.Header{"Authorization": {"Bearer " + key}}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	check(o.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != want {
		o.t.Fatalf("%s %s %s: want %d, got %d, %v: %s", method, path, body, want, response.StatusCode, err, text)
	}
	answer := map[string]any{}
	if len(text) > 0 && text[0] == '{' {
		if err := json.Unmarshal(text, &answer); err != nil {
			o.t.Fatalf("%s %s: %v: %s", method, path, err, text)
		}
	}
	return answer
}

// requireRefusal expects a status and a message that holds the words.
func (o operator) requireRefusal(method, path, body string, status int, words string) {
	o.t.Helper()
	message, _ := o.call(method, path, body, status)["message"].(string)
	if message == "" || !strings.Contains(message, words) {
		o.t.Fatalf("%s %s %s: want a message with %q, got %q", method, path, body, words, message)
	}
}

func (o operator) now(prefix string) string {
	o.t.Helper()
	now, _ := o.call("GET", prefix+"/_mock/clock", "", 200)["now"].(string)
	return now
}

func TestTheClockIsShownAndMoved(t *testing.T) {
	t.Parallel()
	o := start(t)
	for _, move := range []struct {
		body, now string
		frozen    bool
	}{
		{`{"advance":"25m"}`, "2026-07-01T12:25:00Z", true},
		{`{"advance":"0s"}`, "2026-07-01T12:25:00Z", true},
		{`{"set":"2026-07-02T09:00:00+02:00"}`, "2026-07-02T07:00:00Z", true},
		{`{"set":"2026-07-01T12:00:00Z","advance":"1h","freeze":true}`, "2026-07-01T13:00:00Z", true},
	} {
		answer := o.call("POST", "/_mock/clock", move.body, 200)
		if answer["now"] != move.now || answer["frozen"] != move.frozen || o.now("") != move.now {
			t.Fatalf("%s: want %s, got %v and then %s", move.body, move.now, answer, o.now(""))
		}
	}
	if answer := o.call("POST", "/_mock/clock", `{"freeze":false}`, 200); answer["frozen"] != false {
		t.Fatalf("want a running clock, got %v", answer)
	}
}

func TestImpossibleMovesAreRefusedAndMoveNothing(t *testing.T) {
	t.Parallel()
	o := start(t)
	for body, words := range map[string]string{
		"":                               "expected a JSON object",
		"{}":                             `expected {"advance": "25m"}`,
		"[]":                             "cannot be read",
		`{"advance":25}`:                 "cannot be read",
		`{"advance":"25"}`:               "advance: expected a duration",
		`{"advance":"-1m"}`:              "set moves a clock back",
		`{"advance":"9999999h"}`:         "advance: expected a duration",
		`{"advance":"2562047h"}{}`:       "more after its end",
		`{"set":"tomorrow"}`:             "set: ",
		`{"set":"1969-12-31T00:00:00Z"}`: "between the years 1970 and 9000",
		`{"set":"9999-01-01T00:00:00Z"}`: "between the years 1970 and 9000",
		`{"forward":"1h"}`:               `unknown field "forward"`,
		`{"set":"8999-12-31T00:00:00Z","advance":"48h"}`: "between the years 1970 and 9000",
	} {
		o.requireRefusal("POST", "/_mock/clock", body, 400, words)
	}
	o.requireRefusal("POST", "/_mock/clock", `{"set":"`+strings.Repeat("x", 1<<20)+`"}`, 413, "larger than")
	if now := o.now(""); now != "2026-07-01T12:00:00Z" {
		t.Fatalf("want the clock where it was, got %s", now)
	}
}

const reserveBody = `{"productId":"tokyo-market","optionId":"breakfast","availabilityId":%q,"units":[{"id":"unit-adult","quantity":1}]}`

// slot returns the id of a slot that can be booked.
func slot(t *testing.T, box *mockpartner.Sandbox) string {
	t.Helper()
	window, err := box.Platform().Availability(partnerapi.AvailabilityRequest{ProductID: "tokyo-market", OptionID: "breakfast", LocalDateStart: "2026-07-10", LocalDateEnd: "2026-07-20"})
	check(t, err)
	for _, slot := range window.Slots {
		if slot.Status == partnerapi.StatusAvailable {
			return slot.ID
		}
	}
	t.Fatal("want a slot that can be booked, got none")
	return ""
}

func TestTheStateShowsHoldsBookingsAndSlots(t *testing.T) {
	t.Parallel()
	o := start(t)
	id := slot(t, o.mock.Default())
	for range 3 {
		o.call("POST", "/bookings/reserve", fmt.Sprintf(reserveBody, id), 200)
	}
	code := o.mock.Default().Platform().Holds()[0].Code
	o.call("POST", "/bookings/confirm", fmt.Sprintf(`{"reservationConfirmationCode":%q}`, code), 200)
	state := o.call("GET", "/_mock/state?limit=2", "", 200)
	holds, bookings, slots := state["holds"].([]any), state["bookings"].([]any), state["slots"].([]any)
	if len(holds) != 2 || state["holdCount"] != 3.0 || len(bookings) != 1 || len(slots) != 1 {
		t.Fatalf("want 2 of 3 holds, a booking and a slot, got %v", state)
	}
	shown := slots[0].(map[string]any)
	if shown["availabilityId"] != id || shown["held"] != 2.0 || shown["confirmed"] != 1.0 {
		t.Fatalf("want 2 held and 1 confirmed of slot %s, got %v", id, shown)
	}
	if booking := bookings[0].(map[string]any); booking["reservationConfirmationCode"] != code || booking["state"] != "CONFIRMED" {
		t.Fatalf("want the booking of %s, got %v", code, booking)
	}
	o.requireRefusal("GET", "/_mock/state?limit=-1", "", 400, "limit: expected")
	o.requireRefusal("GET", "/_mock/state?size=1", "", 400, `no parameter "size"`)
}

func TestTheJournalIsQueriedAndCleared(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("GET", "/products?limit=1", "", 200)
	o.call("DELETE", "/bookings/x", "", 200)
	o.call("POST", "/bookings/reserve", "{}", 400)
	o.call("GET", "/_mock/state", "", 200)
	for query, want := range map[string][]string{
		"":                            {"/products?limit=1", "/bookings/x", "/bookings/reserve"},
		"?endpoint=release":           {"/bookings/x"},
		"?status=400":                 {"/bookings/reserve"},
		"?method=get":                 {"/products?limit=1"},
		"?contains=bookings&limit=1":  {"/bookings/reserve"},
		"?after=1&status=200":         {"/bookings/x"},
		"?endpoint=cancel":            {},
		"?status=200&endpoint=cancel": {},
	} {
		answer := o.call("GET", "/_mock/journal"+query, "", 200)
		got := []string{}
		for _, e := range answer["exchanges"].([]any) {
			got = append(got, e.(map[string]any)["target"].(string))
		}
		if !slices.Equal(got, want) || answer["arrived"] != 3.0 {
			t.Errorf("%q: want %v, got %v of %v", query, want, got, answer["arrived"])
		}
	}
	o.requireRefusal("GET", "/_mock/journal?status=ok", "", 400, "status: expected a status such as 404")
	o.requireRefusal("GET", "/_mock/journal?status=1&limit=-2", "", 400, "limit: expected a number")
	if answer := o.call("DELETE", "/_mock/journal", "", 200); answer["kept"] != 0.0 {
		t.Fatalf("want an empty journal, got %v", answer)
	}
}

func TestSandboxesAreMadeListedAndDeleted(t *testing.T) {
	t.Parallel()
	o := start(t)
	made := o.call("POST", "/_mock/sandboxes", `{"name":"mine","seed":18446744073709551615,"now":"2027-01-01T00:00:00Z","frozen":true,"holdFor":"15m","policy":{"noHolds":true,"codes":"awkward"}}`, 201)
	if made["baseUrl"] != o.base+"/s/mine" || made["now"] != "2027-01-01T00:00:00Z" || made["frozen"] != true {
		t.Fatalf("want what was asked for, got %v", made)
	}
	box, ok := o.mock.Sandbox("mine")
	if want := (catalog.Policy{NoHolds: true, Codes: catalog.AwkwardCodes}); !ok || box.Platform().Conduct().Policy != want || box.Platform().Seed() != 1<<64-1 {
		t.Fatalf("want the sandbox with its policy and seed, got %+v", box.Platform().Conduct().Policy)
	}
	listed := o.call("GET", "/_mock/sandboxes", "", 200)["sandboxes"].([]any)
	if len(listed) != 2 || listed[1].(map[string]any)["name"] != "mine" {
		t.Fatalf("want default and mine, got %v", listed)
	}
	o.requireRefusal("POST", "/_mock/sandboxes", `{"name":"mine"}`, 409, "a sandbox with this name exists already: mine")
	o.call("DELETE", "/_mock/sandboxes/mine", "", 200)
	o.requireRefusal("GET", "/s/mine/products", "", 404, `no sandbox "mine"`)
	o.requireRefusal("DELETE", "/_mock/sandboxes/mine", "", 404, `no sandbox "mine"`)
	o.requireRefusal("DELETE", "/_mock/sandboxes/default", "", 409, "cannot be deleted")
}

func TestASandboxMaySellACatalogOfItsOwn(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/sandboxes", `{"name":"generated","products":3,"options":2,"seed":5}`, 201)
	box, _ := o.mock.Sandbox("generated")
	if n := len(box.Platform().Catalog().Products); n != 3 {
		t.Fatalf("want 3 products, got %d", n)
	}
	own := `{"name":"own","catalog":{"noCancel":true,"products":[{"id":"p","internalName":"P","locale":"en","timeZone":"UTC","instantConfirmation":true,
		"options":[{"id":"o","internalName":"O","availabilityType":"OPENING_HOURS","units":[{"id":"unit-adult","internalName":"A","type":"ADULT","pricingFrom":[{"original":1,"currency":"EUR"}]}]}],
		"schedules":{"o":{"opens":"09:00","closes":"18:00","cutOff":"1h","capacity":{"min":1,"max":1}}}}]}}`
	o.call("POST", "/_mock/sandboxes", own, 201)
	box, _ = o.mock.Sandbox("own")
	if _, ok := box.Platform().Catalog().Product("p"); !ok || !box.Platform().Conduct().Policy.NoCancel {
		t.Fatal("want the catalog that was sent, and its policy")
	}
	o.requireRefusal("POST", "/_mock/sandboxes", strings.Replace(strings.Replace(own, "UTC", "Mars", 1), "own", "bad", 1), 400, "products[0].timeZone: expected an IANA time zone")
}

func TestInvalidSandboxesAreRefused(t *testing.T) {
	t.Parallel()
	o := start(t, func(options *mockpartner.Options) { options.MaxSandboxes = 2 })
	for body, words := range map[string]string{
		"":                                      "expected a JSON object",
		`{}`:                                    "name: expected 1 to 63",
		`{"name":"Ä"}`:                          "name: expected 1 to 63",
		`{"name":"x","sed":1}`:                  `unknown field "sed"`,
		`{"name":"x","seed":-1}`:                "cannot be read",
		`{"name":"x","now":"noon"}`:             "now: ",
		`{"name":"x","holdFor":"soon"}`:         "holdFor: expected",
		`{"name":"x","holdFor":"1ms"}`:          "holdFor: expected",
		`{"name":"x","policy":{"codes":"odd"}}`: "policy codes: expected plain or awkward",
		`{"name":"x","policy":{"noHold":true}}`: `unknown field "noHold"`,
		`{"name":"x","products":3}`:             "options: expected a number from 1",
		`{"name":"x","options":3}`:              "products: expected a number from 1",
		`{"name":"x","products":1,"options":1,"catalog":{}}`: "not both",
		`{"name":"x","catalog":{}}`:                          "products: expected at least one product",
		`{"name":"x","catalog":null}`:                        "catalog:1:1: ",
		`{"name":"x","catalog":[]}`:                          "catalog:1:1: ",
		`{"name":"x","catalog":{"product":[]}}`:              `unknown field "product"`,
	} {
		o.requireRefusal("POST", "/_mock/sandboxes", body, 400, words)
	}
	o.call("POST", "/_mock/sandboxes", `{"name":"x"}`, 201)
	o.requireRefusal("POST", "/_mock/sandboxes", `{"name":"y"}`, 409, "the maximum number of sandboxes is reached, 2: delete one")
	if n := len(o.mock.Routes()); n < 17 {
		t.Fatalf("want the rest of the mock unharmed, got %d routes", n)
	}
}

func TestRoutesAreListedWithAbsoluteURLs(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/sandboxes", `{"name":"mine"}`, 201)
	for prefix, base := range map[string]string{"": o.base, "/s/default": o.base, "/s/mine": o.base + "/s/mine"} {
		var urls []string
		for _, r := range o.call("GET", prefix+"/_mock/routes", "", 200)["routes"].([]any) {
			urls = append(urls, r.(map[string]any)["url"].(string))
		}
		for _, want := range []string{"/products", "/bookings/{reservationCode}", "/_mock/clock"} {
			if !slices.Contains(urls, base+want) {
				t.Errorf("%s: want %s, got %v", prefix, base+want, urls)
			}
		}
	}
}

// Every listed route is answered, and no other one.
func TestEveryRouteIsAnswered(t *testing.T) {
	t.Parallel()
	o := start(t)
	routes := o.mock.Routes()
	if !reflect.DeepEqual(routes[6:], control.AllRoutes(nil)) {
		t.Fatal("want the partner's six routes, then the control API's")
	}
	for _, route := range routes {
		request, err := http.NewRequestWithContext(t.Context(), route.Method, o.base+strings.NewReplacer("{", "%7B", "}", "%7D", "/wait", "/wait?timeout=0s").Replace(route.Path), nil)
		check(t, err)
		response, err := http.DefaultTransport.RoundTrip(request)
		check(t, err)
		response.Body.Close()
		if unnamed := response.StatusCode == 404 && !strings.Contains(route.Path, "/{"); unnamed || response.StatusCode == 405 || response.StatusCode >= 500 {
			t.Errorf("%s %s: got %d", route.Method, route.Path, response.StatusCode)
		}
	}
}

func TestUnknownControlPathsAndMethodsAreAnsweredInJSON(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.requireRefusal("GET", "/_mock/nothing", "", 404, "/_mock/routes lists the paths")
	o.requireRefusal("PUT", "/_mock/clock", "", 405, "does not support PUT: use GET, POST")
	o.requireRefusal("GET", "/s/nobody/_mock/clock", "", 404, `no sandbox "nobody"`)
	o.requireRefusal("GET", "/s/%6eobody/products", "", 404, "no sandbox")
}

func TestATokenIsWantedWhereThereIsOne(t *testing.T) {
	t.Parallel()
	const token = "a-control-token"
	o := start(t, func(options *mockpartner.Options) { options.ControlToken = token })
	o.requireRefusal("GET", "/_mock/clock", "", 401, "Authorization: Bearer <token>")
	o.requireRefusal("POST", "/_mock/clock", `{"advance":"1h"}`, 401, "Authorization: Bearer <token>")
	o.requireRefusal("GET", "/_mock/nothing", "", 401, "Authorization: Bearer <token>")
	for _, wrong := range []string{"", token, "Bearer " + token + "x", "bearer " + token} {
		o.send("GET", "/_mock/clock", "", 401, http.Header{"Authorization": {wrong}})
	}
	o.call("GET", "/_mock/healthz", "", 200)
	answer := o.send("POST", "/_mock/clock", `{"advance":"1h"}`, 200, http.Header{"Authorization": {"Bearer " + token}})
	if answer["now"] != "2026-07-01T13:00:00Z" {
		t.Fatalf("want the clock moved once, got %v", answer)
	}
	o.call("GET", "/products", "", 200)
}

func TestWithoutATokenTheControlAPIAnswersOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	o := start(t)
	for address, want := range map[string]int{"127.0.0.1": 200, "::1": 200, "192.0.2.7": 403, "2001:db8::1": 403} {
		request := httptest.NewRequest("GET", "http://localhost:8081/_mock/clock", nil)
		local := &net.TCPAddr{IP: net.ParseIP(address), Port: 8081}
		recorded := httptest.NewRecorder()
		o.mock.ServeHTTP(recorded, request.WithContext(context.WithValue(request.Context(), http.LocalAddrContextKey, local)))
		if recorded.Code != want {
			t.Errorf("at %s: want %d, got %d: %s", address, want, recorded.Code, recorded.Body)
		}
	}
}
