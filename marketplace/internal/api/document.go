package api

import (
	"net/http"
	"sync"

	"partnerkit.dev/schemas/openapi"
)

// document is the API's description as one text. It is made when it is first wanted.
var document = sync.OnceValues(func() ([]byte, error) { return openapi.Bundle(openapi.Marketplace) })

func (a *API) describe(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, document)
}

func writeDocument(w http.ResponseWriter, made func() ([]byte, error)) error {
	text, err := made()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(text) // whoever is gone cannot be told
	return nil
}
