package mockpartner_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// arm arms faults, as YAML.
func (c caller) arm(faults string) {
	c.t.Helper()
	parsed, err := script.ParseFaults("faults", []byte(faults))
	check(c.t, err)
	if _, err := c.mock.Default().Faults().Arm(parsed...); err != nil {
		c.t.Fatal(err)
	}
}

// fault returns the only armed fault.
func (c caller) fault() script.Armed {
	c.t.Helper()
	all := c.mock.Default().Faults().Faults()
	if len(all) != 1 {
		c.t.Fatalf("want one fault, got %+v", all)
	}
	return all[0]
}

func TestTheFirstTwoReservesOfEachSlotFailThenTheyWork(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.arm(`{match: {endpoint: reserve}, key: slot, times: 2, status: 500}`)
	for _, slot := range c.slots()[:2] {
		for range 2 {
			c.call("POST", partnerapi.ReservePath, reserveBody(slot.ID, 1)).requireRefusal(500, "This is the fault fault-1.")
		}
		c.reserve(slot.ID, 1)
	}
	if holds := c.mock.Default().Platform().Holds(); len(holds) != 2 {
		t.Fatalf("want no hold of a reserve that failed, got %d holds", len(holds))
	}
	if f := c.fault(); f.Considered != 7 || f.Matched != 6 || f.Fired != 4 || f.Keys != 2 {
		t.Fatalf("want 7 considered, 6 matched, 4 fired, 2 keys, got %+v", f.Counts)
	}
	c.requireBalanced()
}

func TestAFaultAppliesToWhatItMatches(t *testing.T) {
	t.Parallel()
	for match, applies := range map[string]bool{
		`{}`:                                      true,
		`{endpoint: reserve}`:                     true,
		`{endpoint: confirm}`:                     false,
		`{method: POST}`:                          true,
		`{method: GET}`:                           false,
		`{path: "/bookings/*"}`:                   true,
		`{path: "/*"}`:                            false,
		`{path: "/**"}`:                           true,
		`{path: "/bookings/reserve"}`:             true,
		`{path: "/bookings/reserv."}`:             false,
		`{header: {x-tenant: "blue*"}}`:           true,
		`{header: {X-Tenant: red}}`:               false,
		`{header: {X-Other: "*"}}`:                false,
		`{query: {trace: "1"}}`:                   true,
		`{query: {trace: "1", other: "*"}}`:       false,
		`{body: ".units[0].quantity == 2"}`:       true,
		`{body: ".units | length > 1"}`:           false,
		`{body: ".contact.fullName[0:3]"}`:        true,
		`{body: "empty"}`:                         false,
		`{body: ".units + 1"}`:                    false,
		`{state: {slot: AVAILABLE}}`:              true,
		`{state: {slot: SOLD_OUT}}`:               false,
		`{state: {hold: unknown}}`:                false,
		`{endpoint: reserve, method: DELETE}`:     false,
		`{body: "env | length == 0"}`:             true,
		`{body: "$ENV | length == 0"}`:            true,
		`{body: ".resellerReference == \"b-1\""}`: true,
	} {
		t.Run(match, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			slot := c.slot(20)
			c.arm(`{status: 500, match: ` + match + `}`)
			a := c.send("POST", partnerapi.ReservePath+"?trace=1", reserveBody(slot.ID, 2), http.Header{"X-Tenant": {"blue 7"}})
			if fired := a.status == 500; fired != applies {
				t.Errorf("want applies %t, got %d: %s; %+v", applies, a.status, a.body, c.fault().Counts)
			}
		})
	}
}

func TestAFaultAppliesByTheStateOfHoldAndBooking(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(20)
	held, confirmed, released := c.reserve(slot.ID, 1), c.reserve(slot.ID, 1), c.reserve(slot.ID, 1)
	booking := read[partnerapi.ConfirmAnswer](c.confirm(confirmed.ReservationConfirmationCode))
	cancelled := read[partnerapi.ConfirmAnswer](c.confirm(c.reserve(slot.ID, 1).ReservationConfirmationCode))
	c.cancel(cancelled.ExternalBookingID)
	c.release(released.ReservationConfirmationCode)
	c.arm(`
- {match: {state: {hold: held}}, status: 501}
- {match: {endpoint: release, state: {hold: confirmed}}, status: 502, last: true}
- {match: {state: {hold: released}}, status: 503}
- {match: {state: {hold: unknown}}, status: 504}
- {match: {state: {booking: confirmed, slot: AVAILABLE}}, status: 505}
- {match: {state: {booking: cancelled}}, status: 506}
- {match: {state: {booking: unknown}}, status: 507}
- {match: {state: {hold: expired}}, status: 508}
`)
	want := func(status int, a answer) {
		t.Helper()
		if a.status != status {
			t.Errorf("%s: want %d, got %d: %s", a.what, status, a.status, a.body)
		}
	}
	release := func(code string) answer { return c.call("DELETE", partnerapi.ReleasePath(code), "") }
	cancel := func(id string) answer { return c.call("POST", partnerapi.CancelPath(id), "") }
	want(501, release(held.ReservationConfirmationCode))
	want(501, c.confirm(held.ReservationConfirmationCode))
	want(502, release(confirmed.ReservationConfirmationCode))
	want(503, release(released.ReservationConfirmationCode))
	want(504, release("a/b c+d"))
	want(505, cancel(booking.ExternalBookingID))
	want(506, cancel(cancelled.ExternalBookingID))
	want(507, cancel(".."))
	c.clock.Advance(time.Hour)
	want(508, c.confirm(held.ReservationConfirmationCode))
}

