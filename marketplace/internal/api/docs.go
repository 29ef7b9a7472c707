package api

import (
	"net/http"
	"sync"

	"github.com/gorilla/mux"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/openapi"
)

// The OpenAPI documents, each in one file, built at their first use.
var (
	marketplaceDocument = sync.OnceValues(func() ([]byte, error) { return openapi.Bundle(openapi.Marketplace) })
	partnerDocument     = sync.OnceValues(func() ([]byte, error) { return openapi.Bundle(openapi.Partner) })
)

func showDocument(made func() ([]byte, error)) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		text, err := made()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(text) // an error means that the caller has gone
		return nil
	}
}

// leadToDocs redirects browsers from the service's root to the API documentation.
func leadToDocs(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, "docs", http.StatusSeeOther)
	return nil
}

func showMarketplaceDocs(w http.ResponseWriter, r *http.Request) error {
	apidocs.Page{
		Title: "Marketplace API", Document: "openapi.yaml", Assets: "docs/assets/", Server: "./",
		Links: []apidocs.Link{{Name: "Marketplace API"}, {Name: "Partner API", To: "docs/partner"}},
	}.ServeHTTP(w, r)
	return nil
}

// showPartnerDocs shows the documentation without a console for requests: the page may only call
// its own server.
func showPartnerDocs(w http.ResponseWriter, r *http.Request) error {
	apidocs.Page{
		Title: "Partner API", Document: "partner.yaml", Assets: "assets/",
		Links: []apidocs.Link{{Name: "Marketplace API", To: "../docs"}, {Name: "Partner API"}},
	}.ServeHTTP(w, r)
	return nil
}

func showAsset(w http.ResponseWriter, r *http.Request) error {
	found, err := apidocs.ServeAsset(w, r, mux.Vars(r)["asset"])
	if err == nil && !found {
		err = httpError(marketplace.Unknown, "no such file")
	}
	return err
}
