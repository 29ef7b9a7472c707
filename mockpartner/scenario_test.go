package mockpartner_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// One scenario, 16 concurrent callers, 20 times: each slot sees the same
// sequence of outcomes, however the callers' requests fall in between.
func TestConcurrentCallersGetTheSameOutcomesPerKeyInEveryRun(t *testing.T) {
	t.Parallel()
	const callers, each = 16, 12
	run := func() map[string]int {
		c := start(t, func(o *mockpartner.Options) {
			o.Scenario = scenario(t, `
seed: 99
faults:
  - {name: flaky, match: {endpoint: reserve}, key: slot, probability: 0.4, status: 500}
  - {name: slow-down, match: {endpoint: reserve}, key: slot, probability: 0.3, status: 429}
`)
			o.Seed = 0
		})
		slots := c.mockSlots(4)
		var mu sync.Mutex
		outcomes := map[string]int{}
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() {
				for n := range each {
					slot := slots[(i+n)%len(slots)]
					status := c.call("POST", partnerapi.ReservePath, reserveBody(slot, 1)).status
					mu.Lock()
					outcomes[fmt.Sprintf("%s %d", slot, status)]++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		return outcomes
	}
	first := run()
	if len(first) < 8 {
		t.Fatalf("want failures and successes of every slot, got %v", first)
	}
	for range 5 {
		if again := run(); !reflect.DeepEqual(again, first) {
			t.Fatalf("want the same outcomes, got\n%v\n%v", first, again)
		}
	}
}

// mockSlots returns the ids of the first slots, which have seats for everybody.
func (c caller) mockSlots(n int) []string {
	c.t.Helper()
	var ids []string
	for _, slot := range read[[]partnerapi.Slot](c.call("POST", partnerapi.AvailabilityPath, window(day, "2026-07-20")))[:n] {
		change := client.SlotChange{Capacity: new(1000), Vacancies: new(1000)}
		check(c.t, c.mock.Default().Platform().SetSlot(product, option, slot.ID, change))
		ids = append(ids, slot.ID)
	}
	return ids
}

func scenario(t *testing.T, text string) *mockpartner.Scenario {
	t.Helper()
	s, err := mockpartner.ParseScenario("scenario.yaml", []byte(text))
	check(t, err)
	return s
}

func TestAScenarioSaysWhatTheMockIsLike(t *testing.T) {
	t.Parallel()
	s := scenario(t, `
catalog: {noCancel: true, products: `+products(t)+`}
clock: {now: 2027-01-02T03:04:05Z, frozen: true}
seed: 42
faults: [{status: 418}]
`)
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key, Scenario: s})
	check(t, err)
	box := mock.Default()
	if !box.Clock().Now().Equal(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)) || !box.Clock().IsFrozen() || box.Platform().Seed() != 42 || !box.Platform().Conduct().Policy.NoCancel {
		t.Errorf("want catalog, clock and seed of the scenario, got %s, %d", box.Clock().Now(), box.Platform().Seed())
	}
	other, err := mock.Create("other")
	check(t, err)
	for _, box := range []*mockpartner.Sandbox{box, other} {
		if armed := box.Faults().Faults(); len(armed) != 1 || armed[0].Origin != script.OriginScenario || armed[0].Status != 418 {
			t.Errorf("want the scenario's fault in every sandbox, got %+v", armed)
		}
	}

	if _, err := other.Faults().Arm(script.Fault{Name: "mine", Actions: fault.Actions{Answer: fault.Answer{Status: 500}}}); err != nil {
		t.Fatal(err)
	}
	check(t, mock.Play(scenario(t, `faults: [{name: new, status: 419}]`)))
	var names []string
	for _, f := range other.Faults().Faults() {
		names = append(names, f.Name)
	}
	if !reflect.DeepEqual(names, []string{"new", "mine"}) {
		t.Errorf("want the new scenario's fault before the sandbox's own, got %v", names)
	}
	if err := mock.Play(&mockpartner.Scenario{Scenario: &script.Scenario{Faults: []script.Fault{{Name: "nothing"}}}}); err == nil || !strings.Contains(err.Error(), "does nothing") {
		t.Errorf("want a fault without an action refused, got %v", err)
	}
}

// products is a small catalog's, as JSON.
func products(t *testing.T) string {
	t.Helper()
	return `[{"id":"p","internalName":"P","locale":"en","timeZone":"UTC","instantConfirmation":true,
		"options":[{"id":"o","internalName":"O","availabilityType":"START_TIME","units":[{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":1,"currency":"EUR"}]}]}],
		"schedules":{"o":{"starts":["09:00"],"duration":"1h","capacity":{"min":5,"max":5}}}}]`
}

func TestAWrongProgramHarmsOnlyItsOwnAnswer(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ program, words string }{
		"that fails":           {`error("boom")`, "boom"},
		"without output":       {`empty`, "no output"},
		"with a huge output":   {`"x" * 17000000`, "larger than 16 MiB"},
		"with an endless list": {`[range(1e12)]`, "ran longer than"},
	} {
		// One after another, because seats that one takes could be missing for the other.
		t.Run(name, func(t *testing.T) {
			c := start(t)
			program, _ := json.Marshal(one.program)
			c.arm(`{name: wrong, match: {endpoint: products}, jq: ` + string(program) + `}`)
			answered := make(chan answer, 1)
			go func() { answered <- c.call("GET", "/products?limit=1", "") }()
			c.call("POST", partnerapi.AvailabilityPath, window(day, day)).is(200, schemas.AvailabilityAnswer)
			a := <-answered
			a.requireRefusal(500, "fault wrong: jq: ")
			a.requireRefusal(500, one.words)
		})
	}
}

