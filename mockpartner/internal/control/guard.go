package control

import (
	"net/http"

	"partnerkit.dev/internal/loopback"
	"partnerkit.dev/mockpartner/internal/reply"
)

// requireToken admits callers that present the token or are signed in. Without a token it admits callers
// of a loopback address, called by a loopback name.
func (a *api) requireToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.Token == "" && !loopback.On(r):
			reply.Message(w, http.StatusForbidden, "without a control token the control API answers on loopback addresses only: start the mock with --control-token")
		case a.Token == "" && !loopback.Named(r):
			reply.Message(w, http.StatusForbidden, "without a control token the control API answers to 127.0.0.1, [::1] and localhost, not to %q: start the mock with --control-token", r.Host)
		case a.Token == "", equalSecrets(r.Header.Get("Authorization"), "Bearer "+a.Token), a.signedIn(r):
			next.ServeHTTP(w, r)
		case r.URL.Path == Path+"/healthz", r.URL.Path == sessionPath:
			next.ServeHTTP(w, r)
		case r.URL.Path == ConsolePath && r.Method == http.MethodGet:
			a.console.SignIn(w, r, "")
		default:
			w.Header().Set("WWW-Authenticate", `Bearer realm="control"`)
			reply.Message(w, http.StatusUnauthorized, "wrong or missing control token: send the header Authorization: Bearer <token>")
		}
	})
}

// ownPagesOnly refuses requests that another site's page makes through a browser. Such a page must
// not move a developer's clock, or hold the journal's streams open.
func ownPagesOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if loopback.FromOwnPage(r) != nil {
			reply.Message(w, http.StatusForbidden, "the control API refuses requests from pages of other sites")
			return
		}
		next.ServeHTTP(w, r)
	})
}
