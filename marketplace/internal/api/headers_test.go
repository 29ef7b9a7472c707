package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// A proxy, a library and the service may each take another one of two values.
func TestAHeaderThatSaysTwoThingsIsRefused(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	token := header{"X-Api-Token", s.apiToken(t)}
	other := header{"Authorization", s.signIn(t, domain.Operator).value}
	hook := header{"X-Webhook-Secret", "a"}
	bookings, list := "/api/v1/resellers/bookings", "/api/v1/resellers/bookings"
	for name, c := range map[string]struct {
		method, path string
		headers      []header
		status       int
	}{
		"two modes":                    {"GET", list, []header{s.reseller, {"X-Mode", "live"}, {"X-Mode", "test"}}, 400},
		"two modes, the other first":   {"GET", list, []header{s.reseller, {"X-Mode", "test"}, {"X-Mode", "live"}}, 400},
		"a mode and an empty one":      {"GET", list, []header{s.reseller, {"X-Mode", "test"}, {"X-Mode", ""}}, 400},
		"the same mode twice":          {"GET", list, []header{s.reseller, {"X-Mode", "live"}, {"X-Mode", "live"}}, 200},
		"two access tokens":            {"GET", list, []header{s.reseller, other}, 400},
		"two API tokens":               {"GET", list, []header{token, {"X-Api-Token", "pk_live_x"}}, 400},
		"an empty API token first":     {"GET", list, []header{{"X-Api-Token", ""}, token}, 400},
		"two secrets of a webhook":     {"POST", "/api/v1/partner-integrations/x/sync/trigger", []header{hook, {"X-Webhook-Secret", "b"}}, 400},
		"two content types":            {"POST", bookings, []header{s.reseller, {"Content-Type", "text/plain"}}, 400},
		"two last events":              {"GET", list, []header{s.reseller, {"Last-Event-ID", "1"}, {"Last-Event-ID", "2"}}, 400},
		"two ids of a request":         {"GET", list, []header{s.reseller, {"X-Request-Id", "shop-17"}, {"X-Request-Id", "shop-18"}}, 400},
		"an id, and one that is empty": {"GET", "/healthz", []header{{"X-Request-Id", ""}, {"X-Request-Id", "shop-18"}}, 400},
		"the same id twice":            {"GET", list, []header{s.reseller, {"X-Request-Id", "shop-17"}, {"X-Request-Id", "shop-17"}}, 200},
		"an empty key":                 {"POST", bookings, []header{s.reseller, {"Idempotency-Key", ""}}, 400},
		"two keys":                     {"POST", bookings, []header{s.reseller, {"Idempotency-Key", "order-1"}, {"Idempotency-Key", "order-2"}}, 400},
		"the same key twice":           {"POST", bookings, []header{s.reseller, {"Idempotency-Key", "order-1"}, {"Idempotency-Key", "order-1"}}, 400},
		"an empty key and another":     {"POST", bookings, []header{s.reseller, {"Idempotency-Key", ""}, {"Idempotency-Key", "order-1"}}, 400},
		"a key with a space at an end": {"POST", bookings, []header{s.reseller, {"Idempotency-Key", " order-3"}}, 201}, // HTTP drops the space
	} {
		body := ""
		if c.path == bookings && c.method == "POST" {
			body = s.order
		}
		request, err := http.NewRequestWithContext(t.Context(), c.method, s.address+c.path, strings.NewReader(body))
		must(t, err)
		request.Header.Set("Content-Type", "application/json")
		for _, h := range c.headers {
			request.Header.Add(h.name, h.value)
		}
		response, err := http.DefaultClient.Do(request)
		must(t, err)
		text, err := io.ReadAll(response.Body)
		must(t, err)
		must(t, response.Body.Close())
		if response.StatusCode != c.status || c.status == 400 && !strings.Contains(string(text), c.headers[len(c.headers)-1].name+": expected one value") {
			t.Errorf("%s: Expected %d that names the header, received %d %s", name, c.status, response.StatusCode, text)
		}
		if id := response.Header.Get("X-Request-Id"); c.status == 400 && uuid.Validate(id) != nil {
			t.Errorf("%s: Expected an id of the service, received %q", name, id)
		}
	}
}
