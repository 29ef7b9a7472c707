package control

import (
	"net/http"
	"sync"

	"github.com/gorilla/mux"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/mockpartner/internal/reply"
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
