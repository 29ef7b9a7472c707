package control_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// stream reads server-sent events.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
}

// events begins a stream; the mock has taken it on when it returns.
func (o operator) events(query string) stream {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), "GET", o.base+"/_mock/journal/events"+query, nil)
	check(o.t, err)
	response, err := http.DefaultTransport.RoundTrip(request)
	check(o.t, err)
	o.t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); response.StatusCode != 200 || kind != "text/event-stream" {
		o.t.Fatalf("want an event stream, got %s, %s", response.Status, kind)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	return stream{o.t, lines}
}

// nextEvent returns the next event; its name is empty at the end.
func (s stream) nextEvent() (name string, data map[string]any) {
	s.t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		if event, ok := strings.CutPrefix(line, "event: "); ok {
			name = event
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(text), &data); err != nil {
				s.t.Fatalf("%v: %s", err, text)
			}
		}
		if line == "" && name != "" {
			return name, data
		}
	}
	return "", nil
}

func TestExchangesAreStreamedAsTheyArriveAndEnd(t *testing.T) {
	t.Parallel()
	o := start(t)
	all, refused := o.events(""), o.events("?status=400")
	o.call("GET", "/products?limit=1", "", 200)
	o.call("POST", "/bookings/reserve", "{}", 400)
	for _, target := range []string{"/products?limit=1", "/bookings/reserve"} {
		for _, want := range []string{"arrived", "ended"} {
			if name, data := all.nextEvent(); name != want || data["target"] != target {
				t.Fatalf("want %s of %s, got %s %v", want, target, name, data)
			}
		}
	}
	if name, data := refused.nextEvent(); name != "ended" || data["status"] != 400.0 {
		t.Fatalf("want the refusal alone, got %s %v", name, data)
	}
	o.mock.Close()
	if name, data := all.nextEvent(); name != "dropped" || data["message"] != "the journal is closed" {
		t.Fatalf("Expected a report of the end, received %s %v", name, data)
	}
	if name, _ := all.nextEvent(); name != "" {
		t.Fatalf("want the stream at its end, got %s", name)
	}
	o.requireRefusal("GET", "/_mock/journal/events", "", 503, "closed")
}

func TestAStreamEndsWithItsSandbox(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/sandboxes", `{"name":"mine"}`, 201)
	mine := operator{t, o.mock, o.base + "/s/mine"}.events("")
	o.call("DELETE", "/_mock/sandboxes/mine", "", 200)
	if name, _ := mine.nextEvent(); name != "dropped" {
		t.Fatalf("want the stream dropped, got %q", name)
	}
}

func TestAWaitIsAnsweredWhenTheExchangeIsThere(t *testing.T) {
	t.Parallel()
	o := start(t)
	waiting := make(chan map[string]any, 1)
	go func() {
		defer close(waiting) // also when the call fails the test
		waiting <- o.call("GET", "/_mock/journal/wait?endpoint=products&count=2&timeout=1m", "", 200)
	}()
	o.call("GET", "/products?limit=1", "", 200)
	o.call("DELETE", "/bookings/x", "", 200)
	o.call("GET", "/products?limit=1", "", 200)
	if answer := <-waiting; answer["met"] != true || answer["count"] != 2.0 {
		t.Fatalf("want it met by two exchanges, got %v", answer)
	}
	if answer := o.call("GET", "/_mock/journal/wait?count=4&timeout=10ms", "", 200); answer["met"] != false || answer["count"] != 3.0 {
		t.Fatalf("want it not met by three exchanges, got %v", answer)
	}
	if answer := o.call("GET", "/_mock/journal/count?endpoint=release", "", 200); answer["count"] != 1.0 {
		t.Fatalf("want one release counted, got %v", answer)
	}
	o.requireRefusal("GET", "/_mock/journal/wait?timeout=2m", "", 400, "timeout: expected a duration of at most 1m0s")
	o.requireRefusal("GET", "/_mock/journal/wait?count=few", "", 400, "count: expected a number")
	o.requireRefusal("GET", "/_mock/journal/wait?limit=1", "", 400, `no parameter "limit"`)
	o.requireRefusal("GET", "/_mock/journal/count?done=perhaps", "", 400, "done: expected true or false")
	o.requireRefusal("GET", "/_mock/journal/events?size=1", "", 400, `no parameter "size"`)
	o.requireRefusal("GET", "/_mock/journal/har?after=x", "", 400, "after: expected a number")
}

