package mockpartner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas/partnerapi"
)

// impatience is how long the caller of a fuzzed request waits.
const impatience = 2 * time.Millisecond

// fuzzedCatalog is read once and small: there are many mocks.
var fuzzedCatalog = sync.OnceValue(func() *catalog.Catalog {
	sold := catalog.Default()
	sold.Products = slices.DeleteFunc(sold.Products, func(p catalog.Product) bool { return p.ID != product && p.ID != another })
	return sold
})

// another is a product beside the one that most tests book.
const another = "lisbon-walk"

// fuzzed is a mock that gets its requests without a server. In its first slot of
// the day a party is held, and another has booked.
type fuzzed struct {
	*mockpartner.Mock
	slot, held, booked, booking string
}

func newFuzzed(t testing.TB) fuzzed {
	t.Helper()
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key, Catalog: fuzzedCatalog(), Now: noon, Frozen: true, Seed: 1})
	check(t, err)
	business := mock.Default().Platform()
	adults := []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 2}}
	window, err := business.Availability(partnerapi.AvailabilityRequest{
		ProductID: product, OptionID: option, LocalDateStart: day, LocalDateEnd: day, Units: adults,
	})
	check(t, err)
	m := fuzzed{Mock: mock, slot: window.Slots[0].ID}
	check(t, business.SetSlot(product, option, m.slot, client.SlotChange{Capacity: new(9), Vacancies: new(9)}))
	for _, code := range []*string{&m.held, &m.booked} {
		hold, err := business.Reserve(partnerapi.ReserveRequest{ProductID: product, OptionID: option, AvailabilityID: m.slot, Units: adults}, nil)
		check(t, err)
		*code = hold.Code
	}
	booking, err := business.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: m.booked}, nil)
	check(t, err)
	m.booking = booking.ID
	return m
}

// request returns what a server would hand on; nil where none would.
func request(ctx context.Context, method, target, body string) *http.Request {
	if !strings.HasPrefix(target, "/") {
		return nil
	}
	made, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1"+target, strings.NewReader(body))
	if err != nil || made.Host != "127.0.0.1" {
		return nil
	}
	made.RequestURI = target
	made.Header.Set("Authorization", "Bearer "+key)
	return made
}

// serve expects an answer that is no 5xx.
func (m fuzzed) serve(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	m.ServeHTTP(answer, r)
	if answer.Code >= http.StatusInternalServerError {
		t.Fatalf("%s %s: want no 5xx, got %d: %s", r.Method, r.URL, answer.Code, answer.Body)
	}
	return answer
}

// requireInvariants expects every invariant of the inventory to hold.
func (m fuzzed) requireInvariants(t *testing.T) {
	t.Helper()
	if violations := m.Default().Platform().Invariants(); len(violations) > 0 {
		t.Fatalf("want no violation, got %v", violations)
	}
}

// FuzzPartner sends the partner endpoints anything, twice, and looks after the
// seats.
func FuzzPartner(f *testing.F) {
	m := newFuzzed(f)
	box := m.Default()
	if _, err := box.Save("begun"); err != nil {
		f.Fatal(err)
	}
	const kind, huge = "application/json", "9223372036854775807"
	ours := "Bearer " + key
	for _, seed := range []struct{ method, target, authorization, kind, body string }{
		{"GET", "/products", ours, "", ""},
		{"HEAD", "/products?limit=1", ours, "", ""},
		{"GET", "/products?limit=-1&updated_since=2026-07-01T09:00:00%2B02:00", ours, "", ""},
		{"GET", "/products?limit=%zz&limit=" + huge + "9", ours, "", ""},
		{"POST", partnerapi.AvailabilityPath, ours, kind, window(day, "2026-09-08")},
		{"POST", partnerapi.AvailabilityPath, ours, kind, window("0000-01-01", "0000-12-31")},
		{"POST", partnerapi.AvailabilityPath, ours, kind, window("9999-01-01", "9999-12-31")},
		{"POST", partnerapi.ReservePath, ours, kind, reserveBody(m.slot, 1)},
		{"POST", partnerapi.ReservePath, ours, "application/vnd.a+json; charset=utf-8", reserveBody(m.slot, 99_999_999)},
		{"POST", partnerapi.ReservePath, ours, "text/plain", reserveBody(m.slot, 1)},
		{"POST", partnerapi.ReservePath, ours, kind, strings.Replace(reserveBody(m.slot, 1), "1}]", huge+`},{"id":"unit-adult","quantity":`+huge+"}]", 1)},
		{"POST", partnerapi.ReservePath, ours, kind, strings.Repeat("[", 1000)},
		{"POST", partnerapi.ConfirmPath, ours, kind, confirmBody(m.held)},
		{"POST", partnerapi.ConfirmPath, ours, kind, confirmBody(m.booked)},
		{"POST", partnerapi.ConfirmPath, "Bearer another", kind, confirmBody(m.held)},
		{"DELETE", partnerapi.ReleasePath(m.held), ours, kind, confirmBody(m.held)},
		{"DELETE", partnerapi.ReleasePath(m.booked), ours, "", ""},
		{"DELETE", "/bookings/%2E%2E", ours, "", ""},
		{"DELETE", "/bookings/a%2Fb%00", ours, "", "null"},
		{"POST", partnerapi.CancelPath(m.booking), ours, kind, `{"reason":"rain"}`},
		{"POST", "/bookings//cancel", ours, "", ""},
		{"PATCH", "/bookings/../products", "", "", ""},
		{"GET", "/s/none/products", ours, "", ""},
	} {
		f.Add(seed.method, seed.target, seed.authorization, seed.kind, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, target, authorization, kind, body string) {
		check(t, box.Restore("begun"))
		box.Journal().Clear()
		for range 2 {
			r := request(t.Context(), method, target, body)
			if r == nil || strings.HasPrefix(r.URL.Path, "/_mock") {
				t.Skip()
			}
			r.Header.Set("Authorization", authorization)
			r.Header.Set("Content-Type", kind)
			m.serve(t, r)
			m.requireInvariants(t)
		}
	})
}

