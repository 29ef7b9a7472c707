package api

import (
	"net/http"
	"net/netip"
	"slices"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// Route is one way in, for the tests that go over all of them.
type Route struct {
	Method, Path string
	Open         bool               // to anybody
	Roles        []marketplace.Role // else to these
	Tokens       bool               // and to a long-lived API token
	Parameters   []string           // of its query
}

// Routes lists every way in.
func Routes() (list []Route) {
	for _, r := range routes(Config{Bookings: &booking.Service{}, Metrics: telemetry.NewMetrics("test")}, nil, nil) {
		list = append(list, Route{r.method, r.path, r.access.open, r.access.roles, r.access.tokens, slices.Clone(r.parameters())})
	}
	return list
}

// Remote is the address that a request comes from, where those proxies are trusted.
func Remote(trusted []netip.Prefix, r *http.Request) string { return proxies(trusted).remote(r) }
