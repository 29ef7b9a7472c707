package partnerapi

import (
	"net/http"
	"strings"
)

// EndpointOf tells which of the six operations a request is for, by its method and
// its path below the base URL; empty: none of them.
func EndpointOf(r *http.Request) Endpoint {
	path := r.URL.EscapedPath()
	switch {
	case path == ProductsPath && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		return Products
	case path == AvailabilityPath && r.Method == http.MethodPost:
		return Availability
	case path == ReservePath && r.Method == http.MethodPost:
		return Reserve
	case path == ConfirmPath && r.Method == http.MethodPost:
		return Confirm
	}
	switch parts := strings.Split(path, "/"); {
	case len(parts) == 3 && parts[1] == "bookings" && r.Method == http.MethodDelete:
		return Release
	case len(parts) == 4 && parts[1] == "bookings" && parts[3] == "cancel" && r.Method == http.MethodPost:
		return Cancel
	}
	return ""
}
