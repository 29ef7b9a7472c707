package control

import (
	"net/http"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/script"
)

func showQuirks(w http.ResponseWriter, r *http.Request) {
	reply.JSON(w, http.StatusOK, map[string]any{"quirks": sandboxOf(r).Faults().Quirks()})
}

func addQuirks(w http.ResponseWriter, r *http.Request) {
	add(w, r, "quirks", script.ParseQuirks, sandboxOf(r).Faults().AddQuirks)
}

func removeQuirk(w http.ResponseWriter, r *http.Request) {
	name := mux.Vars(r)["name"]
	if err := sandboxOf(r).Faults().RemoveQuirk(name); err != nil {
		reply.Message(w, http.StatusNotFound, "%v: GET %s/quirks lists them; those of a scenario, a defect or a variant go with it", err, Path)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"deleted": name})
}

func removeQuirks(w http.ResponseWriter, r *http.Request) {
	n, err := sandboxOf(r).Faults().ClearQuirks()
	if err != nil {
		reply.Message(w, http.StatusConflict, "%v", err)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"deleted": n})
}
