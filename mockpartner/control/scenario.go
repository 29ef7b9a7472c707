package control

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/script"
)

// scenarioSchema shows the form of scenario files, and of faults.
func (a *api) scenarioSchema(w http.ResponseWriter, _ *http.Request) {
	reply.Body(w, http.StatusOK, script.Schema())
}
