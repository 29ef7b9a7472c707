package control_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/client"
)

// answered is how a call to the partner was answered.
type answered struct {
	status int
	header http.Header
	body   string
	broke  bool // the connection did, before the end of the answer
	took   time.Duration
}

// confirm sends a confirm on a connection of its own: a broken one must not break others.
func (o operator) confirm(code string) answered {
	o.t.Helper()
	return o.callAlone("POST", "/bookings/confirm", fmt.Sprintf(`{"reservationConfirmationCode":%q}`, code))
}

func (o operator) callAlone(method, path, body string) (a answered) {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), method, o.base+path, strings.NewReader(body))
	check(o.t, err)
	request.Header = http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "Accept-Encoding": {"identity"}}
	transport := &http.Transport{DisableKeepAlives: true}
	begun := time.Now()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return answered{broke: true, took: time.Since(begun)}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	response.Header.Del("Date")
	return answered{response.StatusCode, response.Header, string(text), err != nil, time.Since(begun)}
}

func (a answered) equals(b answered) bool {
	if a.broke || b.broke {
		return a.broke == b.broke && a.status == b.status
	}
	return a.status == b.status && a.body == b.body && fmt.Sprint(a.header) == fmt.Sprint(b.header)
}

// lastExchange is the newest exchange, once it is done.
func (o operator) lastExchange() client.Exchange {
	o.t.Helper()
	kept := o.mock.Default().Journal()
	check(o.t, kept.Wait(o.t.Context(), client.Filter{Done: true}, int(kept.Count().Arrived)))
	all := kept.Exchanges(client.Filter{})
	return all[len(all)-1]
}

func (o operator) armRecorded(number uint64) map[string]any {
	o.t.Helper()
	return o.call("POST", fmt.Sprintf("/_mock/faults/from/%d", number), "", 201)["faults"].([]any)[0].(map[string]any)
}

