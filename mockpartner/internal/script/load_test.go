package script_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/script"
)

// check ends the test on an error.
var check = errtest.Check

// good are scenarios that the loader takes.
var good = map[string]string{
	"a seed":                  "seed: 18446744073709551615",
	"a clock":                 "clock: {now: 2026-07-01T09:00:00+02:00, frozen: true}",
	"no faults":               "faults: []",
	"a name":                  "faults: [{name: a.b-c_1, status: 500}]",
	"the shortest fault":      "faults: [{status: 500}]",
	"a body alone":            "faults: [{body: {success: true, list: [1, null, 2.5]}}]",
	"JSON":                    `{"faults":[{"name":"a","match":{"endpoint":"reserve"},"status":500}]}`,
	"answer times":            "answer_times: {products: 1s, probe: 20ms, availability: 250ms, reserve: 1m30s, confirm: 0s, release: 1ms, cancel: 2s}",
	"a duration":              "faults: [{delay: 1m30s}]",
	"a uniform delay":         "faults: [{delay: {uniform: {min: 1ms, max: 2ms}}}]",
	"a lognormal delay":       "faults: [{delay: {lognormal: {median: 100ms, sigma: 0.5}}}]",
	"a dribble":               "faults: [{delay: {dribble: {chunks: 5, over: 1s}}}]",
	"a limit":                 "faults: [{delay: {just-over: reserve-degraded}}, {delay: {just-under: availability-aim}}]",
	"latency":                 "faults: [{latency: {latency: 1s, jitter: 100ms}}]",
	"a word of the wire":      "faults: [{fault: CONNECTION_RESET_BY_PEER, when: after}]",
	"toxics":                  "faults: [{limit_data: {bytes: 0}}, {bandwidth: {rate: 1}}, {slow_close: {delay: 1s}}, {slow_header: {over: 1s}}]",
	"the last one":            "faults: [{status: 500, last: true}]",
	"an exception":            "faults: [{match: {endpoint: reserve}, last: true}]",
	"several actions":         "faults: [{delay: 1s, status: 200, jq: ., headers: {set: {A: b}, remove: [C]}, limit_data: {bytes: 9}}]",
	"a match of everything":   "faults: [{status: 500, match: {endpoint: confirm, method: POST, path: /**, header: {A: '*'}, query: {b: c}, body: .a, state: {slot: LIMITED, hold: held, booking: unknown}}}]",
	"bounds":                  "faults: [{status: 500, key: slot, after: 2, until: 2026-07-01T09:00:00Z, times: 3, probability: 0.25}]",
	"bounds that are spans":   "faults: [{status: 500, after: 36h, until: 1m30s}]",
	"a drawn catalog":         "catalog: {noCancel: true, generate: {products: 3, options: 2, seed: 7}}",
	"before":                  "faults: [{when: before, delay: 1s}]",
	"before, with a status":   "faults: [{when: before, status: 500, jq: .}]",
	"a catalog of its own":    "catalog: {noHolds: true, products: [{id: p, internalName: P, locale: en, timeZone: UTC, instantConfirmation: true, options: [{id: o, internalName: O, availabilityType: START_TIME, units: [{id: unit-adult, internalName: A, type: ADULT, pricingFrom: [{original: 1, currency: EUR}]}]}], schedules: {o: {starts: ['09:00'], duration: 1h, capacity: {min: 1, max: 2}}}}]}",
	"comments and block form": "# a scenario\nfaults:\n  # one fault\n  - name: one\n    status: 500\n",
}

