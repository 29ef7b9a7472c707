package api

import (
	"net/http"
	"sync"

	"partnerkit.dev/schemas/openapi"
)

// document is the API's description as one text. It is made when it is first wanted.
var document = sync.OnceValues(func() ([]byte, error) { return openapi.Bundle(openapi.Marketplace) })

func (a *API) describe(w http.ResponseWriter, _ *http.Request) error {
	text, err := document()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(text) // whoever is gone cannot be told
	return nil
}