// FuzzControl sends the control API anything. Whatever it took, the partner sells
// as before once all that misbehaves is taken off.
func FuzzControl(f *testing.F) {
	m := newFuzzed(f)
	for _, route := range m.Routes() {
		f.Add(route.Method, strings.NewReplacer("{name}", sandbox.Default, "{id}", product, "{snapshot}", "begun").Replace(route.Path), "")
	}
	slot := fmt.Sprintf(`"productId":%q,"optionId":%q,"availabilityId":%q`, product, option, m.slot)
	const (
		secret   = `"secret":"0011223344556677001122334455667700112233445566770011223344556677"`
		webhooks = `{"url":"http://127.0.0.1:1/hooks",` + secret + `,"retries":{"attempts":1},"timeout":"1s","on":["bookings"]}`
		one      = `{"id":"p","internalName":"P","locale":"en","timeZone":"UTC","instantConfirmation":true,"options":[{"id":"o","internalName":"O","availabilityType":"START_TIME","units":[{"id":"unit-adult","internalName":"A","type":"ADULT","pricingFrom":[{"original":1,"currency":"EUR"}]}]}],"schedules":{"o":{"starts":["09:00"],"duration":"1h","capacity":{"min":1,"max":2}}}}`
	)
	for _, seed := range []struct{ method, target, body string }{
		{"POST", "/_mock/clock", `{"advance":"25m"}`},
		{"POST", "/_mock/clock", `{"advance":"2540400h","freeze":false}`},
		{"POST", "/_mock/clock", `{"set":"8999-12-31T23:59:59Z"}`},
		{"POST", "/_mock/clock", `{"set":"1970-01-01T00:00:00Z"}`},
		{"POST", "/_mock/clock", `{"set":"0000-01-01T00:00:00+23:59"}`},
		{"POST", "/_mock/clock/next", `{"kinds":["hold-expires"]}`},
		{"GET", "/_mock/clock/timers?limit=9223372036854775807", ""},
		{"GET", "/_mock/state?limit=0", ""},
		{"GET", "/_mock/slots?product=" + product + "&option=" + option + "&from=1970-01-01&days=60", ""},
		{"GET", "/_mock/slots?from=8999-12-31&days=60", ""},
		{"PATCH", "/_mock/slots", "{" + slot + `,"status":"SOLD_OUT"}`},
		{"PATCH", "/_mock/slots", "{" + slot + `,"vacancies":1000000,"capacity":0}`},
		{"GET", "/_mock/journal?endpoint=reserve&method=POST&status=2xx&contains=a&body=.a&done=true&after=1&limit=1", ""},
		{"GET", "/_mock/journal?body=[range(9)]&hold=a&slot=b&booking=c&fault=d", ""},
		{"GET", "/_mock/journal/wait?count=1&timeout=10ms", ""},
		{"GET", "/_mock/journal/events?endpoint=reserve", ""},
		{"GET", "/_mock/journal/har?limit=3", ""},
		{"GET", "/_mock/webhooks/wait?count=1&timeout=10ms&kind=notify&state=failed", ""},
		{"POST", "/_mock/faults", `{"match":{"endpoint":"products","body":".a"},"status":500,"delay":"10m"}`},
		{"POST", "/_mock/faults", `[{"fault":"EMPTY_RESPONSE"},{"jq":".[0]","headers":{"set":{"A":"b"}}}]`},
		{"POST", "/_mock/faults", `{"bandwidth":{"rate":1}}`},
		{"POST", "/_mock/faults", `{"slow_header":{"over":"10m"}}`},
		{"POST", "/_mock/quirks", `[{"on":"release","gives":"none"},{"drift":"products"},{"shuffle":true}]`},
		{"POST", "/_mock/quirks", `{"on":"reserve","race":"1ms"}`},
		{"POST", "/_mock/defects/slot-ids-drift", ""},
		{"POST", "/_mock/variants/awkward-codes", ""},
		{"PUT", "/_mock/scenario", "hold_for: 1s\nquirks: [{reuse: codes}]\npolicy: {noHolds: true}\nclock: {now: 2030-01-01T00:00:00Z}"},
		{"PUT", "/_mock/scenario", `{"seed":1,"faults":[{"status":500}],"webhooks":` + webhooks + `,"catalog":{"products":[` + one + `]}}`},
		{"PUT", "/_mock/catalog", `{"products":[` + one + `]}`},
		{"PUT", "/_mock/catalog", `{"products":[]}`},
		{"PUT", "/_mock/products/p", one},
		{"DELETE", "/_mock/products/" + product, ""},
		{"PUT", "/_mock/webhooks", webhooks},
		{"PUT", "/_mock/webhooks", `{"url":"http://10.0.0.1/hooks",` + secret + `}`},
		{"POST", "/_mock/webhooks/notify", "{" + slot + "}"},
		{"POST", "/_mock/sandboxes", `{"name":"mine","authKey":"k","seed":7,"now":"1970-01-01T00:00:00Z","frozen":true,"holdFor":"15m","policy":{"noCancel":true},"webhooks":` + webhooks + `}`},
		{"POST", "/_mock/sandboxes", `{"name":"mine","products":2,"options":2,"defects":["slot-ids-drift"],"variants":["gzip"]}`},
		{"POST", "/_mock/sandboxes/default/clone", `{"name":"mine","authKey":"k"}`},
		{"POST", "/_mock/sandboxes/default/snapshots", `{"name":"later"}`},
		{"POST", "/_mock/", "method=POST&path=/clock&text.set=2026-07-01T09:00:00Z"},
		{"GET", "/_mock/?view=slots&product=" + product, ""},
		{"POST", "/_mock/session", "token=a"},
		{"GET", "/s/default/_mock/healthz", ""},
	} {
		f.Add(seed.method, seed.target, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, target, body string) {
		m := newFuzzed(t)
		defer m.Close()
		if _, err := m.Default().Save("begun"); err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), impatience)
		defer cancel()
		r := request(impatient, method, target, body)
		if r == nil || !strings.HasPrefix(r.URL.Path, "/_mock") && !strings.HasPrefix(r.URL.Path, sandbox.PathPrefix) {
			t.Skip()
		}
		if method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/_mock/") {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		m.serve(t, r)
		m.bear(t)
		m.recover(t)
	})
}