// bad are scenarios that it refuses: the place and words of its message, and
// whether the schema lets them pass since it cannot say it.
var bad = map[string]struct {
	text, message string
	beyondSchema  bool
}{
	"nothing":                     {"", "the scenario is empty", true},
	"only a comment":              {"# nothing\n", "the scenario is empty", true},
	"a text":                      {"faults", "1:1: ", false},
	"an unknown answer time":      {"answer_times: {bookings: 1s}", `1:16: unknown field "bookings"`, false},
	"a wrong answer time":         {"answer_times: {reserve: soon}", "1:25: ", false},
	"an unknown key":              {"seeds: 1", `1:1: unknown field "seeds"`, false},
	"a key of a later version":    {"weather: []", `1:1: unknown field "weather"`, false},
	"an unknown key of a fault":   {"faults:\n  - name: a\n    statsu: 500\n", `3:5: unknown field "statsu"`, false},
	"an unknown key of a delay":   {"faults: [{delay: {median: 1s}}]", `1:19: unknown field "median"`, false},
	"an unknown key of the match": {"faults: [{status: 500, match: {endpont: reserve}}]", `1:32: unknown field "endpont"`, false},
	"a seed below zero":           {"seed: -1", "1:7: ", false},
	"a seed that is a text":       {"seed: '7'", "1:7: seed: expected integer", false},
	"an odd time":                 {"clock: {now: noon}", "1:14: clock.now: ", true},
	"a list of no list":           {"faults: {status: 500}", "1:9: ", false},
	"an odd name":                 {"faults: [{name: a b, status: 500}]", `1:17: faults[0].name: expected up to 100 letters`, false},
	"a name twice":                {"faults:\n- {name: a, status: 500}\n- {name: a, status: 501}", "3:10: faults[1].name: a fault with this name exists already: a", true},
	"a name that is a number":     {"faults: [{name: 5, status: 500}]", "1:17: faults[0].name: expected string, received number", false},
	"no action":                   {"faults: [{name: a}]", "1:17: faults[0].name: the fault does nothing", false},
	"an exception to nothing":     {"faults: [{name: a, last: false}]", "1:17: faults[0].name: the fault does nothing", false},
	"a last one that is a text":   {"faults: [{status: 500, last: 'yes'}]", "1:30: expected true or false, received text", false},
	"an endpoint of none":         {"faults: [{status: 500, match: {endpoint: book}}]", "1:42: faults[0].match.endpoint: expected one of [products availability reserve confirm release cancel], received \"book\"", false},
	"a method of none":            {"faults: [{status: 500, match: {method: get}}]", "1:40: faults[0].match.method: expected one of [GET", false},
	"a state of no slot":          {"faults: [{status: 500, match: {state: {slot: OPEN}}}]", "1:46: faults[0].match.state.slot: expected one of [unknown AVAILABLE", false},
	"a state of no hold":          {"faults: [{status: 500, match: {state: {hold: HELD}}}]", "faults[0].match.state.hold: expected one of [unknown held", false},
	"a state of no booking":       {"faults: [{status: 500, match: {state: {booking: held}}}]", "faults[0].match.state.booking: expected one of [unknown confirmed", false},
	"a key of none":               {"faults: [{status: 500, key: guest}]", "1:29: faults[0].key: expected one of [none slot hold booking caller connection]", false},
	"a side of none":              {"faults: [{status: 500, when: during}]", "1:30: faults[0].when: expected one of [before after]", false},
	"before without an answer":    {"faults: [{when: before, jq: .}]", "1:17: faults[0].when: there is no answer to change before the effect", true},
	"fewer than no times":         {"faults: [{status: 500, times: -1}]", "1:31: faults[0].times: expected a number from 0", false},
	"a chance of 0":               {"faults: [{status: 500, probability: 0}]", "1:37: faults[0].probability: expected a number above 0", false},
	"a chance of 2":               {"faults: [{status: 500, probability: 2}]", "faults[0].probability: expected a number above 0", false},
	"an odd bound":                {"faults: [{status: 500, after: soon}]", "1:31: expected a number of matches, a date-time such as 2026-07-01T09:00:00Z, or a duration such as 1m, received \"soon\"", true},
	"a span of nothing":           {"faults: [{status: 500, until: 0s}]", "1:31: expected a number of matches", true},
	"a drawn catalog of nothing":  {"catalog: {generate: {products: 0}}", "1:21: catalog.generate: products: expected a number from 1 to 100000, received 0", true},
	"two catalogs":                {"catalog: {generate: {products: 1}, products: [{id: p}]}", "1:21: catalog.generate: use products or generate, not both", true},
	"a bound below 0":             {"faults: [{status: 500, until: -1}]", "1:31: expected a number of matches", false},
	"a duration of no unit":       {"faults: [{delay: 50}]", `1:18: expected a duration from 0s to 10m0s, such as 250ms or 2s, received "50"`, false},
	"a duration of an hour":       {"faults: [{delay: 1h}]", "1:18: expected a duration", false},
	"a duration of 11 minutes":    {"faults: [{slow_close: {delay: 11m}}]", "1:31: expected a duration", true},
	"two delays":                  {"faults: [{delay: {fixed: 1s, just-over: cancel}}]", "faults[0].delay: expected one of fixed,", false},
	"no delay":                    {"faults: [{delay: {}}]", "faults[0].delay: expected one of fixed,", false},
	"a limit of none":             {"faults: [{delay: {just-over: lunch}}]", "1:30: faults[0].delay.just-over: expected one of [availability availability-aim cancel", false},
	"bounds that cross":           {"faults: [{delay: {uniform: {min: 2s, max: 1s}}}]", "1:34: faults[0].delay.uniform.min: expected no more than max, 1s, received 2s", true},
	"a sigma of 9":                {"faults: [{delay: {lognormal: {median: 1s, sigma: 9}}}]", "1:50: faults[0].delay.lognormal.sigma: ", false},
	"no chunks":                   {"faults: [{delay: {dribble: {chunks: 0, over: 1s}}}]", "1:37: faults[0].delay.dribble.chunks: ", false},
	"a status of 99":              {"faults: [{status: 99}]", "1:19: faults[0].status: expected a number from 200 to 599, received 99", false},
	"no program":                  {"faults: [{jq: '.a['}]", "1:15: faults[0].jq: expected a jq program: ", true},
	"a program of no function":    {"faults: [{jq: nope}]", "1:15: faults[0].jq: expected a jq program: function not defined: nope/0", true},
	"a program that reads files":  {"faults: [{jq: 'input_filename'}]", "1:15: faults[0].jq: expected a jq program: ", true},
	"a program that reads on":     {"faults: [{status: 500, match: {body: '[inputs]'}}]", "1:38: faults[0].match.body: expected a jq program: input(s)/0 is not allowed", true},
	"a program that imports":      {"faults: [{jq: 'import \"a\" as a; .'}]", "faults[0].jq: expected a jq program: ", true},
	"no header":                   {"faults: [{headers: {}}]", "faults[0].headers: expected set or remove", false},
	"an odd header":               {"faults: [{headers: {set: {a b: c}}}]", `faults[0].headers.set: "a b" is not a valid header name`, true},
	"a header of the wire":        {"faults: [{headers: {set: {content-length: '3'}}}]", "faults[0].headers.set: content-length follows from", true},
	"a word of no wire":           {"faults: [{fault: OOPS}]", "1:18: faults[0].fault: expected one of [EMPTY_RESPONSE", false},
	"two ways over the wire":      {"faults: [{fault: EMPTY_RESPONSE, limit_data: {bytes: 1}}]", "faults[0].fault: cannot be combined with limit_data", true},
	"a rate of 0":                 {"faults: [{bandwidth: {rate: 0}}]", "1:29: faults[0].bandwidth.rate: ", false},
	"a key without a value":       {"faults:\n", "the value is missing", false},
	"a null":                      {"faults: [{status: null}]", "1:19: the value is missing", false},
	"a key twice":                 {"seed: 1\nseed: 2\n", "2:1: ", true},
	"an alias":                    {"a: &a [1]\nb: *a\n", "1:4: anchors, aliases and tags are not supported", true},
	"a tag":                       {"seed: !!int 5\n", "1:7: anchors, aliases and tags are not supported", true},
	"two documents":               {"seed: 1\n---\nseed: 2\n", "expected one document", true},
	"too many faults":             {"faults: [" + strings.Repeat("{status: 500},", 257) + "]", "the maximum number of faults is reached, 256", false},
	"brackets without end":        {strings.Repeat("[", 100_000), "nested deeper than 100 levels", true},
	"dashes without end":          {strings.Repeat("- ", 100_000), "nested deeper than 100 levels", true},
	"no YAML":                     {"faults: [", "1:", true},
	"a catalog that sells nought": {"catalog: {products: []}", "1:21: catalog.products: expected at least one product", true},
	"a catalog of odd keys":       {"catalog: {product: []}", `1:11: unknown field "product"`, true},
	"a catalog that is no file":   {"catalog: missing.yaml", "missing.yaml: no such file", true},
	"a catalog that is a number":  {"catalog: 5", "catalog: ", false},
}

