package script

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/platform"
)

// must ends the test on an error.
var must = errtest.Check

func set(t *testing.T, seed uint64, faults ...Fault) *Set {
	t.Helper()
	index, err := catalog.DefaultIndex()
	must(t, err)
	business, err := platform.New(platform.Config{Catalog: index, Clock: clock.System{}, Seed: seed})
	must(t, err)
	s := NewSet(Config{Platform: business, Presents: func(*http.Request, Credential) bool { return true }})
	if _, err := s.Arm(faults...); err != nil {
		t.Fatal(err)
	}
	return s
}

func status(code int) fault.Actions { return fault.Actions{Answer: fault.Answer{Status: code}} }

// fires sends n requests of a caller and notes which of them the fault breaks.
func fires(s *Set, caller string, n int) (pattern string) {
	for range n {
		r := httptest.NewRequest("GET", "/products", nil)
		r.Header.Set("User-Agent", caller)
		if firings, _ := s.Fire(r, nil, OperationOf(r)); len(firings) > 0 {
			pattern += "x"
		} else {
			pattern += "."
		}
	}
	return pattern
}

func TestAChanceDependsOnSeedFaultKeyAndMatchAlone(t *testing.T) {
	t.Parallel()
	flaky := Fault{Name: "flaky", Key: KeyCaller, Probability: new(0.5), Actions: status(500)}
	one := fires(set(t, 1, flaky), "ana", 64)
	mixed := set(t, 1, flaky)
	var again string
	for range 64 {
		fires(mixed, "bob", 3)
		again += fires(mixed, "ana", 1)
	}
	if one != again {
		t.Errorf("want ana's outcomes whichever others call, got\n%s\n%s", one, again)
	}
	renamed := flaky
	renamed.Name = "other"
	for what, other := range map[string]string{
		"seed": fires(set(t, 2, flaky), "ana", 64), "key": fires(set(t, 1, flaky), "bob", 64), "name": fires(set(t, 1, renamed), "ana", 64),
	} {
		if other == one {
			t.Errorf("want other outcomes by another %s", what)
		}
	}
}

func TestAProbabilityIsAShare(t *testing.T) {
	t.Parallel()
	s := set(t, 1, Fault{Probability: new(0.2), Actions: status(500)})
	fires(s, "", 5000)
	if fired := s.Faults()[0].Fired; fired < 900 || fired > 1100 {
		t.Errorf("want about 1000 of 5000, got %d", fired)
	}
}

func TestTheKeysThatAreCountedAreBounded(t *testing.T) {
	t.Parallel()
	s := set(t, 1, Fault{Name: "each", Key: KeyCaller, Actions: status(500)})
	s.keys = maxKeys - 1
	if got := fires(s, "one", 1) + fires(s, "two", 1) + fires(s, "one", 1); got != "x.x" {
		t.Errorf("want no room for the second caller, got %s", got)
	}
	if f := s.Faults()[0]; f.Keys != 1 || f.LeftAlone != 1 {
		t.Errorf("want it counted, got %+v", f.Counts)
	}
	if err := s.Disarm("each"); err != nil || s.keys != 0 {
		t.Errorf("want the room back, got %d keys, %v", s.keys, err)
	}
}

func TestARestartResetsTheCounts(t *testing.T) {
	t.Parallel()
	s := set(t, 1, Fault{Name: "once", Times: 1, Actions: status(500)})
	before := fires(s, "", 3)
	s.Restart()
	if got := before + fires(s, "", 3); got != "x..x.." {
		t.Errorf("want it to fire again, got %s", got)
	}
	if f := s.Faults()[0]; f.Name != "once" || f.Considered != 3 || f.Fired != 1 {
		t.Errorf("want the counters of the second half, got %+v", f)
	}
}

func TestFaultsAreArmedAllOrNone(t *testing.T) {
	t.Parallel()
	s := set(t, 1, Fault{Name: "fault-1", Actions: status(500)})
	if _, err := s.Arm(Fault{Name: "a", Actions: status(500)}, Fault{Name: "fault-1", Actions: status(500)}); !errors.Is(err, ErrTaken) || err.Error() != "[1].name: a fault with this name exists already: fault-1" {
		t.Errorf("want the place and ErrTaken, got %v", err)
	}
	if _, err := s.Arm(Fault{Name: "a", Actions: status(500)}, Fault{}); err == nil {
		t.Error("want a fault that does nothing refused")
	}
	armed, err := s.Arm(Fault{Actions: status(500)}, Fault{Actions: status(501)})
	if err != nil || armed[0].Name != "fault-2" || armed[1].Name != "fault-3" {
		t.Errorf("want names that are free, got %+v, %v", armed, err)
	}
	if _, err := s.Arm(slices.Repeat([]Fault{{Actions: status(500)}}, MaxFaults-2)...); !errors.Is(err, ErrFull) {
		t.Errorf("want ErrFull, got %v", err)
	}
	if n := s.Clear(); n != 3 {
		t.Errorf("want 3 faults cleared, got %d", n)
	}
	if err := s.Disarm("a"); !errors.Is(err, ErrMissing) {
		t.Errorf("want ErrMissing, got %v", err)
	}
}

