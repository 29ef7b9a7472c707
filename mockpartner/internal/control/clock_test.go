package control_test

import "testing"

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
	o.refused("POST", "/_mock/clock/next", `{"kinds":["hold-expires"]}`, 409, "nothing is pending")
	o.refused("POST", "/_mock/clock/next", `{"kinds":["lunch"]}`, 400, `got "lunch"`)
	o.refused("POST", "/_mock/clock/next", `{"kind":"day-begins"}`, 400, "kind")
	o.refused("GET", "/_mock/clock/timers?limit=x", "", 400, "limit: want a number")
}