func TestALoaderThatAgreesWithItsSchema(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	check(t, compiler.AddResource("s", bytes.NewReader(script.Schema())))
	schema, err := compiler.Compile("s")
	check(t, err)
	lawful := func(t *testing.T, text string) bool {
		var value any
		if yaml.Unmarshal([]byte(text), &value) != nil {
			return false
		}
		asJSON, err := json.Marshal(value)
		check(t, err)
		decoder := json.NewDecoder(bytes.NewReader(asJSON))
		decoder.UseNumber()
		check(t, decoder.Decode(&value))
		return schema.Validate(value) == nil
	}
	for name, text := range good {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := script.Parse("s.yaml", []byte(text)); err != nil {
				t.Errorf("want it taken, got %v", err)
			}
			if !lawful(t, text) {
				t.Error("want it to keep the schema")
			}
		})
	}
	for name, one := range bad {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := script.Parse("s.yaml", []byte(one.text))
			if err == nil || !strings.Contains(err.Error(), one.message) {
				t.Errorf("want a message with %q, got %v", one.message, err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "s.yaml:") && !strings.HasPrefix(err.Error(), "read the catalog: ") {
				t.Errorf("want the file named, got %v", err)
			}
			if !one.beyondSchema && lawful(t, one.text) {
				t.Error("want it to break the schema")
			}
		})
	}
}

