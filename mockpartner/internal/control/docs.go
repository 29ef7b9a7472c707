package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas/openapi"
)

// Document is the control API's OpenAPI document in schemas.Files().
const Document = "openapi/mock.yaml"

// The references of the APIs. They are built at their first use. The server of the partner API is the
// sandbox that serves the document.
var (
	controlReference = apidocs.New(apidocs.Config{
		Title: "Control API of the mock partner", Document: "openapi.yaml", Server: "../", Address: "$MOCKPARTNER_URL",
		Bundle: func() ([]byte, error) { return openapi.Bundle(Document) },
		Links:  []apidocs.Link{{Name: "Console", To: "."}, {Name: "Control API"}, {Name: "Partner API", To: "docs/partner"}},
	})
	partnerReference = apidocs.New(apidocs.Config{
		Title: "Partner API", Document: "partner.yaml", Server: "../../", Address: "$MOCKPARTNER_URL",
		Bundle: func() ([]byte, error) { return openapi.BundleAt(openapi.Partner, "../..") },
		Tokens: []apidocs.Token{{Scheme: "bearer", Variable: "MOCKPARTNER_AUTH_KEY"}},
		Links:  []apidocs.Link{{Name: "Console", To: "../"}, {Name: "Control API", To: "../docs"}, {Name: "Partner API"}},
	})
)

// passOn returns a handler that cannot fail.
func passOn(serve http.HandlerFunc) handler {
	return func(c *call) (any, error) {
		serve(c.w, c.r)
		return nil, nil
	}
}

func showMetrics(c *call) (any, error) {
	c.Metrics.ServeHTTP(c.w, c.r)
	return nil, nil
}

func showConsole(c *call) (any, error) {
	c.console.Show(c.w, c.r, c.box)
	return nil, nil
}

func actOnConsole(c *call) (any, error) {
	c.console.Act(c.w, c.r, c.box)
	return nil, nil
}

// toConsole redirects from the console's address without the slash to the console.
func toConsole(c *call) (any, error) { return c.leadToConsole(http.StatusMovedPermanently) }

func (c *call) leadToConsole(status int) (any, error) {
	// Not http.Redirect: it would resolve against a path without the sandbox.
	c.w.Header().Set("Location", sandbox.Prefix(c.box.Name())+ConsolePath)
	c.w.WriteHeader(status)
	return nil, nil
}

// A browser cannot send the control token with each request of a page. The user enters the token
// once, and the browser gets a cookie instead. The cookie is valid until the browser or the mock
// ends.

// sessionPath is where the console's form sends the token.
const sessionPath = Path + "/session"

const maxSession = 16 << 10

func signIn(c *call) (any, error) {
	c.r.Body = http.MaxBytesReader(c.w, c.r.Body, maxSession)
	if c.Token != "" && !equalSecrets(c.r.PostFormValue("token"), c.Token) {
		c.console.SignIn(c.w, c.r, "This is not the control token of this mock.")
		return nil, nil
	}
	http.SetCookie(c.w, &http.Cookie{
		Name: sessionCookie(c.r), Value: c.session, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: c.r.TLS != nil,
	})
	return c.leadToConsole(http.StatusSeeOther)
}

// sessionCookie returns the cookie's name, which contains the port. Browsers share cookies between
// all ports of a host, and a host may run several mocks.
func sessionCookie(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "default"
	}
	return "mockpartner-" + port
}

func (a *api) signedIn(r *http.Request) bool {
	cookie, err := r.Cookie(sessionCookie(r))
	return err == nil && equalSecrets(cookie.Value, a.session)
}

// equalSecrets compares secrets in constant time.
func equalSecrets(got, want string) bool {
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
