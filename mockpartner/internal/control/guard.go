package control

import (
	"net"
	"net/http"
	"strings"

	"partnerkit.dev/mockpartner/internal/reply"
)

// requireToken admits callers that present the token or are signed in. Without a token it admits callers
// of a loopback address, called by a loopback name.
func (a *api) requireToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.Token == "" && !onLoopback(r):
			reply.Message(w, http.StatusForbidden, "without a control token the control API answers on loopback addresses only: start the mock with --control-token")
		case a.Token == "" && !calledLoopback(r):
			reply.Message(w, http.StatusForbidden, "without a control token the control API answers to 127.0.0.1, [::1] and localhost, not to %q: start the mock with --control-token", r.Host)
		case a.Token == "", equalSecrets(r.Header.Get("Authorization"), "Bearer "+a.Token), a.signedIn(r):
			next.ServeHTTP(w, r)
		case r.URL.Path == Path+"/healthz", r.URL.Path == sessionPath:
			next.ServeHTTP(w, r)
		case r.URL.Path == ConsolePath && r.Method == http.MethodGet:
			a.console.SignIn(w, "")
		default:
			w.Header().Set("WWW-Authenticate", `Bearer realm="control"`)
			reply.Message(w, http.StatusUnauthorized, "wrong or missing control token: send the header Authorization: Bearer <token>")
		}
	})
}

// onLoopback reports whether the request reached the mock at a loopback address. A test's request
// without a connection counts as loopback.
func onLoopback(r *http.Request) bool {
	address, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return true
	}
	tcp, ok := address.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// calledLoopback reports whether the caller used a name that is always loopback. Otherwise the page
// of another site could reach the mock through a name that resolves to a loopback address (DNS
// rebinding).
func calledLoopback(r *http.Request) bool {
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

// ownPagesOnly refuses requests that another site's page makes through a browser. Such a page must
// not move a developer's clock, or hold the journal's streams open. Links from anywhere are
// allowed.
func ownPagesOnly(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		judged := r
		if r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			// Checked as a POST, because the protection ignores methods that change nothing.
			judged = r.Clone(r.Context())
			judged.Method = http.MethodPost
		}
		if err := protection.Check(judged); err != nil {
			reply.Message(w, http.StatusForbidden, "the control API refuses requests from pages of other sites")
			return
		}
		next.ServeHTTP(w, r)
	})
}
