package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"

	"partnerkit.dev/mockpartner/internal/sandbox"
)

// A browser cannot send the control token with each request of a page: it gives
// the token once, and gets a cookie instead, which dies with it or with the mock.

// sessionPath is where the console's form brings the token.
const sessionPath = Path + "/session"

// maxSession bounds the form that brings the token, in bytes.
const maxSession = 16 << 10

func (a *api) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSession)
	if a.Token != "" && !same(r.PostFormValue("token"), a.Token) {
		a.console.SignIn(w, "This is not the control token of this mock.")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie(r), Value: a.session, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	w.Header().Set("Location", sandbox.Prefix(sandboxOf(r).Name())+ConsolePath)
	w.WriteHeader(http.StatusSeeOther)
}

// sessionCookie names the cookie by the port: browsers keep one jar for all ports
// of a host, and a host may have several mocks.
func sessionCookie(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "default"
	}
	return "mockpartner-" + port
}

func (a *api) signedIn(r *http.Request) bool {
	cookie, err := r.Cookie(sessionCookie(r))
	return err == nil && same(cookie.Value, a.session)
}

// same compares secrets; how long it takes tells nothing of them.
func same(got, want string) bool {
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
