package loopback_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"partnerkit.dev/internal/loopback"
)

func TestAPageOnLoopbackAnswersToItsOwnNamesAndPagesOnly(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(loopback.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	t.Cleanup(server.Close)
	for what, c := range map[string]struct {
		host, origin, site, mode string
		want                     int
	}{
		"the address":                {"", "", "", "", 200},
		"localhost":                  {"localhost:8091", "", "same-origin", "cors", 200},
		"a name below localhost":     {"a.LOCALHOST.", "", "", "", 200},
		"IPv6":                       {"[::1]:8091", "", "", "", 200},
		"a name that was rebound":    {"rebound.example:8091", "", "same-origin", "navigate", 403},
		"a name that begins so":      {"localhost.rebound.example", "", "", "", 403},
		"an address that begins so":  {"127.0.0.1.rebound.example", "", "", "", 403},
		"another site's script":      {"", "https://evil.example", "cross-site", "cors", 403},
		"another site's image":       {"", "", "cross-site", "no-cors", 403},
		"a link of another site":     {"", "", "cross-site", "navigate", 200},
		"a script without a browser": {"", "", "", "", 200},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s: expected %d, received %d", what, c.want, answer.StatusCode)
		}
	}
}
