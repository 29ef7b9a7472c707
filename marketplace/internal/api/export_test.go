package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// Route describes a route, for the tests that cover all of them.
type Route struct {
	Method, Path string
	Open         bool          // needs no sign-in
	Roles        []domain.Role // otherwise these roles may call it
	Tokens       bool          // a long-lived API token is accepted too
	Parameters   []string      // of its query
}

// Routes lists all routes.
func Routes() (list []Route) {
	for _, r := range routes(Config{Bookings: &booking.Service{}, Metrics: telemetry.NewMetrics("test")}, &guard{}, nil) {
		list = append(list, Route{r.method, r.path, r.access.open, r.access.roles, r.access.tokens, slices.Clone(r.parameters())})
	}
	return list
}

// Guard is the guard of the routes.
type Guard struct{ *guard }

// NewGuard returns a guard with those settings.
func NewGuard(c Config) Guard { return Guard{newGuard(c)} }

// Refuse counts an invalid credential.
func (g Guard) Refuse(r *http.Request) error { return g.refuse(r, errUnauthorized) }

// Allow counts a request with a valid credential.
func (g Guard) Allow(credential string) error {
	return g.allow(&exchange{ResponseWriter: httptest.NewRecorder()}, credential)
}

// Remote returns the address that a request comes from if those proxies are trusted.
func Remote(trusted []netip.Prefix, r *http.Request) string { return proxies(trusted).remote(r) }