func TestAfterUntilAndTimesBoundAFault(t *testing.T) {
	t.Parallel()
	outcomes := func(c caller, n int) (seen string) {
		for range n {
			if c.call("GET", "/products?limit=1", "").status == 500 {
				seen += "x"
			} else {
				seen += "."
			}
		}
		return seen
	}
	for fault, want := range map[string]string{
		`times: 2`:                    "xx......",
		`after: 3`:                    "...xxxxx",
		`until: 3`:                    "xxx.....",
		`{after: 2, until: 5}`:        "..xxx...",
		`{after: 2, times: 1}`:        "..x.....",
		`until: 2026-07-01T12:00:00Z`: "........",
		`after: 2026-07-01T12:00:00Z`: "xxxxxxxx",
		`until: 2026-07-01T12:00:01Z`: "xxxxxxxx",
	} {
		c := start(t)
		c.arm(`{status: 500, ` + strings.Trim(fault, "{}") + `}`)
		if got := outcomes(c, 8); got != want {
			t.Errorf("%s: want %s, got %s", fault, want, got)
		}
	}
	c := start(t)
	c.arm(`{status: 500, after: 2026-07-01T12:10:00Z}`)
	before := outcomes(c, 2)
	c.clock.Advance(10 * time.Minute)
	if got := before + outcomes(c, 2); got != "..xx" {
		t.Errorf("want the clock to decide, got %s", got)
	}
	for bound, want := range map[string]string{`until: 1m`: "x.", `after: 1m`: ".x"} {
		c := start(t)
		c.arm(`{status: 500, ` + bound + `}`)
		c.clock.Advance(time.Hour) // it is the first match that it begins with
		first := outcomes(c, 1)
		c.clock.Advance(time.Minute)
		if got := first + outcomes(c, 1); got != want {
			t.Errorf("%s: want %s, got %s", bound, want, got)
		}
	}
}

func TestAllFaultsThatMatchApplyInTheOrderInWhichTheyWereArmed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ faults, want, fired string }{
		"a delay and a change":                {`[{delay: 20ms}, {jq: '["a"]'}]`, `late 200 ["a"]`, "12"},
		"two delays":                          {`[{delay: 10ms}, {when: after, delay: 10ms}]`, "late 200", "12"},
		"two changes":                         {`[{jq: '["a"]'}, {jq: '. + ["b"]'}]`, `200 ["a","b"]`, "12"},
		"two changes, the other way round":    {`[{jq: '. + ["b"]'}, {jq: '["a"]'}]`, `200 ["a"]`, "12"},
		"two statuses":                        {`[{status: 500}, {status: 501}]`, `501 {"message":"This is the fault fault-2."}`, "12"},
		"a status and a change of it":         {`[{status: 500}, {jq: .message}]`, `500 "This is the fault fault-1."`, "12"},
		"a change and then a status":          {`[{jq: '["a"]'}, {status: 500}]`, `500 {"message":"This is the fault fault-2."}`, "12"},
		"a status, and a fault for successes": {`[{status: 500}, {answered: 2xx, set_status: 202}]`, "500", "12"},
		"a status, and a fault for failures":  {`[{status: 500}, {answered: 5xx, set_status: 503}]`, "503", "12"},
		"a delay and a status":                {`[{delay: 20ms}, {status: 500}]`, "late 500", "12"},
		"a status and a delay":                {`[{status: 500}, {when: after, delay: 20ms}]`, "late 500", "12"},
		"a broken connection stays broken":    {`[{fault: EMPTY_RESPONSE}, {send: {close: true}, status: 500}]`, "broken", "12"},
		"a status on a connection that ends":  {`[{status: 500}, {fault: EMPTY_RESPONSE}]`, "broken", "12"},
		"a status that is cut short":          {`[{limit_data: {bytes: 3}}, {status: 500}]`, `500 {"m`, "12"},
		"two ways to send":                    {`[{limit_data: {bytes: 3}}, {send: {close: true}, jq: '["a"]'}]`, `200 ["a"]`, "12"},
		"the last one":                        {`[{status: 500, last: true}, {status: 501}]`, "500", "1"},
		"an exception":                        {`[{match: {endpoint: products}, last: true}, {status: 501}]`, "200", "1"},
		"an exception for others":             {`[{match: {endpoint: reserve}, last: true}, {status: 501}]`, "501", "2"},
		"a last one that does not fire":       {`[{after: 1, status: 500, last: true}, {status: 501}]`, "501", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.arm(test.faults)
			text, took, _ := c.sendRaw("GET", "/products?limit=1", "")
			head, body, _ := strings.Cut(text, "\r\n\r\n")
			got := "broken"
			if head != "" {
				got = strings.Fields(head)[1] + " " + body
			}
			if took >= 20*time.Millisecond && strings.HasPrefix(test.want, "late") {
				got = "late " + got
			}
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("want %s, got %s", test.want, got)
			}
			fired := strings.ReplaceAll(strings.Join(c.lastExchange().Faults, ""), "fault-", "")
			if fired != test.fired {
				t.Errorf("want the faults %s in the journal, got %s", test.fired, fired)
			}
		})
	}
}