func TestAnExchangeRecordsWhatItTouched(t *testing.T) {
	t.Parallel()
	o := start(t)
	code := o.reserve("", key)
	o.call("POST", "/bookings/confirm", fmt.Sprintf(`{"reservationConfirmationCode":%q}`, code), 200)
	o.call("GET", "/products?limit=1", "", 200)
	touched := o.call("GET", "/_mock/journal?hold="+code, "", 200)["exchanges"].([]any)
	if len(touched) != 2 {
		t.Fatalf("want reserve and confirm, got %v", touched)
	}
	reserved, confirmed := touched[0].(map[string]any), touched[1].(map[string]any)
	at := func(exchange map[string]any, moment, thing, field string) any {
		object, _ := exchange[moment].(map[string]any)[thing].(map[string]any)
		return object[field]
	}
	if left, then := at(reserved, "before", "slot", "vacancies").(float64), at(reserved, "after", "slot", "vacancies").(float64); left != then+1 {
		t.Errorf("want a seat less, got %v and then %v", left, then)
	}
	if at(reserved, "before", "hold", "state") != nil || at(reserved, "after", "hold", "state") != "HELD" {
		t.Errorf("want a new hold, got %v", reserved)
	}
	if at(confirmed, "before", "hold", "state") != "HELD" || at(confirmed, "after", "hold", "state") != "CONFIRMED" || at(confirmed, "after", "booking", "state") != "CONFIRMED" {
		t.Errorf("want hold and booking confirmed, got %v", confirmed)
	}
	if booking, _ := at(confirmed, "after", "booking", "externalBookingId").(string); o.call("GET", "/_mock/journal/count?booking="+booking, "", 200)["count"] != 1.0 {
		t.Errorf("want the confirm found by its booking %q", booking)
	}
}

func TestTheJournalIsExportedAsAnArchive(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("GET", "/products?limit=1", "", 200)
	o.call("DELETE", "/bookings/x", "", 200)
	archive := o.call("GET", "/_mock/journal/har?endpoint=products", "", 200)["log"].(map[string]any)
	entries := archive["entries"].([]any)
	if archive["version"] != "1.2" || len(entries) != 1 {
		t.Fatalf("want one entry, got %v", archive)
	}
	if request := entries[0].(map[string]any)["request"].(map[string]any); request["url"] != o.base+"/products?limit=1" {
		t.Fatalf("want an absolute URL, got %v", request["url"])
	}
}

func TestTestimonyIsRecordedAndListed(t *testing.T) {
	t.Parallel()
	o := start(t)
	reported := o.call("POST", "/_mock/testimony", `{"died":["127.0.0.1:40112","[::ffff:10.0.0.7]:99","10.0.0.8"],"at":"2026-07-01T09:00:00Z"}`, 201)
	if reported["since"] != "2026-07-01T08:59:59Z" {
		t.Errorf("want a second filled in, got %v", reported)
	}
	o.call("POST", "/_mock/testimony", `{"byHand":"a/b c"}`, 201)
	list := o.call("GET", "/_mock/testimony", "", 200)["testimony"].([]any)
	if len(list) != 2 || list[0].(map[string]any)["died"].([]any)[1] != "10.0.0.7:99" || list[1].(map[string]any)["byHand"] != "a/b c" {
		t.Errorf("want both, with addresses as the journal has them, got %v", list)
	}
	o.call("DELETE", "/_mock/journal", "", 200)
	if list := o.call("GET", "/_mock/testimony", "", 200)["testimony"].([]any); len(list) != 0 {
		t.Errorf("want none once the journal is empty, got %v", list)
	}
	for body, words := range map[string]string{
		`{}`:                             "expected either died",
		`{"died":["here"],"byHand":"c"}`: "expected either died",
		`{"died":["here"]}`:              `such as 127.0.0.1:40112, received "here"`,
		`{"byHand":"c","at":"2026-07-01T09:00:00Z"}`:                                          "at and since are only for died",
		`{"died":["127.0.0.1:1"],"at":"2026-07-01T09:00:00Z","since":"2026-07-01T09:00:01Z"}`: "since: expected a time that is not after at",
		`{"died":["127.0.0.1:1"],"when":"now"}`:                                               "when",
		`{"byHand":"` + strings.Repeat("c", 1025) + `"}`:                                      "at most 1024 bytes",
	} {
		if message, _ := o.call("POST", "/_mock/testimony", body, 400)["message"].(string); !strings.Contains(message, words) {
			t.Errorf("%.60s: want %q, got %q", body, words, message)
		}
	}
}