const webhooksText = `webhooks:
  url: http://127.0.0.1:8080/api/v1/partner-integrations/tokyo
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
`

func TestAScenarioSetsUpWebhooks(t *testing.T) {
	t.Parallel()
	s, err := Parse("s.yaml", []byte(webhooksText))
	must(t, err)
	w, err := s.Webhooks.WithDefaults()
	must(t, err)
	if len(w.Secret) != 64 || w.On[1] != client.BookingChange || w.Retries.Attempts != 3 || time.Duration(w.Schedule[0].Every) != 36*time.Hour || *w.Schedule[2].Set.Capacity != 10 {
		t.Errorf("want everything as written, got %+v", w)
	}
	if w.Faults[0].Name != "fault-1" || !w.Faults[0].Stale || w.Faults[1].HoldBack != HoldBackAny {
		t.Errorf("want the faults with their names, got %+v", w.Faults)
	}
}

func TestAProblemWithWebhooksIsReportedByItsPlaceAndWithoutTheSecret(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, want string }{
		"an invalid address":          {"http://127", "ftp://127", "s.yaml:2:8: webhooks.url"},
		"an unknown cause":            {"bookings]", "guests]", "s.yaml:4:17: webhooks.on[1]"},
		"too many attempts":           {"attempts: 3", "attempts: 99", "webhooks.retries.attempts"},
		"a wait that is too long":     {"backoff: 250ms", "backoff: 3s", "webhooks.retries.max"},
		"two times":                   {"{every: 36h}", "{every: 36h, after: 1m}", "s.yaml:8:"},
		"no time":                     {"{every: 36h}", "{slot: {product: p, option: o, id: s}, set: {vacancies: 1}}", "expected one of every, at and after"},
		"a period that is too short":  {"36h", "10ms", "webhooks.schedule[0].every"},
		"an invalid duration":         {"36h", "soon", "s.yaml:8:"},
		"an invalid time":             {"2026-07-01T10:00:00Z", "tomorrow", "expected a date-time"},
		"a slot by id and day":        {"id: s}, set: {vac", "id: s, from_day: 3}, set: {vac", "webhooks.schedule[2].slot.from_day: expected id or from_day, not both"},
		"a day beyond those shown":    {"id: s}, set: {vac", "from_day: 60}, set: {vac", "webhooks.schedule[2].slot.from_day: expected a number from 0 to 59, received 60"},
		"a slot without a name":       {"id: s}, set: {vac", "}, set: {vac", "webhooks.schedule[2].slot"},
		"an unknown status":           {"SOLD_OUT", "GONE", "webhooks.schedule[1].set.status"},
		"nothing to set":              {"set: {status: SOLD_OUT}", "set: {}", "webhooks.schedule[1].set"},
		"a slot without a change":     {", set: {status: SOLD_OUT}", "", "webhooks.schedule[1]"},
		"too few seats":               {"vacancies: 3", "vacancies: -3", "webhooks.schedule[2].set.vacancies"},
		"a fault that does nothing":   {"{drop: true}", "{times: 1}", "webhooks.faults[2]"},
		"a lost one that is late":     {"{drop: true}", "{drop: true, delay: 1s}", "webhooks.faults[2].drop"},
		"an invalid probability":      {"0.5", "1.5", "webhooks.faults[0].probability"},
		"a trigger of a slot":         {"kind: notify, product: p", "kind: trigger", "webhooks.faults[0].match.kind"},
		"an unknown key":              {"timeout:", "timeuot:", "s.yaml:6:3"},
		"two secrets":                 {"  on:", "  secret_env: SECRET\n  on:", "not both"},
		"a secret that is too short":  {"0011223344556677001122334455667700112233445566770011223344556677", "0011", "s.yaml:3:11: webhooks.secret"},
		"a secret that is a list":     {"secret: 0011223344556677001122334455667700112233445566770011223344556677", "secret: [0011223344556677]", "s.yaml:3:"},
		"a fault's name that is used": {"{hold_back: any}\n    - {drop: true}", "{name: x, hold_back: any}\n    - {name: x, drop: true}", "webhooks.faults[2].name"},
	} {
		text := strings.Replace(webhooksText, test.from, test.to, 1)
		if text == webhooksText {
			t.Fatalf("%s: nothing was replaced", name)
		}
		_, err := Parse("s.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "00112233") {
			t.Errorf("%s: want %q and no secret, got %v", name, test.want, err)
		}
	}
}
