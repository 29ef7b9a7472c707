// Package loopback protects pages on loopback addresses from the pages of other sites that the same browser shows.
package loopback

import (
	"errors"
	"net"
	"net/http"
	"strings"
)

// On reports whether a request arrived at a loopback address. A test's request
// without a connection counts as loopback.
func On(r *http.Request) bool {
	address, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return true
	}
	tcp, ok := address.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// Named reports whether the caller used a name that is always loopback. Otherwise the page
// of another site could reach the server through a name that resolves to a loopback address (DNS
// rebinding).
func Named(r *http.Request) bool {
	if r.Context().Value(http.LocalAddrContextKey) == nil {
		return true // without a connection, the name does not matter
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return ip != nil && ip.IsLoopback()
}

// FromOwnPage returns an error for a request that another site's page makes through a browser. Links from anywhere
// are allowed.
func FromOwnPage(r *http.Request) error {
	if r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		// Checked as a POST, because the protection ignores methods that change nothing.
		r = r.Clone(r.Context())
		r.Method = http.MethodPost
	}
	return http.NewCrossOriginProtection().Check(r)
}

// Check returns an error for a request that arrives at a loopback address by another name, and for one of another
// site's page.
func Check(r *http.Request) error {
	switch {
	case On(r) && !Named(r):
		return errors.New("on this address it answers to 127.0.0.1, [::1] and localhost only")
	case FromOwnPage(r) != nil:
		return errors.New("it refuses requests from pages of other sites")
	}
	return nil
}

// Guard refuses requests with the error of Check.
func Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
