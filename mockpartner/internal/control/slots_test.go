package control_test

import (
	"fmt"
	"net/http"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
)

// slots lists what GET /_mock/slots answers.
func (o operator) slots(query string) []map[string]any {
	o.t.Helper()
	var slots []map[string]any
	for _, slot := range o.call("GET", "/_mock/slots"+query, "", 200)["slots"].([]any) {
		slots = append(slots, slot.(map[string]any))
	}
	return slots
}

func TestEverySlotOfAnOptionIsListed(t *testing.T) {
	t.Parallel()
	o := start(t)
	slots := o.slots("?product=tokyo-market&option=breakfast&from=2026-07-10&days=3")
	for _, slot := range slots {
		start := slot["localDateTimeStart"].(string)
		if slot["productId"] != "tokyo-market" || slot["optionId"] != "breakfast" || start < "2026-07-10" || start >= "2026-07-13" || slot["localDateTimeEnd"].(string) <= start {
			t.Errorf("want slots of the option on three days, got %v", slot)
		}
		if _, ok := slot["vacancies"].(float64); !ok || slot["status"] == "" || slot["held"] != 0.0 {
			t.Errorf("want what is in the slot, got %v", slot)
		}
	}
	if len(slots) == 0 {
		t.Fatal("want slots, got none")
	}
}

func TestSlotsAreThoseOfTwoWeeksOfTheFirstOptionUnlessAskedOtherwise(t *testing.T) {
	t.Parallel()
	o := start(t)
	slots := o.slots("")
	first, last := slots[0], slots[len(slots)-1]
	if first["productId"] != "lisbon-walk" || first["optionId"] != "small-group" {
		t.Errorf("want the catalog's first option, got %v", first)
	}
	if from, to := first["localDateTimeStart"].(string)[:10], last["localDateTimeStart"].(string)[:10]; from != "2026-07-01" || to != "2026-07-14" {
		t.Errorf("want two weeks from today on, got %s to %s", from, to)
	}
	// In Auckland it is the next day already.
	o.call("POST", "/_mock/clock", `{"set":"2026-07-01T13:00:00Z"}`, 200)
	if slot := o.slots("?product=auckland-sail&days=1")[0]; slot["localDateTimeStart"].(string)[:10] != "2026-07-02" {
		t.Errorf("want today in the product's zone, got %v", slot["localDateTimeStart"])
	}
}

func TestSlotsThatCannotBeListedAreRefused(t *testing.T) {
	t.Parallel()
	o := start(t)
	for query, want := range map[string]struct {
		status int
		words  string
	}{
		"?product=nothing":                   {404, `no product "nothing"`},
		"?product=tokyo-market&option=lunch": {404, `no option "lunch"`},
		"?days=0":                            {400, "days: expected a number from 1 to 60, received 0"},
		"?days=61":                           {400, "days: expected a number from 1 to 60, received 61"},
		"?days=many":                         {400, "days: expected a number"},
		"?from=tomorrow":                     {400, "from: expected a date such as 2026-07-01"},
		"?from=0001-01-01":                   {400, "from: expected a date such as 2026-07-01"},
		"?slot=1":                            {400, `no parameter "slot"`},
	} {
		o.requireRefusal("GET", "/_mock/slots"+query, "", want.status, want.words)
	}
}

func TestASlotIsChangedAsStaffWould(t *testing.T) {
	t.Parallel()
	o := start(t)
	id := slot(t, o.mock.Default())
	change := func(what string) map[string]any {
		return o.call("PATCH", "/_mock/slots", fmt.Sprintf(`{"productId":"tokyo-market","optionId":"breakfast","availabilityId":%q,%s}`, id, what), 200)
	}
	if got := change(`"status":"SOLD_OUT"`); got["status"] != "SOLD_OUT" || got["vacancies"] != 0.0 || got["availabilityId"] != id {
		t.Errorf("want it sold out, got %v", got)
	}
	o.call("POST", "/bookings/reserve", fmt.Sprintf(reserveBody, id), 400)
	if got := change(`"status":"AVAILABLE","vacancies":7,"capacity":20`); got["status"] != "AVAILABLE" || got["vacancies"] != 7.0 || got["capacity"] != 20.0 || got["elsewhere"] != 13.0 {
		t.Errorf("want 7 of 20 left, got %v", got)
	}
	o.call("POST", "/bookings/reserve", fmt.Sprintf(reserveBody, id), 200)
	if got := change(`"status":"CLOSED"`); got["status"] != "CLOSED" || got["held"] != 1.0 {
		t.Errorf("want it closed, and the hold still there, got %v", got)
	}
}

