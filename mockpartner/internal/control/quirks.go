package control

import (
	"errors"
	"net/http"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/script"
)

// showQuirks lists the quirks of the sandbox's platform.
func showQuirks(w http.ResponseWriter, r *http.Request) {
	reply.JSON(w, http.StatusOK, map[string]any{"quirks": sandboxOf(r).Faults().Quirks()})
}

// addQuirks adds one quirk, or a list of them, all or none.
func addQuirks(w http.ResponseWriter, r *http.Request) {
	text, ok := reply.Whole(w, r, maxBody)
	if !ok {
		return
	}
	quirks, err := script.ParseQuirks("body", text)
	if err != nil {
		reply.Message(w, http.StatusBadRequest, "%v", err)
		return
	}
	added, err := sandboxOf(r).Faults().AddQuirks(quirks...)
	switch {
	case errors.Is(err, script.ErrQuirkTaken):
		reply.Message(w, http.StatusConflict, "%v", err)
	case err != nil:
		reply.Message(w, http.StatusBadRequest, "%v", err)
	default:
		reply.JSON(w, http.StatusCreated, map[string]any{"quirks": added})
	}
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
