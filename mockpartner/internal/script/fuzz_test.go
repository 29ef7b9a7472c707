package script_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"partnerkit.dev/mockpartner/internal/script"
)

// whole are scenarios with every key that there is.
var whole = []string{
	`policy: {noHolds: true, noCancel: true, noTickets: true, codes: awkward}
hold_for: 15m
clock: {now: 2026-07-01T09:00:00Z, frozen: true}
seed: 7
`,
	`quirks:
  - {name: lost, on: release, gives: none, product: last, option: last, from_day: 3, once_full: true, once_cancelled: true}
  - {on: reserve, takes: all-but-one, late: 90s, elsewhere: true}
  - {on: reserve, race: 200ms}
  - {on: confirm-again, does: accept}
  - {reuse: codes}
  - {drift: slots}
  - {shuffle: true}
`,
	`webhooks:
  url: http://127.0.0.1:1/api/v1/partner-integrations/tokyo
  secret: 0011223344556677001122334455667700112233445566770011223344556677
  on: [catalog, bookings]
  retries: {attempts: 3, backoff: 250ms, max: 2s}
  timeout: 5s
  schedule:
    - {every: 36h}
    - {at: 2026-07-01T10:00:00Z, slot: {product: p, option: o, id: s}, set: {status: SOLD_OUT}}
    - {after: 30m, slot: {product: p, option: o, id: s}, set: {vacancies: 3, capacity: 10}}
  faults:
    - {match: {kind: notify, product: p}, key: slot, after: 1, times: 2, probability: 0.5, stale: true, delay: 2s}
    - {hold_back: any}
    - {drop: true}
`,
	"webhooks: {url: 'http://127.0.0.1:1', secret_env: MOCKPARTNER_WEBHOOK_SECRET}",
	"policy: {codes: odd}",
	"hold_for: -1s",
	"hold_for: 900000h",
	"quirks: [{on: release, does: accept}]",
	"quirks: [{on: reserve, race: 1h}]",
	"webhooks: {}",
}

// FuzzScenario reads anything as a scenario of someone who may not name files.
// One that is taken can be played; one that is refused is refused with a reason.
func FuzzScenario(f *testing.F) {
	for _, text := range good {
		f.Add([]byte(text))
	}
	for _, one := range bad {
		if len(one.text) < 10_000 {
			f.Add([]byte(one.text))
		}
	}
	for _, text := range whole {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := script.ParseBody("body", text)
		if (s == nil) == (err == nil) || err != nil && err.Error() == "" {
			t.Fatalf("want a scenario or an error that says something, got %v, %v", s, err)
		}
		if s == nil {
			return
		}
		if _, err := script.Compile("fuzz", s); err != nil {
			t.Fatalf("want a scenario that was taken to be played, got %v", err)
		}
	})
}

// FuzzParts reads anything as what the control API takes by itself. What is taken
// is taken again in the form in which it is shown.
func FuzzParts(f *testing.F) {
	for _, text := range []string{
		`{"name":"a","match":{"endpoint":"reserve"},"key":"slot","times":2,"status":500}`,
		`[{"jq":"."},{"delay":{"lognormal":{"median":"100ms","sigma":0.5}},"body":{"a":[1,null,2.5e3]}}]`,
		`{"match":{"path":"/**","header":{"A":"*"},"query":{"b":"c"},"body":".a","state":{"slot":"LIMITED"}},"fault":"EMPTY_RESPONSE"}`,
		`{"after":2,"until":"2026-07-01T09:00:00Z","probability":0.25,"latency":{"latency":"1s","jitter":"100ms"}}`,
		`{"on":"release","gives":"none","late":"90s","product":"last"}`,
		`[{"drift":"slots"},{"shuffle":true},{"reuse":"codes"}]`,
		`{"url":"http://127.0.0.1:1/a","secret":"0011223344556677001122334455667700112233445566770011223344556677","schedule":[{"every":"36h"}],"faults":[{"drop":true}]}`,
		`[]`, ``, `"reserve"`, `{`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		faults, err := script.ParseFaults("body", text)
		shownAgain(t, faults, err, script.ParseFaults)
		quirks, err := script.ParseQuirks("body", text)
		shownAgain(t, quirks, err, script.ParseQuirks)
		if webhooks, err := script.ParseWebhooks("body", text); err != nil && err.Error() == "" {
			t.Fatalf("want an error that says something, got one with %+v", webhooks)
		}
	})
}

// shownAgain checks that an accepted list is accepted again in the form shown, and
// be shown the same.
func shownAgain[T any](t *testing.T, list []T, err error, parse func(string, []byte) ([]T, error)) {
	t.Helper()
	if err != nil {
		if err.Error() == "" {
			t.Fatal("want an error that says something")
		}
		return
	}
	if len(list) == 0 {
		return
	}
	shown, err := json.Marshal(list)
	check(t, err)
	again, err := parse("again", shown)
	if err != nil {
		t.Fatalf("want it taken again, got %v: %s", err, shown)
	}
	if twice, _ := json.Marshal(again); !bytes.Equal(twice, shown) {
		t.Fatalf("want the same again, got\n%s\n%s", shown, twice)
	}
}
