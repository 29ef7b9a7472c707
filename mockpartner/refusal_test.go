package mockpartner_test

import (
	"net/http"
	"strings"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

func TestAWrongOrMissingKeyIsRefusedEverywhereAndChangesNothing(t *testing.T) {
	t.Parallel()
	for kind, right := range map[partnerapi.AuthType]string{partnerapi.Bearer: "Bearer " + key, partnerapi.APIKey: key} {
		c := start(t, func(o *mockpartner.Options) { o.AuthType = kind })
		c.key = right
		slot := c.slot(5).ID
		held := c.reserve(slot, 1).ReservationConfirmationCode
		booked := read[partnerapi.ConfirmAnswer](c.confirm(c.reserve(slot, 1).ReservationConfirmationCode)).ExternalBookingID
		wrong := []string{"", "Bearer wrong", "wrong", key + "x", "Bearer " + key + "x", "bearer " + key, "Bearer  " + key, "Basic " + key}
		wrong = append(wrong, map[partnerapi.AuthType]string{partnerapi.Bearer: key, partnerapi.APIKey: "Bearer " + key}[kind])
		for _, presented := range wrong {
			stranger := c
			stranger.key = presented
			stranger.call("GET", "/products", "").requireRefusal(401, "Authorization: ")
			stranger.call("GET", "/products?limit=1", "").requireRefusal(401, "Authorization: ")
			stranger.call("POST", "/availability", window(day, day)).requireRefusal(401, "Authorization: ")
			stranger.call("POST", "/bookings/reserve", reserveBody(slot, 1)).requireRefusal(401, "Authorization: ")
			stranger.call("POST", "/bookings/confirm", confirmBody(held)).requireRefusal(401, "Authorization: ")
			stranger.call("DELETE", partnerapi.ReleasePath(held), "").requireRefusal(401, "Authorization: ")
			stranger.call("POST", partnerapi.CancelPath(booked), "").requireRefusal(401, "Authorization: ")
		}
		twice := c.send("GET", "/products", "", http.Header{"Authorization": {right, right}})
		twice.requireRefusal(401, "Authorization: ")
		if strings.Contains(twice.body, key) || twice.header.Get("WWW-Authenticate") == "" {
			t.Fatalf("want a challenge without the key, got %q, %s", twice.header.Get("WWW-Authenticate"), twice.body)
		}
		c.requireVacancies(3)
		c.requireBalanced()
	}
}

func TestBodiesThatTheMarketplaceNeverSendsAreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(5).ID
	good := reserveBody(slot, 1)
	for name, body := range map[string]string{
		"no body":              "",
		"broken JSON":          `{"productId":`,
		"an array":             "[]",
		"null":                 "null",
		"two texts":            good + good,
		"no UTF-8":             "{\"productId\":\"\xff\"}",
		"deep nesting":         strings.Repeat("[", 100_000),
		"a missing field":      strings.Replace(good, `"productId"`, `"product"`, 1),
		"capitals":             strings.Replace(good, `"productId"`, `"PRODUCTID"`, 1),
		"a number for an id":   strings.Replace(good, `"tokyo-market"`, "7", 1),
		"an empty id":          strings.Replace(good, `"tokyo-market"`, `""`, 1),
		"no units":             strings.Replace(good, `[{"id":"unit-adult","quantity":1}]`, "[]", 1),
		"units that are none":  strings.Replace(good, `[{"id":"unit-adult","quantity":1}]`, `{"id":"unit-adult"}`, 1),
		"an unknown unit":      strings.Replace(good, "unit-adult", "unit-dog", 1),
		"quantity 0":           strings.Replace(good, `"quantity":1`, `"quantity":0`, 1),
		"quantity -1":          strings.Replace(good, `"quantity":1`, `"quantity":-1`, 1),
		"quantity 1.5":         strings.Replace(good, `"quantity":1`, `"quantity":1.5`, 1),
		"quantity in quotes":   strings.Replace(good, `"quantity":1`, `"quantity":"1"`, 1),
		"quantity of millions": strings.Replace(good, `"quantity":1`, `"quantity":9223372036854775807`, 1),
		"quantity of a google": strings.Replace(good, `"quantity":1`, `"quantity":1e100`, 1),
		"a contact of a kind":  strings.Replace(good, `{"fullName":"Ana Sousa"}`, `"Ana"`, 1),
		"an unknown product":   strings.Replace(good, "tokyo-market", "mars", 1),
		"an unknown option":    strings.Replace(good, "breakfast", "supper", 1),
		"an unknown slot":      strings.Replace(good, slot, "slot", 1),
	} {
		a := c.call("POST", "/bookings/reserve", body)
		t.Logf("%s -> %d %s", name, a.status, a.body)
		a.requireRefusal(400, "")
	}
	for _, body := range []string{
		"", "{}", window("2026-07-02", "2026-07-01"), window("2026-07-01", "2027-07-02"), window("today", "tomorrow"),
		strings.Replace(window(day, day), "unit-adult", "unit-dog", 1), strings.Replace(window(day, day), product, "mars", 1),
	} {
		c.call("POST", "/availability", body).requireRefusal(400, "")
	}
	for _, body := range []string{"", "{}", `{"reservationConfirmationCode":""}`, `{"reservationConfirmationCode":7}`, `{"reservationConfirmationCode":null}`} {
		c.call("POST", "/bookings/confirm", body).requireRefusal(400, "")
	}
	c.requireVacancies(5)
	c.requireBalanced()
}

