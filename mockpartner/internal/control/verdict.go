package control

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/reply"
)

func verdict(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	if query.refused(w) {
		return
	}
	reply.JSON(w, http.StatusOK, sandboxOf(r).Verdict())
}