func TestACatalogFileLiesBesideItsScenario(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole, err := os.ReadFile("../../catalog/default.yaml")
	check(t, err)
	write(t, filepath.Join(dir, "sold.yaml"), string(whole))
	file := filepath.Join(dir, "scenario.yaml")
	write(t, file, "catalog: sold.yaml\nseed: 3\n")
	s, err := script.Load(file)
	check(t, err)
	if len(s.Catalog.Products) != len(catalog.Default().Products) || *s.Seed != 3 {
		t.Fatalf("want the catalog of the file, got %+v", s)
	}
	write(t, filepath.Join(dir, "sold.yaml"), "products:\n  - nope: 1\n")
	var problems *script.Problems
	if _, err := script.Load(file); !errors.As(err, &problems) || !strings.Contains(err.Error(), "sold.yaml:2:5: unknown field") {
		t.Fatalf("want the catalog's own place, got %v", err)
	}
	if _, err := script.Load(filepath.Join(dir, "none.yaml")); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Fatalf("want the missing file named, got %v", err)
	}
	write(t, file, strings.Repeat("#", 4<<20+1))
	if _, err := script.Load(file); err == nil || !strings.Contains(err.Error(), "larger than 4 MiB") {
		t.Fatalf("want a huge file refused, got %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestAllMistakesOfAFileAreReportedInTheirOrderWithoutGoTypes(t *testing.T) {
	t.Parallel()
	const text = `sede: 7
seed: many
clock: {now: noon, frozen: maybe}
policy: {noCancel: 3}
hold_for: soon
faults:
  - {statsu: 500}
  - {status: five, match: {endpoint: reserve}}
  - {status: 900, times: -1}
  - {delay: {fixed: 1x}}
  - 7
  - {name: a, status: 500}
  - {name: a, status: 500}
  - {status: }
  - status:
      nested: 1
quirks:
  - {on: releese, gives: none}
  - {on: release, giv: none}
  - {on: [a], gives: one}
catalog: {products: [{options: none, id: p, internalName: P, locale: en, timeZone: UTC}]}
webhooks: {url: "ftp://nowhere", secret: 0123456789abcdef}
`
	want := []string{
		`1:1: unknown field "sede"`,
		"2:7: expected a whole number, received text",
		"3:14: clock.now: ",
		"3:28: expected true or false, received text",
		"4:20: expected true or false, received a whole number",
		`5:11: expected a duration above 0s, such as 10m or 36h, received "soon"`,
		`7:6: unknown field "statsu"`,
		"8:14: expected a whole number, received text",
		"9:14: faults[2].status: must be <= 599 but found 900",
		"9:26: faults[2].times: expected a number from 0",
		"10:21: expected a duration from 0s to 10m0s",
		"11:5: expected keys with values, received a number",
		"13:12: faults[6].name: a fault with this name exists already: a",
		"14:13: the value is missing",
		"16:13: expected a whole number, received keys with values",
		"18:10: quirks[0].on: expected one of",
		`19:19: unknown field "giv"`,
		"20:10: expected text, received a list",
		"21:32: expected a list, received text",
		"22:17: webhooks.url: ",
	}
	_, err := script.Parse("s.yaml", []byte(text))
	if err == nil {
		t.Fatal("want it refused")
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if i >= len(want) || !strings.HasPrefix(line, "s.yaml:"+want[i]) {
			t.Errorf("want %d mistakes, got\n%s", len(want), err)
			break
		}
	}
	if len(lines) != len(want) || strings.Contains(err.Error(), "unmarshal") || strings.Contains(err.Error(), "Go ") {
		t.Errorf("want %d mistakes in words, got %d:\n%s", len(want), len(lines), err)
	}
	if _, err := script.ParseFaults("body", []byte(`{"status":"five"}`)); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("want one mistake of one fault, got %v", err)
	}
	_, err = script.ParseFaults("body", []byte(`[{"status":"five"},{"times":-1,"status":500},{"match":7,"status":500}]`))
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("want the three mistakes of a list, got %v", err)
	}
}