func TestEachFaultCountsItsOwnMatches(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.arm(`[{name: a, times: 1, status: 500}, {name: b, after: 1, times: 1, status: 501}, {name: c, match: {endpoint: reserve}, status: 502}]`)
	for _, want := range []int{500, 501, 200} {
		if got := c.call("GET", "/products?limit=1", "").status; got != want {
			t.Errorf("want %d, got %d", want, got)
		}
	}
	for i, want := range []script.Counts{{Considered: 3, Matched: 3, Fired: 1, Keys: 1}, {Considered: 3, Matched: 3, Fired: 1, Keys: 1}, {Considered: 3}} {
		if got := c.mock.Default().Faults().Faults()[i].Counts; got != want {
			t.Errorf("fault %d: want %+v, got %+v", i+1, want, got)
		}
	}
}

func TestAFaultThatAnswersForThePartnerKeepsTheRequestFromIt(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(5)
	c.arm(`[{match: {endpoint: reserve}, when: after, times: 1, status: 500}, {match: {endpoint: reserve}, times: 1, status: 501}]`)
	c.call("POST", partnerapi.ReservePath, reserveBody(slot.ID, 2)).requireRefusal(501, "fault-2")
	c.requireVacancies(5)
	c.arm(`[{match: {endpoint: reserve}, request: '.units[0].quantity = 1'}, {match: {endpoint: reserve}, request: '.units[0].quantity += 1', when: after, status: 502}]`)
	c.call("POST", partnerapi.ReservePath, reserveBody(slot.ID, 4)).requireRefusal(502, "fault-4")
	c.requireVacancies(3)
}

func TestAFaultComesBeforeTheKeyIsLookedAt(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.key = ""
	c.arm(`status: 429`)
	if got := c.call("GET", "/products", "").status; got != 429 {
		t.Fatalf("want the fault, got %d", got)
	}
}

func TestAFaultCountsByHoldAndByBooking(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(20)
	one, two := c.reserve(slot.ID, 1).ReservationConfirmationCode, c.reserve(slot.ID, 1).ReservationConfirmationCode
	c.arm(`
- {name: by-hold, match: {endpoint: confirm}, key: hold, times: 1, status: 500}
- {name: by-booking, match: {endpoint: cancel}, key: booking, times: 1, status: 500}
- {name: of-no-hold, match: {endpoint: reserve}, key: hold, status: 500}
`)
	var bookings []string
	for _, code := range []string{one, two} {
		c.confirm(code).requireRefusal(500, "by-hold")
		bookings = append(bookings, read[partnerapi.ConfirmAnswer](c.confirm(code).is(200, schemas.ConfirmAnswer)).ExternalBookingID)
	}
	for _, id := range bookings {
		c.call("POST", partnerapi.CancelPath(id), "").requireRefusal(500, "by-booking")
		c.cancel(id)
	}
	c.reserve(slot.ID, 1)
	if f := c.mock.Default().Faults().Faults()[2]; f.Considered == 0 || f.Matched != 0 {
		t.Errorf("want a reserve, which names no hold, not to match, got %+v", f.Counts)
	}
}
