package mockpartner_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// check ends the test on an error.
var check = errtest.Check

const key = "a-key-for-tests"

// noon is where the tests' clocks stand: a Wednesday, in summer.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// caller calls a mock over HTTP.
type caller struct {
	t     *testing.T
	mock  *mockpartner.Mock
	base  string
	key   string // as the Authorization header has it; empty: no header
	clock *clock.Virtual
	// Its own: a test server that ends closes the idle connections of
	// http.DefaultTransport, and some scripts count the calls of a connection.
	transport *http.Transport
}

// newCaller calls the mock that is served at base, on connections of its own.
func newCaller(t *testing.T, mock *mockpartner.Mock, base string) caller {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return caller{t: t, mock: mock, base: base, key: "Bearer " + key, clock: mock.Default().Clock(), transport: transport}
}

// start serves a mock with a frozen clock.
func start(t *testing.T, change ...func(*mockpartner.Options)) caller {
	t.Helper()
	options := mockpartner.Options{AuthKey: key, Now: noon, Frozen: true, Seed: 1}
	for _, c := range change {
		c(&options)
	}
	mock := mocktest.Start(t, options)
	return newCaller(t, mock.Mock, mock.URL)
}

// answer is what came back.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   string
}

// call sends a request; a body is sent as JSON. The path is escaped already.
func (c caller) call(method, path, body string) answer {
	c.t.Helper()
	return c.send(method, path, body, nil)
}

func (c caller) send(method, path, body string, header http.Header) answer {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	check(c.t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		request.Header.Set("Authorization", c.key)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := c.transport.RoundTrip(request)
	check(c.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(c.t, err)
	return answer{c.t, method + " " + path, response.StatusCode, response.Header, string(text)}
}

// is expects a status, and a JSON body that keeps the schema.
func (a answer) is(status int, schema string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: want %d, got %d: %s", a.what, status, a.status, a.body)
	}
	if kind := a.header.Get("Content-Type"); kind != "application/json" {
		a.t.Fatalf("%s: want application/json, got %q", a.what, kind)
	}
	for _, problem := range schemas.Validate(schema, []byte(a.body)) {
		a.t.Fatalf("%s: %s", a.what, problem)
	}
	return a
}

// requireRefusal expects a status and a message that holds the words.
func (a answer) requireRefusal(status int, words string) {
	a.t.Helper()
	a.is(status, schemas.Refusal)
	if !strings.Contains(read[partnerapi.Refusal](a).Message, words) {
		a.t.Fatalf("%s: want a message with %q, got %s", a.what, words, a.body)
	}
}

// read decodes an answer.
func read[T any](a answer) T {
	a.t.Helper()
	var value T
	if err := json.Unmarshal([]byte(a.body), &value); err != nil {
		a.t.Fatalf("%s: %v: %s", a.what, err, a.body)
	}
	return value
}

// The slots that most tests book: of an option whose seats are counted.
const (
	product = "tokyo-market"
	option  = "breakfast"
	day     = "2026-07-10"
)

func window(from, to string) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"localDateStart":%q,"localDateEnd":%q,"units":[{"id":"unit-adult","quantity":1}]}`, product, option, from, to)
}

// slot returns the day's first slot, which has so many vacancies.
func (c caller) slot(seats int) partnerapi.Slot {
	c.t.Helper()
	id := c.slots()[0].ID
	err := c.mock.Default().Platform().SetSlot(product, option, id, client.SlotChange{Capacity: new(seats), Vacancies: new(seats)})
	check(c.t, err)
	return c.slots()[0]
}

func (c caller) slots() []partnerapi.Slot {
	c.t.Helper()
	return read[[]partnerapi.Slot](c.call("POST", partnerapi.AvailabilityPath, window(day, day)).is(200, schemas.AvailabilityAnswer))
}

// requireVacancies expects the day's first slot to have so many vacancies.
func (c caller) requireVacancies(want int) {
	c.t.Helper()
	if got := *c.slots()[0].Vacancies; got != want {
		c.t.Fatalf("want %d vacancies, got %d", want, got)
	}
}

func reserveBody(slotID string, adults int) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":%q,"units":[{"id":"unit-adult","quantity":%d}],"contact":{"fullName":"Ana Sousa"},"resellerReference":"b-1"}`, product, option, slotID, adults)
}

func confirmBody(code string) string {
	body, _ := json.Marshal(partnerapi.ConfirmRequest{ReservationConfirmationCode: code})
	return string(body)
}

func (c caller) reserve(slotID string, adults int) partnerapi.ReserveAnswer {
	c.t.Helper()
	return read[partnerapi.ReserveAnswer](c.call("POST", partnerapi.ReservePath, reserveBody(slotID, adults)).is(200, schemas.ReserveAnswer))
}

func (c caller) confirm(code string) answer {
	c.t.Helper()
	return c.call("POST", partnerapi.ConfirmPath, confirmBody(code))
}

func (c caller) release(code string) {
	c.t.Helper()
	c.succeeds(c.call("DELETE", partnerapi.ReleasePath(code), ""), schemas.ReleaseAnswer)
}

func (c caller) cancel(id string) {
	c.t.Helper()
	c.succeeds(c.call("POST", partnerapi.CancelPath(id), ""), schemas.CancelAnswer)
}

func (c caller) succeeds(a answer, schema string) {
	c.t.Helper()
	if !read[partnerapi.Done](a.is(200, schema)).Success {
		c.t.Fatalf("%s: want success true, got %s", a.what, a.body)
	}
}

// requireBalanced expects no violated invariant of the inventory, seen from outside.
func (c caller) requireBalanced() {
	c.t.Helper()
	if a := c.call("GET", "/_mock/invariants", ""); a.body != "{\"ok\":true,\"violations\":[]}\n" {
		c.t.Fatalf("want no violation, got %s", a.body)
	}
}

func withPolicy(p catalog.Policy) func(*mockpartner.Options) {
	return func(o *mockpartner.Options) {
		o.Catalog = catalog.Default()
		o.Catalog.Policy = p
	}
}
