package control_test

import (
	"strings"
	"testing"
)

func TestTestimonyIsTakenDownAndListed(t *testing.T) {
	t.Parallel()
	o := start(t)
	told := o.call("POST", "/_mock/testimony", `{"died":["127.0.0.1:40112","[::ffff:10.0.0.7]:99","10.0.0.8"],"at":"2026-07-01T09:00:00Z"}`, 201)
	if told["since"] != "2026-07-01T08:59:59Z" {
		t.Errorf("want a second filled in, got %v", told)
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
		`{}`:                             "want either died",
		`{"died":["here"],"byHand":"c"}`: "want either died",
		`{"died":["here"]}`:              `such as 127.0.0.1:40112, got "here"`,
		`{"byHand":"c","at":"2026-07-01T09:00:00Z"}`:                                          "at and since go with died",
		`{"died":["127.0.0.1:1"],"at":"2026-07-01T09:00:00Z","since":"2026-07-01T09:00:01Z"}`: "since: want a time that is not after at",
		`{"died":["127.0.0.1:1"],"when":"now"}`:                                               "when",
		`{"byHand":"` + strings.Repeat("c", 1025) + `"}`:                                      "at most 1024 bytes",
	} {
		if said, _ := o.call("POST", "/_mock/testimony", body, 400)["message"].(string); !strings.Contains(said, words) {
			t.Errorf("%.60s: want %q, got %q", body, words, said)
		}
	}
}