func TestInvalidChangesOfASlotAreRefused(t *testing.T) {
	t.Parallel()
	o := start(t)
	id := slot(t, o.mock.Default())
	for what, words := range map[string]string{
		`"status":"OPEN"`:                    `status: expected one of [AVAILABLE FREESALE LIMITED SOLD_OUT CLOSED], received "OPEN"`,
		`"vacancies":-1`:                     "vacancies: expected a number from 0 to 1000000, received -1",
		`"capacity":9000000000000000000`:     "capacity: expected a number from 0 to 1000000",
		`"vacancies":"3"`:                    "cannot be read",
		`"seats":3`:                          `unknown field "seats"`,
		`"status":"AVAILABLE","vacancies":0`: "the slot would be SOLD_OUT, not AVAILABLE",
	} {
		body := fmt.Sprintf(`{"productId":"tokyo-market","optionId":"breakfast","availabilityId":%q,%s}`, id, what)
		o.requireRefusal("PATCH", "/_mock/slots", body, 400, words)
	}
	o.requireRefusal("PATCH", "/_mock/slots", `{}`, 400, "expected what to change")
	o.requireRefusal("PATCH", "/_mock/slots", "", 400, "expected a JSON object")
	o.requireRefusal("PATCH", "/_mock/slots", `{"productId":"tokyo-market","optionId":"breakfast","availabilityId":"x","status":"CLOSED"}`, 404, `no slot "x"`)
	o.requireRefusal("PATCH", "/_mock/slots", `{"productId":"x","status":"CLOSED"}`, 404, `no product "x"`)
}

func TestSlotsWithoutLimitAreListedAsSuch(t *testing.T) {
	t.Parallel()
	o := start(t, func(options *mockpartner.Options) { options.Catalog = catalog.Default() })
	for _, slot := range o.slots("?product=paris-audio&days=2") {
		if slot["counted"] != false {
			t.Errorf("want no limit, got %v", slot)
		}
	}
}

func TestTheClockRunsToTheNextEvent(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.reserve("", key)
	timers := o.call("GET", "/_mock/clock/timers", "", 200)["timers"].([]any)
	if len(timers) < 3 || timers[0].(map[string]any)["kind"] != "hold-expires" {
		t.Fatalf("want an expiry, a sale's end and midnights, got %v", timers)
	}
	next := o.call("POST", "/_mock/clock/next", "", 200)
	if timer := next["timer"].(map[string]any); timer["kind"] != "hold-expires" || timer["at"] != "2026-07-01T12:20:00Z" || next["now"] != "2026-07-01T12:20:00Z" {
		t.Fatalf("want the clock at the hold's expiry, got %v", next)
	}
	if hold := o.call("GET", "/_mock/state", "", 200)["holds"].([]any)[0].(map[string]any); hold["state"] != "EXPIRED" {
		t.Fatalf("want the hold expired, got %v", hold)
	}
	if next := o.call("POST", "/_mock/clock/next", `{"kinds":["day-begins"]}`, 200); next["now"] != "2026-07-01T15:00:00Z" {
		t.Fatalf("want midnight in Tokyo, got %v", next)
	}
	o.requireRefusal("POST", "/_mock/clock/next", `{"kinds":["hold-expires"]}`, 409, "nothing is pending")
	o.requireRefusal("POST", "/_mock/clock/next", `{"kinds":["lunch"]}`, 400, `received "lunch"`)
	o.requireRefusal("POST", "/_mock/clock/next", `{"kind":"day-begins"}`, 400, "kind")
	o.requireRefusal("GET", "/_mock/clock/timers?limit=x", "", 400, "limit: expected a number")
}

// reserve holds a seat below prefix with that key, and returns the code. The
// sandboxes have one seed: the default one's slots are everywhere.
func (o operator) reserve(prefix, key string) string {
	o.t.Helper()
	header := http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}}
	code, _ := o.send("POST", prefix+"/bookings/reserve", fmt.Sprintf(reserveBody, slot(o.t, o.mock.Default())), 200, header)["reservationConfirmationCode"].(string)
	return code
}

func (o operator) holds(prefix string, want int) {
	o.t.Helper()
	if got := o.call("GET", prefix+"/_mock/state", "", 200)["holdCount"]; got != float64(want) {
		o.t.Fatalf("%s: want %d holds, got %v", prefix, want, got)
	}
}

