package control

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/reply"
)

// verdict tells whether the sandbox's callers kept their side of the contract.
func verdict(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	if query.refused(w) {
		return
	}
	reply.JSON(w, http.StatusOK, sandboxOf(r).Verdict())
}