func TestAFaultFromARecordedExchangeAnswersTheNextCallTheSameOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  string // that breaks the recorded exchange
		effect bool   // the recorded confirm books
		wire   string // how the connection breaks
	}{
		"a confirm that succeeds":     {effect: true},
		"a status with a message":     {fault: `{"status":503,"body":{"message":"Try again later"},"headers":{"set":{"Retry-After":"7","X-Reason":"a, b"}}}`},
		"a body that is not JSON":     {fault: `{"status":502,"body":"<h1>Bad gateway</h1>","headers":{"set":{"Content-Type":"text/html"}}}`},
		"an answer without a body":    {fault: `{"status":500,"body":"","headers":{"remove":["Content-Type"]}}`},
		"no content":                  {fault: `{"status":204}`},
		"a failure after the booking": {fault: `{"when":"after","status":500}`, effect: true},
		"a compressed answer":         {fault: `{"status":500,"send":{"gzip":true}}`},
		"a connection that closes":    {fault: `{"fault":"EMPTY_RESPONSE"}`, wire: "EMPTY_RESPONSE"},
		"a reset after the booking":   {fault: `{"when":"after","fault":"CONNECTION_RESET_BY_PEER"}`, effect: true, wire: "CONNECTION_RESET_BY_PEER"},
		"garbage within the answer":   {fault: `{"when":"before","fault":"MALFORMED_RESPONSE_CHUNK"}`, wire: "MALFORMED_RESPONSE_CHUNK"},
		"an answer that is cut short": {fault: `{"status":500,"limit_data":{"bytes":4}}`, wire: "MALFORMED_RESPONSE_CHUNK"},
		"a late answer":               {fault: `{"status":500,"delay":"150ms"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := start(t)
			if c.fault != "" {
				o.call("POST", "/_mock/faults", strings.Replace(c.fault, "{", `{"match":{"endpoint":"confirm"},"times":1,`, 1), 201)
			}
			recorded := o.confirm(o.reserve("", key))
			armed := o.armRecorded(o.lastExchange().Number)
			if got := fmt.Sprint(armed["match"]); got != "map[endpoint:confirm]" || armed["times"] != 1.0 || c.wire != "" && armed["fault"] != c.wire {
				t.Errorf("want a fault of the next confirm, got %v", armed)
			}
			if got := o.confirm(o.reserve("", key)); !got.equals(recorded) || got.took < 150*time.Millisecond && strings.Contains(c.fault, "150ms") {
				t.Errorf("want %+v\ngot %+v", recorded, got)
			}
			o.lastExchange()
			for _, hold := range o.mock.Default().Platform().Holds() {
				if (hold.State == "CONFIRMED") != c.effect {
					t.Errorf("want the effect of the recorded call, %v, got %s", c.effect, hold.State)
				}
			}
			if got := o.confirm(o.reserve("", key)); got.status != 200 || c.effect && got.body == recorded.body {
				t.Errorf("want the fault used up, got %+v", got)
			}
		})
	}
}

func TestAFaultFromACallWhoseCallerLeftKeepsTheNextCallerLonger(t *testing.T) {
	t.Parallel()
	o := start(t)
	kept := o.mock.Default().Journal()
	entry := kept.Begin(client.Exchange{Endpoint: "confirm", Method: "POST", Target: "/bookings/confirm"})
	entry.RecordLeft()
	entry.End(500, client.Message{Body: client.Body("late")}, false)
	if got := fmt.Sprint(o.armRecorded(1)["delay"]); !strings.HasPrefix(got, "map[fixed:1") {
		t.Errorf("want a delay of a second more, got %s", got)
	}
}

func TestAFaultFromAProbeLeavesSyncsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ recorded, like, other string }{
		{"/products?limit=1", "/products?limit=1", "/products"},
		{"/products", "/products", "/products?limit=1"},
		{"/products?updated_since=2026-07-01T00:00:00Z", "/products?updated_since=2026-07-02T00:00:00Z", "/products"},
	} {
		o := start(t)
		o.call("POST", "/_mock/faults", `{"times":1,"status":418}`, 201)
		o.callAlone("GET", c.recorded, "")
		o.armRecorded(o.lastExchange().Number)
		if got := o.callAlone("GET", c.other, ""); got.status != 200 {
			t.Errorf("%s: want %s left alone, got %d", c.recorded, c.other, got.status)
		}
		if got := o.callAlone("GET", c.like, ""); got.status != 418 {
			t.Errorf("%s: want %s answered the same, got %d", c.recorded, c.like, got.status)
		}
	}
	o := start(t)
	o.callAlone("GET", "/nowhere", "")
	if got := fmt.Sprint(o.armRecorded(1)["match"]); got != "map[method:GET path:/nowhere]" {
		t.Errorf("want a call to no endpoint known by its path, got %s", got)
	}
}

func TestAnExchangeThatCannotBeRepeatedIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	o := start(t)
	kept := o.mock.Default().Journal()
	var refusals []string
	for _, m := range []client.Message{
		{Body: client.Body("\xff")},
		{Body: client.Body(strings.Repeat("x", 1<<20+1))},
		{Body: client.Body("x"), Truncated: true},
		{Body: client.Body("x"), Header: http.Header{"Content-Encoding": {"gzip"}}},
	} {
		entry := kept.Begin(client.Exchange{Endpoint: "cancel", Method: "POST", Target: "/"})
		entry.RecordDelivered()
		entry.End(500, m, false)
		message, _ := o.call("POST", fmt.Sprintf("/_mock/faults/from/%d", kept.Count().Arrived), "", 409)["message"].(string)
		_, reason, _ := strings.Cut(message, "no fault can repeat this exchange: ")
		refusals = append(refusals, reason)
	}
	if want := []string{"its body is not text", "its body is larger than 1 MiB", "its body is larger than 1 MiB", "its body cannot be decompressed: unexpected EOF"}; !slices.Equal(refusals, want) {
		t.Errorf("want %q, got %q", want, refusals)
	}
	kept.Begin(client.Exchange{Method: "GET", Target: "/products"})
	o.requireRefusal("POST", "/_mock/faults/from/5", "", 409, "it is still in progress")
	o.requireRefusal("POST", "/_mock/faults/from/6", "", 404, "the journal has no exchange 6: GET /_mock/journal lists them")
	o.requireRefusal("POST", "/_mock/faults/from/last", "", 400, `expected the number of an exchange, received "last"`)
	if armed := o.call("GET", "/_mock/faults", "", 200)["faults"].([]any); len(armed) > 0 {
		t.Errorf("want no fault armed, got %v", armed)
	}
}