func TestASandboxIsClonedSavedRestoredAndReset(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/sandboxes", `{"name":"mine"}`, 201)
	o.reserve("/s/mine", key)
	saved := o.call("POST", "/_mock/sandboxes/mine/snapshots", `{"name":"one-hold"}`, 201)
	if saved["name"] != "one-hold" || saved["now"] != "2026-07-01T12:00:00Z" {
		t.Fatalf("want the snapshot described, got %v", saved)
	}
	o.reserve("/s/mine", key)
	clone := o.call("POST", "/_mock/sandboxes/mine/clone", `{"name":"twin"}`, 201)
	if clone["baseUrl"] != o.base+"/s/twin" {
		t.Fatalf("want the clone described, got %v", clone)
	}
	o.call("POST", "/_mock/sandboxes/mine/snapshots/one-hold/restore", "", 200)
	o.holds("/s/mine", 1)
	o.holds("/s/twin", 2)
	o.call("POST", "/_mock/sandboxes/mine/reset", "", 200)
	o.call("POST", "/_mock/sandboxes/twin/reset", "", 200)
	o.holds("/s/mine", 0)
	o.holds("/s/twin", 2)
	if list := o.call("GET", "/_mock/sandboxes/mine/snapshots", "", 200)["snapshots"].([]any); len(list) != 1 {
		t.Fatalf("want the snapshot listed, got %v", list)
	}
	o.call("DELETE", "/_mock/sandboxes/mine/snapshots/one-hold", "", 200)
	if one := o.call("GET", "/_mock/sandboxes/mine", "", 200); one["name"] != "mine" || one["ownKey"] != false {
		t.Fatalf("want the sandbox, got %v", one)
	}
}

func TestSandboxesWithKeysOfTheirOwnShareAnAddress(t *testing.T) {
	t.Parallel()
	o := start(t)
	for _, name := range []string{"one", "two"} {
		if made := o.call("POST", "/_mock/sandboxes", fmt.Sprintf(`{"name":%q,"authKey":"the-key-of-%s"}`, name, name), 201); made["ownKey"] != true {
			t.Fatalf("want a sandbox with a key of its own, got %v", made)
		}
	}
	o.reserve("", "the-key-of-one")
	o.reserve("", "the-key-of-two")
	o.reserve("/s/two", "the-key-of-two")
	o.holds("/s/one", 1)
	o.holds("/s/two", 2)
	o.holds("", 0)
	o.send("GET", "/s/one/products", "", 401, nil)
	o.requireRefusal("POST", "/_mock/sandboxes", `{"name":"three","authKey":"the-key-of-one"}`, 409, "the auth key is in use")
	o.call("GET", "/products", "", 200)
}

func TestAMissingSandboxCannotBeClonedSavedOrRestored(t *testing.T) {
	t.Parallel()
	o := start(t, func(options *mockpartner.Options) { options.MaxSandboxes = 2 })
	for _, c := range [][2]string{{"GET", ""}, {"POST", "/clone"}, {"POST", "/reset"}, {"GET", "/snapshots"}, {"POST", "/snapshots"}, {"POST", "/snapshots/x/restore"}, {"DELETE", "/snapshots/x"}} {
		o.requireRefusal(c[0], "/_mock/sandboxes/nobody"+c[1], `{"name":"x"}`, 404, `no sandbox "nobody"`)
	}
	const box = "/_mock/sandboxes/default"
	o.requireRefusal("POST", box+"/snapshots/x/restore", "", 404, "there is no snapshot with this name: x")
	o.requireRefusal("DELETE", box+"/snapshots/x", "", 404, "there is no snapshot with this name: x")
	o.requireRefusal("POST", box+"/snapshots", `{"name":"X"}`, 400, "name: expected")
	o.requireRefusal("POST", box+"/snapshots", "", 400, "expected a JSON object")
	o.requireRefusal("POST", box+"/clone", `{"name":"default"}`, 409, "a sandbox with this name exists already")
	o.requireRefusal("POST", box+"/clone", `{"name":"x","seed":1}`, 400, "seed")
	for i := range 16 {
		o.call("POST", box+"/snapshots", fmt.Sprintf(`{"name":"s%d"}`, i), 201)
	}
	o.requireRefusal("POST", box+"/snapshots", `{"name":"one-more"}`, 409, "16: delete one")
	o.call("POST", box+"/clone", `{"name":"x"}`, 201)
	o.requireRefusal("POST", box+"/clone", `{"name":"y"}`, 409, "the maximum number of sandboxes is reached")
}
