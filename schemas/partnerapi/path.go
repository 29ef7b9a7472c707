package partnerapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// These are the paths of the endpoints below a partner's base URL. ReleasePath and CancelPath take
// the opaque code or booking id.
const (
	ProductsPath     = "/products"
	AvailabilityPath = "/availability"
	ReservePath      = "/bookings/reserve"
	ConfirmPath      = "/bookings/confirm"
)

// ReleasePath returns the escaped path that releases the hold with that code.
func ReleasePath(code string) string { return "/bookings/" + EscapeSegment(code) }

// CancelPath returns the escaped path that cancels the booking with that id.
func CancelPath(id string) string { return "/bookings/" + EscapeSegment(id) + "/cancel" }

// EscapeSegment escapes an opaque code so that it stays ONE path segment (RSV-6). It encodes
// slashes, percent signs, plus signs and spaces. It also encodes the dots of "." and "..", which
// clients and proxies would otherwise resolve as directories.
func EscapeSegment(code string) string {
	if code == "." || code == ".." {
		return strings.Repeat("%2E", len(code))
	}
	return strings.ReplaceAll(url.PathEscape(code), "+", "%2B")
}

// URL joins an escaped path, as the functions above return it, below base, whatever base's own path
// and trailing slash (AUTH-4). It never cleans the path: an opaque code may look like a directory.
func URL(base *url.URL, escapedPath string, query url.Values) (*url.URL, error) {
	path, err := url.PathUnescape(escapedPath)
	if err != nil {
		return nil, fmt.Errorf("join %q below the base URL: %w", escapedPath, err)
	}
	joined := *base
	joined.Path = strings.TrimRight(base.Path, "/") + path
	joined.RawPath = strings.TrimRight(base.EscapedPath(), "/") + escapedPath
	joined.RawQuery = query.Encode()
	joined.Fragment, joined.RawFragment = "", ""
	return &joined, nil
}

// EndpointOf returns the operation of a request, by its method and its path below the base URL. It
// returns "" if the request is for another path or method.
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

// CallOf returns the endpoint that a request calls, below any base URL, and the code or id in its
// path, escaped and unescaped. It returns false if the request is not a call of the contract.
func CallOf(method string, u *url.URL) (of Endpoint, segment, named string, ok bool) {
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	at := strings.LastIndex(path, "/bookings/")
	switch {
	case method == http.MethodGet && strings.HasSuffix(path, ProductsPath):
		return Products, "", "", true
	case method == http.MethodPost && strings.HasSuffix(path, AvailabilityPath):
		return Availability, "", "", true
	case method == http.MethodPost && strings.HasSuffix(path, ReservePath):
		return Reserve, "", "", true
	case method == http.MethodPost && strings.HasSuffix(path, ConfirmPath):
		return Confirm, "", "", true
	case at < 0:
		return "", "", "", false
	}
	segment, rest, _ := strings.Cut(path[at+len("/bookings/"):], "/")
	named, err := url.PathUnescape(segment)
	switch {
	case err != nil || named == "":
		return "", "", "", false
	case method == http.MethodDelete && rest == "":
		return Release, segment, named, true
	case method == http.MethodPost && rest == "cancel":
		return Cancel, segment, named, true
	default:
		return "", "", "", false
	}
}
