package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"sync"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas/openapi"
)

var (
	controlDocs = apidocs.Page{
		Title: "Control API of the mock partner", Document: "openapi.yaml", Assets: "docs/assets/", Server: "../",
		Links: []apidocs.Link{{Name: "Console", To: "."}, {Name: "Control API"}, {Name: "Partner API", To: "docs/partner"}},
	}
	partnerDocs = apidocs.Page{
		Title: "Partner API", Document: "partner.yaml", Assets: "assets/", Server: "../../", Open: true,
		Links: []apidocs.Link{{Name: "Console", To: "../"}, {Name: "Control API", To: "../docs"}, {Name: "Partner API"}},
	}
)

// partnerDocument is the partner API's document. Its server is the sandbox that serves it. It is
// built on first use.
var partnerDocument = sync.OnceValues(func() ([]byte, error) { return openapi.BundleAt(openapi.Partner, "../..") })

// Document is the control API's OpenAPI document in schemas.Files().
const Document = "openapi/mock.yaml"

var controlDocument = sync.OnceValues(func() ([]byte, error) { return openapi.Bundle(Document) })

// handleWith handles a call with another handler.
func handleWith(by func(*call) http.Handler) handler {
	return func(c *call) (any, error) {
		by(c).ServeHTTP(c.w, c.r)
		return nil, nil
	}
}

// document answers with an OpenAPI document.
func document(read func() ([]byte, error)) handler {
	return func(c *call) (any, error) {
		text, err := read()
		if err == nil {
			c.w.Header().Set("Content-Type", "application/yaml")
			_, _ = c.w.Write(text) // the caller may have disconnected
		}
		return nil, withStatus(http.StatusInternalServerError, err)
	}
}

func docsAsset(c *call) (any, error) {
	name := c.variable("asset")
	found, err := apidocs.ServeAsset(c.w, c.r, name)
	if err == nil && !found {
		return nil, reply.Refuse(http.StatusNotFound, "there is no file %q", name)
	}
	return nil, withStatus(http.StatusInternalServerError, err)
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
		c.console.SignIn(c.w, "This is not the control token of this mock.")
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
