package control_test

import (
	"fmt"
	"net/http"
	"testing"

	"partnerkit.dev/mockpartner"
)

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
	o.refused("POST", "/_mock/sandboxes", `{"name":"three","authKey":"the-key-of-one"}`, 409, "the auth key is in use")
	o.call("GET", "/products", "", 200)
}

func TestWhatDoesNotExistIsNeitherClonedNorSavedNorRestored(t *testing.T) {
	t.Parallel()
	o := start(t, func(options *mockpartner.Options) { options.MaxSandboxes = 2 })
	for _, c := range [][2]string{{"GET", ""}, {"POST", "/clone"}, {"POST", "/reset"}, {"GET", "/snapshots"}, {"POST", "/snapshots"}, {"POST", "/snapshots/x/restore"}, {"DELETE", "/snapshots/x"}} {
		o.refused(c[0], "/_mock/sandboxes/nobody"+c[1], `{"name":"x"}`, 404, `no sandbox "nobody"`)
	}
	const box = "/_mock/sandboxes/default"
	o.refused("POST", box+"/snapshots/x/restore", "", 404, "no such snapshot: x")
	o.refused("DELETE", box+"/snapshots/x", "", 404, "no such snapshot: x")
	o.refused("POST", box+"/snapshots", `{"name":"X"}`, 400, "name: want")
	o.refused("POST", box+"/snapshots", "", 400, "want a JSON object")
	o.refused("POST", box+"/clone", `{"name":"default"}`, 409, "such a sandbox already")
	o.refused("POST", box+"/clone", `{"name":"x","seed":1}`, 400, "seed")
	for i := range 16 {
		o.call("POST", box+"/snapshots", fmt.Sprintf(`{"name":"s%d"}`, i), 201)
	}
	o.refused("POST", box+"/snapshots", `{"name":"one-more"}`, 409, "16: delete one")
	o.call("POST", box+"/clone", `{"name":"x"}`, 201)
	o.refused("POST", box+"/clone", `{"name":"y"}`, 409, "as many sandboxes as there may be")
}