// bear makes calls of an impatient caller, which may be answered in any way, or
// not at all.
func (m fuzzed) bear(t *testing.T) {
	t.Helper()
	for _, call := range [][3]string{
		{"GET", partnerapi.ProductsPath, ""},
		{"POST", partnerapi.AvailabilityPath, window(day, day)},
		{"POST", partnerapi.ReservePath, reserveBody(m.slot, 1)},
		{"POST", partnerapi.ConfirmPath, confirmBody(m.held)},
		{"DELETE", partnerapi.ReleasePath(m.held), ""},
		{"POST", partnerapi.CancelPath(m.booking), ""},
	} {
		m.call(t, call)
	}
}

func (m fuzzed) call(t *testing.T, call [3]string) {
	t.Helper()
	impatient, cancel := context.WithTimeout(t.Context(), impatience)
	defer cancel()
	defer func() {
		// A connection that is broken off on purpose; a panic of another kind is not.
		if thrown := recover(); thrown != nil {
			if err, ok := thrown.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				panic(thrown)
			}
		}
	}()
	m.ServeHTTP(httptest.NewRecorder(), request(impatient, call[0], call[1], call[2]))
}

// recover removes all faults, defects and variants, resets the partner, and expects that it sells
// again.
func (m fuzzed) recover(t *testing.T) {
	t.Helper()
	box := m.Default()
	for _, part := range []string{"faults", "quirks", "scenario"} {
		m.serve(t, request(t.Context(), http.MethodDelete, "/_mock/"+part, ""))
	}
	for _, origin := range box.Faults().Origins() { // defects and variants
		if _, err := box.Faults().Stop(origin); err != nil {
			t.Fatal(err)
		}
	}
	box.Reset()
	var listed []partnerapi.Product
	m.requireOK(t, request(t.Context(), http.MethodGet, partnerapi.ProductsPath, ""), &listed)
	first := listed[0].Options[0]
	today := box.Clock().Now()
	wanted, err := json.Marshal(partnerapi.AvailabilityRequest{
		ProductID: listed[0].ID, OptionID: first.ID,
		LocalDateStart: today.Format(time.DateOnly), LocalDateEnd: today.AddDate(0, 0, 7).Format(time.DateOnly),
		Units: []partnerapi.UnitQuantity{{ID: first.Units[0].ID, Quantity: 1}},
	})
	check(t, err)
	var slots []partnerapi.Slot
	m.requireOK(t, request(t.Context(), http.MethodPost, partnerapi.AvailabilityPath, string(wanted)), &slots)
	m.requireInvariants(t)
}

// requireOK expects 200, and decodes the answer.
func (m fuzzed) requireOK(t *testing.T, r *http.Request, into any) {
	t.Helper()
	answer := m.serve(t, r)
	if err := json.Unmarshal(answer.Body.Bytes(), into); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%s %s: want 200 and JSON, got %d, %v: %s", r.Method, r.URL, answer.Code, err, answer.Body)
	}
}
