package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"io/fs"
	"net"
	"net/http"
	"sync"

	"github.com/gorilla/mux"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/openapi"
)

func showDocs(w http.ResponseWriter, r *http.Request) {
	apidocs.Page{
		Title: "Control API of the mock partner", Document: "openapi.yaml", Assets: "docs/assets/", Try: true,
		Links: []apidocs.Link{{Name: "Console", To: "."}, {Name: "Control API"}, {Name: "Partner API", To: "docs/partner"}},
	}.ServeHTTP(w, r)
}

func showPartnerDocs(w http.ResponseWriter, r *http.Request) {
	apidocs.Page{
		Title: "Partner API", Document: "partner.yaml", Assets: "assets/", Try: true,
		Links: []apidocs.Link{{Name: "Console", To: "../"}, {Name: "Control API", To: "../docs"}, {Name: "Partner API"}},
	}.ServeHTTP(w, r)
}

// partnerDocument is the partner API's document, whose server is the sandbox that it is
// asked of. It is made when it is first wanted.
var partnerDocument = sync.OnceValues(func() ([]byte, error) { return openapi.BundleAt(openapi.Partner, "../..") })

func partnerAPI(w http.ResponseWriter, _ *http.Request) {
	text, err := partnerDocument()
	if err != nil {
		reply.Message(w, http.StatusInternalServerError, "%v", err)
		return
	}
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(text) // a caller that has gone away is nobody to tell
}

func docsAsset(w http.ResponseWriter, r *http.Request) {
	name := mux.Vars(r)["asset"]
	switch found, err := apidocs.ServeAsset(w, r, name); {
	case err != nil:
		reply.Message(w, http.StatusInternalServerError, "%v", err)
	case !found:
		reply.Message(w, http.StatusNotFound, "there is no file %q", name)
	}
}

// Document is where the control API is described, in schemas.Files().
const Document = "openapi/mock.yaml"

func openAPI(w http.ResponseWriter, _ *http.Request) {
	text, err := fs.ReadFile(schemas.Files(), Document)
	if err != nil {
		reply.Message(w, http.StatusInternalServerError, "%v", err)
		return
	}
	w.Header().Set("Content-Type", "application/yaml")
	// A caller that has gone away is nobody to tell of a failed write.
	_, _ = w.Write(text)
}

func (a *api) metrics(w http.ResponseWriter, r *http.Request) { a.Metrics.ServeHTTP(w, r) }

func (a *api) showConsole(w http.ResponseWriter, r *http.Request) {
	a.console.Show(w, r, sandboxOf(r))
}

func (a *api) actOnConsole(w http.ResponseWriter, r *http.Request) {
	a.console.Act(w, r, sandboxOf(r))
}

// toConsole leads who forgot the slash at the console's address to it.
func toConsole(w http.ResponseWriter, r *http.Request) {
	// Not http.Redirect: it would resolve against a path without the sandbox.
	w.Header().Set("Location", sandbox.Prefix(sandboxOf(r).Name())+ConsolePath)
	w.WriteHeader(http.StatusMovedPermanently)
}

// A browser cannot send the control token with each request of a page: it gives
// the token once, and gets a cookie instead, which dies with it or with the mock.

// sessionPath is where the console's form brings the token.
const sessionPath = Path + "/session"

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
