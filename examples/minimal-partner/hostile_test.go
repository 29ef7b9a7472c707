package main

import (
	"strings"
	"testing"
)

func TestTheKeyComesAsABearerTokenOrAlone(t *testing.T) { // AUTH-1
	t.Parallel()
	p := start(t)
	for _, authorization := range []string{"Bearer " + testKey, testKey} {
		if status, _ := p.send(authorization, "GET", "/products", ""); status != 200 {
			t.Errorf("Authorization %q: want 200, got %d", authorization, status)
		}
	}
}

func TestHostileBodiesAreRefusedAndHoldNothing(t *testing.T) { // GEN-8
	t.Parallel()
	p := start(t)
	reserve := func(units, more string) string {
		return `{"productId":"harbour-cruise","optionId":"small-boat","availabilityId":"small-boat-2026-03-03-1100","units":` + units + more + `}`
	}
	one := `[{"id":"unit-adult","quantity":1}]`
	for name, body := range map[string]string{
		"nothing":                     ``,
		"broken JSON":                 `{"productId":`,
		"two documents":               reserve(one, "") + reserve(one, ""),
		"an array":                    `[]`,
		"null":                        `null`,
		"a number":                    `7`,
		"an empty object":             `{}`,
		"a product id that is a list": `{"productId":["harbour-cruise"]}`,
		"an unknown product":          strings.Replace(reserve(one, ""), "harbour-cruise", "moon-trip", 1),
		"an unknown option":           strings.Replace(reserve(one, ""), `"small-boat"`, `"moon-boat"`, 1),
		"an unknown slot":             strings.Replace(reserve(one, ""), "1100", "1101", 1),
		"a slot on a closed day":      strings.Replace(reserve(one, ""), "03-03", "03-02", 1),
		"a slot of another option":    strings.Replace(reserve(one, ""), "small-boat-2026-03-03-1100", "shared-boat-2026-03-03-1000", 1),
		"no units":                    reserve(`[]`, ""),
		"units that are null":         reserve(`null`, ""),
		"units that are text":         reserve(`"unit-adult"`, ""),
		"an unknown unit":             reserve(`[{"id":"unit-martian","quantity":1}]`, ""),
		"no quantity":                 reserve(`[{"id":"unit-adult"}]`, ""),
		"a quantity of 0":             reserve(`[{"id":"unit-adult","quantity":0}]`, ""),
		"a negative quantity":         reserve(`[{"id":"unit-adult","quantity":2},{"id":"unit-adult","quantity":-1}]`, ""),
		"half a guest":                reserve(`[{"id":"unit-adult","quantity":1.5}]`, ""),
		"a quantity that is text":     reserve(`[{"id":"unit-adult","quantity":"1"}]`, ""),
		"a quantity beyond int64":     reserve(`[{"id":"unit-adult","quantity":99999999999999999999}]`, ""),
		"quantities that overflow":    reserve(`[{"id":"unit-adult","quantity":9223372036854775807},{"id":"unit-adult","quantity":9223372036854775807},{"id":"unit-adult","quantity":3}]`, ""),
		"a contact that is text":      reserve(one, `,"contact":"Maria"`),
		"a name that is a number":     reserve(one, `,"contact":{"fullName":7}`),
		"a reference that is a list":  reserve(one, `,"resellerReference":[]`),
		"deep nesting":                reserve(one, `,"x":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)),
		"more than the cap":           reserve(one, `,"x":"`+strings.Repeat("x", maxBody)+`"`),
		"bytes that are no text":      "\x00\xff\xfe{",
		"an id of such bytes":         `{"productId":"` + "\xff\xfe" + `"}`,
	} {
		for _, path := range []string{"/availability", "/bookings/reserve", "/bookings/confirm"} {
			if status, answer := p.send("Bearer "+testKey, "POST", path, body); status != 400 || !strings.Contains(string(answer), `"message":"`) {
				t.Errorf("POST %s with %s: want 400 with a message, got %d: %.200s", path, name, status, answer)
			}
		}
	}
	p.wantVacancies(4, "after hostile bodies")
}

func TestInvalidWindowsAreRefused(t *testing.T) {
	t.Parallel()
	p := start(t)
	for _, dates := range [][2]string{
		{"", ""}, {"2026-03-03", ""}, {"2026-03-04", "2026-03-03"}, {"2026-02-30", "2026-03-03"},
		{"03/03/2026", "03/03/2026"}, {"2026-03-03T00:00:00Z", "2026-03-04"}, {"tomorrow", "tomorrow"}, {"2026-03-03", "99999-01-01"},
	} {
		p.wantRefused("/availability", window("harbour-cruise", "small-boat", dates[0], dates[1]))
	}
}
