package api

import (
	"net/http"
	"net/netip"
	"strings"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// showMetrics answers Prometheus, where it asks from a network that may. What a proxy
// passes on comes from somewhere else, whatever its address.
func (a *API) showMetrics(w http.ResponseWriter, r *http.Request) error {
	if r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" || !a.mayScrape(r.RemoteAddr) {
		return &marketplace.Error{Code: marketplace.Forbidden, Message: "metrics are for the networks of --metrics-from"}
	}
	a.metrics.ServeHTTP(w, r)
	return nil
}

func (a *API) mayScrape(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return false
	}
	address := from.Addr().Unmap().WithZone("")
	for _, network := range a.scrapers {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// countSignIn counts a sign-in that failed.
func (a *API) countSignIn(err error) {
	switch marketplace.CodeOf(err) {
	case marketplace.Unauthorized:
		a.metrics.SignInFailed(telemetry.ByCredentials)
	case marketplace.RateLimited:
		a.metrics.SignInFailed(telemetry.ByLimit)
	}
}

// serviceSurface is that of who runs the service.
const serviceSurface = "service"

// surfaceOf names the surface of a route.
func surfaceOf(r route) string {
	below, ok := strings.CutPrefix(r.path, "/api/v1/")
	if !ok {
		return serviceSurface
	}
	surface, _, _ := strings.Cut(below, "/")
	if surface == "partner-integrations" && r.access.open {
		return "webhooks"
	}
	return surface
}
