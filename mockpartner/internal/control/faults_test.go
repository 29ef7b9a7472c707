package control_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func names(list any) (all []string) {
	for _, fault := range list.([]any) {
		all = append(all, fault.(map[string]any)["name"].(string))
	}
	return all
}

func TestAFaultThatWillNotFireAgainIsUsedUp(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/faults", `[
		{"name":"other","match":{"endpoint":"cancel"},"times":1,"status":500},
		{"name":"after","after":5,"times":1,"status":500},
		{"name":"until","until":2,"probability":0.000001,"status":500},
		{"name":"past","until":"2026-07-01T12:00:00Z","status":500},
		{"name":"future","until":"2026-07-01T13:00:00Z","match":{"endpoint":"cancel"},"status":500},
		{"name":"keyed","key":"caller","times":1,"status":500},
		{"name":"once","times":1,"status":500}
	]`, 201)
	used := func() (names []string) {
		for _, fault := range o.call("GET", "/_mock/faults", "", 200)["faults"].([]any) {
			if fault := fault.(map[string]any); fault["usedUp"] == true {
				names = append(names, fault["name"].(string))
			}
		}
		return names
	}
	for _, want := range []string{"[past]", "[past once]", "[until past once]"} {
		if got := fmt.Sprint(used()); got != want {
			t.Errorf("want %s, got %s", want, got)
		}
		o.callAlone("GET", "/products?limit=1", "")
		o.lastExchange()
	}
	o.call("POST", "/_mock/clock", `{"advance":"2h"}`, 200)
	if got := fmt.Sprint(used()); got != "[until past future once]" {
		t.Errorf("want the one that is over too, got %s", got)
	}
}

func TestFaultsAreArmedListedAndDisarmed(t *testing.T) {
	t.Parallel()
	o := start(t)
	armed := o.call("POST", "/_mock/faults", `{"match":{"endpoint":"products"},"times":1,"status":503}`, 201)
	if got := names(armed["faults"]); !reflect.DeepEqual(got, []string{"fault-1"}) {
		t.Fatalf("want it named, got %v", got)
	}
	o.call("POST", "/_mock/faults", `[{"name":"a","match":{"endpoint":"cancel"},"status":500},{"name":"b","match":{"endpoint":"reserve"},"delay":"1ms"}]`, 201)
	request, err := http.NewRequestWithContext(t.Context(), "GET", o.base+"/products?limit=1", nil)
	check(t, err)
	answer, err := http.DefaultTransport.RoundTrip(request)
	check(t, err)
	answer.Body.Close()
	if answer.StatusCode != 503 {
		t.Fatalf("want the fault, got %s", answer.Status)
	}
	list := o.call("GET", "/_mock/faults", "", 200)
	if got := names(list["faults"]); !reflect.DeepEqual(got, []string{"fault-1", "a", "b"}) {
		t.Fatalf("want them in order, got %v", got)
	}
	first, _ := json.Marshal(list["faults"].([]any)[0])
	if want := `{"considered":1,"fired":1,"keys":1,"leftAlone":0,"match":{"endpoint":"products"},"matched":1,"name":"fault-1","status":503,"times":1,"usedUp":true}`; string(first) != want {
		t.Fatalf("want %s, got %s", want, first)
	}
	if got := fmt.Sprint(list["neverFired"]); got != "[a b]" {
		t.Fatalf("want those that never fired, got %s", got)
	}
	if got := o.call("DELETE", "/_mock/faults/a", "", 200); got["deleted"] != "a" {
		t.Fatalf("want a gone, got %v", got)
	}
	if got := o.call("DELETE", "/_mock/faults", "", 200); got["deleted"] != 2.0 {
		t.Fatalf("want the other two gone, got %v", got)
	}
	if got := o.call("GET", "/_mock/faults", "", 200); len(got["faults"].([]any)) != 0 {
		t.Fatalf("want none left, got %v", got)
	}
}

func TestFaultsThatCannotBeArmedAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/faults", `{"name":"a","status":500}`, 201)
	for body, want := range map[string]struct {
		status int
		words  string
	}{
		``:                               {400, "body: expected a fault or a list of faults, received nothing"},
		`{"stats":500}`:                  {400, `body:1:2: unknown field "stats"`},
		`{"status":50}`:                  {400, "body:1:11: status: expected a number from 200 to 599, received 50"},
		`[{"status":500},{"jq":".["}]`:   {400, "body:1:23: [1].jq: expected a jq program"},
		`{"name":"a","status":500}`:      {409, "[0].name: a fault with this name exists already: a"},
		`{"name":"b"}`:                   {400, "the fault does nothing"},
		strings.Repeat("[", 1000):        {400, "nested deeper than 100 levels"},
		strings.Repeat(" ", 1<<20) + `1`: {413, "the body is larger than 1048576 bytes"},
		`[` + strings.Repeat(`{"status":500},`, 256) + `{"status":500}]`: {400, "the maximum number of faults is reached, 256"},
		`[` + strings.Repeat(`{"status":500},`, 255) + `{"status":500}]`: {409, "the maximum number of faults is reached, 256"},
	} {
		got := o.call("POST", "/_mock/faults", body, want.status)
		if message := fmt.Sprint(got["message"]); !strings.Contains(message, want.words) {
			t.Errorf("%.60s: want %q, got %s", body, want.words, message)
		}
	}
	if got := o.call("DELETE", "/_mock/faults/none", "", 404); !strings.Contains(fmt.Sprint(got["message"]), "GET /_mock/faults lists them") {
		t.Errorf("want the way out, got %v", got)
	}
	if got := names(o.call("GET", "/_mock/faults", "", 200)["faults"]); len(got) != 1 {
		t.Errorf("want nothing armed by a refused list, got %v", got)
	}
}

func TestTheSchemaOfScenariosIsServed(t *testing.T) {
	t.Parallel()
	if got := start(t).call("GET", "/_mock/scenario/schema", "", 200); got["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Fatalf("want the schema, got %v", got)
	}
}
