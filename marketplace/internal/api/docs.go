package api

import (
	"net/http"
	"sync"

	"github.com/gorilla/mux"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/schemas/openapi"
)

// docsRoutes are the documents of the APIs, for people.
func (a *API) docsRoutes() []route {
	return []route{
		{http.MethodGet, "/docs", anybody, a.showDocs},
		{http.MethodGet, "/docs/partner", anybody, a.showPartnerDocs},
		{http.MethodGet, "/docs/partner.yaml", anybody, a.describePartner},
		{http.MethodGet, "/docs/assets/{asset}", anybody, a.docsAsset},
	}
}

func (a *API) showDocs(w http.ResponseWriter, r *http.Request) error {
	apidocs.Page{
		Title: "Marketplace API", Document: "openapi.yaml", Assets: "docs/assets/", Try: true,
		Links: []apidocs.Link{{Name: "Marketplace API"}, {Name: "Partner API", To: "docs/partner"}},
	}.ServeHTTP(w, r)
	return nil
}

// showPartnerDocs lets nobody try: the page may call none but its own server.
func (a *API) showPartnerDocs(w http.ResponseWriter, r *http.Request) error {
	apidocs.Page{
		Title: "Partner API", Document: "partner.yaml", Assets: "assets/",
		Links: []apidocs.Link{{Name: "Marketplace API", To: "../docs"}, {Name: "Partner API"}},
	}.ServeHTTP(w, r)
	return nil
}

// partnerDocument is the partner API's description as one text. It is made when it is
// first wanted.
var partnerDocument = sync.OnceValues(func() ([]byte, error) { return openapi.Bundle(openapi.Partner) })

func (a *API) describePartner(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, partnerDocument)
}

func (a *API) docsAsset(w http.ResponseWriter, r *http.Request) error {
	found, err := apidocs.ServeAsset(w, r, mux.Vars(r)["asset"])
	if err == nil && !found {
		err = &statusError{http.StatusNotFound, "no such file"}
	}
	return err
}