func TestExchangesAreChosenByStatusFaultTextAndWithoutProbes(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/faults", `[{"name":"down","match":{"endpoint":"cancel"},"status":503},{"name":"cut","match":{"path":"/cut"},"fault":"EMPTY_RESPONSE"},{"match":{"query":{"limit":"1"}},"after":1,"times":1,"status":500}]`, 201)
	for _, call := range []struct {
		method, target, body string
	}{
		1: {"GET", "/products?limit=1", ""},
		2: {"GET", "/products?limit=1", ""}, // fails
		3: {"GET", "/healthz", ""},
		4: {"POST", "/bookings/x/cancel", `{"reason":"fell ill"}`},
		5: {"DELETE", "/bookings/lost", ""},
		6: {"GET", "/cut", ""},
		7: {"POST", "/healthz", ""},
	} {
		if call.method != "" {
			o.callAlone(call.method, call.target, call.body)
			o.lastExchange()
		}
	}
	for query, want := range map[string]string{
		"":                        "[1 2 3 4 5 6 7]",
		"probes=true":             "[1 2 3 4 5 6 7]",
		"probes=false":            "[2 4 5 6 7]",
		"status=5xx":              "[2 4]",
		"status=503":              "[4]",
		"status=none":             "[6]",
		"status=2xx":              "[1 5]",
		"fault=down":              "[4]",
		"fault=*":                 "[2 4 6]",
		"text=ill":                "[4]",
		"text=lost":               "[5]",
		"text=fault+down":         "[4]",
		"status=5xx&probes=false": "[2 4]",
	} {
		var numbers []any
		for _, e := range o.call("GET", "/_mock/journal?"+query, "", 200)["exchanges"].([]any) {
			numbers = append(numbers, e.(map[string]any)["number"])
		}
		if got := fmt.Sprint(numbers); got != want {
			t.Errorf("%s: want %s, got %s", query, want, got)
		}
		if got := o.call("GET", "/_mock/journal/count?"+query, "", 200)["count"]; got != float64(len(numbers)) {
			t.Errorf("%s: want %d counted, got %v", query, len(numbers), got)
		}
	}
	o.requireRefusal("GET", "/_mock/journal?status=6xx", "", 400, `status: expected a status such as 404, a class such as 5xx, or none, received "6xx"`)
	o.requireRefusal("GET", "/_mock/journal?probes=no", "", 400, "probes: expected true or false")
}

func TestTheVerdictIsPrintedAsJSONOrAsText(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("GET", "/products?limit=2", "", 200)
	for _, query := range []string{"", "?format=json"} {
		if verdict := o.call("GET", "/_mock/verdict"+query, "", 200); verdict["verdict"] != "broken" {
			t.Errorf("%s: want it broken, got %v", query, verdict["verdict"])
		}
	}
	kind, text := o.get("/_mock/verdict?format=text")
	if kind != "text/plain; charset=utf-8" || !strings.HasPrefix(text, "broken: ") || !strings.Contains(text, "#1 ") {
		t.Errorf("want it in words, got %s: %s", kind, text)
	}
	o.requireRefusal("GET", "/_mock/verdict?format=xml", "", 400, `format: expected json or text, received "xml"`)
	o.requireRefusal("GET", "/_mock/verdict?fromat=text", "", 400, `there is no parameter "fromat"`)
}