func TestAnIntegerMayBeWrittenWithAPoint(t *testing.T) {
	t.Parallel()
	c := start(t)
	body := strings.Replace(reserveBody(c.slot(5).ID, 2), `"quantity":2`, `"quantity":2.0`, 1)
	if a := c.call("POST", "/bookings/reserve", body); a.status != 200 {
		t.Fatalf("want 2.0 read as 2, got %d: %s", a.status, a.body)
	}
	c.requireVacancies(3)
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(5).ID
	pad := func(size int) string {
		good := reserveBody(slot, 1)
		return good[:len(good)-1] + `,"note":"` + strings.Repeat("x", size-len(good)-len(`,"note":""`)) + `"}`
	}
	if a := c.call("POST", "/bookings/reserve", pad(1<<20)); a.status != 200 {
		t.Fatalf("want a body of 1 MiB taken, got %d: %.200s", a.status, a.body)
	}
	c.call("POST", "/bookings/reserve", pad(1<<20+1)).requireRefusal(413, "larger than 1048576 bytes")
	c.requireVacancies(4)
}

func TestOtherContentTypesAreRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	body := reserveBody(c.slot(50).ID, 1)
	for kind, want := range map[string]int{
		"application/json":                  200,
		"application/json; charset=utf-8":   200,
		"application/vnd.partner+json":      200,
		"":                                  200,
		"application/x-www-form-urlencoded": 415,
		"text/plain":                        415,
		"application/":                      415,
		"nonsense;;;":                       415,
	} {
		a := c.send("POST", "/bookings/reserve", body, http.Header{"Content-Type": {kind}})
		if a.status != want {
			t.Errorf("%q: want %d, got %d: %s", kind, want, a.status, a.body)
		}
	}
}

func TestUnknownPathsAndMethodsAreAnsweredInJSON(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, path := range []string{"/", "/product", "/products/", "//products", "/products/../products", "/bookings", "/bookings/", "/bookings//cancel", "/bookings/a/b/cancel", "/s", "/_mocks"} {
		c.call("GET", path, "").requireRefusal(404, "/_mock/routes lists the paths")
	}
	for _, m := range []struct{ method, path, allow string }{
		{"POST", "/products", "GET, HEAD"},
		{"DELETE", "/products", "GET, HEAD"},
		{"GET", "/availability", "POST"},
		{"HEAD", "/availability", "POST"},
		{"OPTIONS", "/availability", "POST"},
		{"GET", "/bookings/reserve", "POST, DELETE"}, // a code may be "reserve"
		{"GET", "/bookings/x", "DELETE"},
		{"DELETE", "/bookings/x/cancel", "POST"},
	} {
		a := c.call(m.method, m.path, "")
		if a.status != 405 || a.header.Get("Allow") != m.allow {
			t.Errorf("%s %s: want 405 and Allow %q, got %d and %q", m.method, m.path, m.allow, a.status, a.header.Get("Allow"))
		}
		if m.method != "HEAD" {
			a.requireRefusal(405, "does not support "+m.method)
		}
	}
}

func TestInvalidOptionsAreNamed(t *testing.T) {
	t.Parallel()
	for words, options := range map[string]mockpartner.Options{
		"auth key: required":                  {},
		"auth key: it has spaces":             {AuthKey: "a\nb"},
		"auth key: it has spaces at":          {AuthKey: " a"},
		"auth type: expected bearer or api_k": {AuthKey: key, AuthType: "basic"},
		"holds must live at least 1s":         {AuthKey: key, HoldFor: 1},
		"catalog: products: expected at":      {AuthKey: key, Catalog: &catalog.Catalog{}},
	} {
		_, err := mockpartner.New(options)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("want an error with %q, got %v", words, err)
		}
	}
}