func TestAPredicateThatLoopsDoesNotMatchAndSaysSo(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.arm(`{match: {body: "def f: f; f"}, status: 500}`)
	c.call("POST", partnerapi.AvailabilityPath, window(day, day)).is(200, schemas.AvailabilityAnswer)
	if f := c.fault(); f.Matched != 0 || !strings.Contains(f.Problem, "ran longer than") {
		t.Fatalf("Expected the problem to be reported, received %+v", f.Counts)
	}
}

// A scenario is played while the partner runs: its changes apply immediately,
// and what is held stays.
func TestAScenarioIsPlayedIntoARunningSandbox(t *testing.T) {
	t.Parallel()
	c := start(t)
	hold := c.reserve(c.slot(5).ID, 2)
	play := func(text string) answer { return c.call("PUT", "/_mock/scenario", text) }
	sold := `{products: [{id: walk, internalName: Walk, locale: en, timeZone: UTC, instantConfirmation: true,
  options: [{id: daily, internalName: Daily, availabilityType: START_TIME, units: [{id: unit-adult, internalName: Adult, type: ADULT, pricingFrom: [{original: 1000, currency: EUR}]}]}],
  schedules: {daily: {starts: ["09:00"], duration: 1h, capacity: {min: 5, max: 5}}}}]}`
	if a := play("catalog: " + sold + "\nclock: {now: 2026-07-02T12:00:00Z, frozen: true}\npolicy: {noCancel: true}\nhold_for: 5m\nquirks: [{name: lost, on: release, gives: none}]\nfaults: [{name: shut, match: {endpoint: products, query: {limit: '*'}}, status: 503}]\n"); a.status != 200 {
		t.Fatal(a.body)
	}
	if got := read[[]partnerapi.Product](c.call("GET", "/products", "")); len(got) != 1 || got[0].ID != "walk" {
		t.Errorf("want its catalog sold, got %+v", got)
	}
	if now := c.clock.Now(); !now.Equal(noon.AddDate(0, 0, 1)) {
		t.Errorf("want its time, got %s", now)
	}
	if a := c.call("GET", "/products?limit=1", ""); a.status != 503 {
		t.Errorf("want its fault, got %d", a.status)
	}
	if a := c.call("POST", partnerapi.CancelPath("any"), ""); a.status != 404 {
		t.Errorf("want its policy, got %d", a.status)
	}
	business := c.mock.Default().Platform()
	if business.Conduct().HoldFor != 5*time.Minute || len(business.Conduct().Quirks) != 1 {
		t.Errorf("want its holds and quirks, got %+v", business.Conduct())
	}
	if held, ok := business.FindHold(hold.ReservationConfirmationCode); !ok || held.Seats != 2 {
		t.Errorf("want what was held kept, got %+v", held)
	}

	// Another version of it, without the clock: time continues from where it is.
	c.clock.Advance(time.Hour)
	play("clock: {now: 2026-07-02T12:00:00Z, frozen: true}\n").has(200)
	if now := c.clock.Now(); !now.Equal(noon.AddDate(0, 0, 1).Add(time.Hour)) {
		t.Errorf("want a time that it says again left alone, got %s", now)
	}
	if len(business.Conduct().Quirks) != 0 || business.Conduct().Policy.NoCancel {
		t.Errorf("want what it says no more taken off, got %+v", business.Conduct())
	}

	play("seed: 5").requireRefusal(409, "seed: a sandbox cannot change its seed")
	play("catalog: /etc/passwd").requireRefusal(400, "body:1:")
	play("weather: fine").requireRefusal(400, `unknown field "weather"`)
	play("quirks: [{on: release, gives: none}]").has(200)
	if a := c.call("DELETE", "/_mock/scenario", ""); a.status != 200 || len(business.Conduct().Quirks) != 0 {
		t.Errorf("want the scenario taken off, got %d and %+v", a.status, business.Conduct())
	}
}

// has expects a status, whatever the body.
func (a answer) has(status int) {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: want %d, got %d: %s", a.what, status, a.status, a.body)
	}
}

// The journal states what each fault made of a request, not only which one fired.
func TestTheJournalRecordsWhichFaultsWereConsidered(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *mockpartner.Options) {
		o.Scenario = scenario(t, `faults:
  - {name: elsewhere, match: {endpoint: reserve}, status: 500}
  - {name: spent, match: {endpoint: products}, times: 1, status: 500}
  - {name: late, match: {endpoint: products}, after: 1, delay: 1ms}
  - {name: shut, match: {endpoint: products}, status: 503, last: true}
  - {name: not-reached, match: {endpoint: products}, status: 418}
`)
	})
	for range 2 {
		c.call("GET", "/products", "")
	}
	kept := c.mock.Default().Journal().Exchanges(client.Filter{})
	want := []client.Considered{{Fault: "elsewhere"}, {Fault: "spent", Matched: true}, {Fault: "late", Matched: true, Fired: true}, {Fault: "shut", Matched: true, Fired: true}}
	if got := kept[len(kept)-1]; !reflect.DeepEqual(got.Considered, want) || !reflect.DeepEqual(got.Faults, []string{"late", "shut"}) {
		t.Errorf("want %+v, got %+v", want, got.Considered)
	}
}