func TestOneFaultOrAListAreTaken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"status": 500}`:                        "1",
		`[{"status": 500}, {"status": 501}]`:     "2",
		`[]`:                                     "0",
		``:                                       "expected a fault or a list of faults, received nothing",
		`[{"status": 500}, {"times": "2"}]`:      "[1].name: the fault does nothing",
		`[{"status": 500}, {"stats": 2}]`:        `1:20: unknown field "stats"`,
		`{"status": 500, "times": "2"}`:          "1:26: times: expected integer, received string",
		`[{"status": 5}]`:                        "body:1:13: [0].status: expected a number from 200 to 599",
		`"reserve"`:                              "body:1:1: ",
		`{"status": 500, "match": {"body": "["}`: "body:1:",
	} {
		faults, err := script.ParseFaults("body", []byte(text))
		if got := fmt.Sprint(len(faults)); err == nil && got != want {
			t.Errorf("%s: want %s, got %s faults", text, want, got)
		} else if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %s, got %v", text, want, err)
		}
	}
}

// A fault can be armed again in the form in which it is shown.
func TestAFaultIsShownAsItIsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range good {
		first, err := script.Parse("s.yaml", []byte(text))
		check(t, err)
		shownAgain(t, first.Faults, nil, script.ParseFaults)
	}
}

func TestAFileIsReadAgainWhenItChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, path, "seed: 1")
	file, err := script.Open(path)
	check(t, err)
	type news struct {
		s   *script.Scenario
		err error
	}
	reported := make(chan news)
	ctx := t.Context()
	go script.Watch(ctx, file, time.Millisecond, func(s *script.Scenario, err error) {
		select {
		case reported <- news{s, err}:
		case <-ctx.Done():
		}
	})
	// A file is moved to its place, as editors do it: no look sees half of it.
	change := func(text string) {
		write(t, path+".new", text)
		check(t, os.Rename(path+".new", path))
	}
	change("seed: 2")
	if n := <-reported; n.err != nil || *n.s.Seed != 2 {
		t.Fatalf("want the new seed, got %+v", n)
	}
	change("seed: [")
	if n := <-reported; n.err == nil || !strings.Contains(n.err.Error(), "scenario.yaml:1:") {
		t.Fatalf("want the place of what is wrong, got %+v", n)
	}
	check(t, os.Remove(path))
	if n := <-reported; n.err == nil || !strings.Contains(n.err.Error(), "no such file") {
		t.Fatalf("Expected the missing file to be reported, received %+v", n)
	}
	change("seed: [")
	if n := <-reported; n.err == nil {
		t.Fatalf("Expected a report of a file that exists again, received %+v", n)
	}
}

// What nests deeply takes the parser gigabytes.
func TestDeeplyNestedInputIsRefusedBeforeItIsParsed(t *testing.T) {
	t.Parallel()
	deep := []byte(strings.Repeat("[", 100_000))
	_, faults := script.ParseFaults("body", deep)
	_, webhooks := script.ParseWebhooks("body", deep)
	_, scenario := script.ParseBody("body", deep)
	for name, err := range map[string]error{"faults": faults, "webhooks": webhooks, "scenario": scenario} {
		if err == nil || !strings.Contains(err.Error(), "nested deeper than 100 levels") {
			t.Errorf("%s: want the depth refused, got %v", name, err)
		}
	}
}
