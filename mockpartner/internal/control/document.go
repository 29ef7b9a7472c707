package control

import (
	"io/fs"
	"net/http"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas"
)

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
