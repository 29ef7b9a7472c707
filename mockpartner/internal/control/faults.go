package control

import (
	"errors"
	"net/http"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/script"
)

// showFaults lists the sandbox's faults, with their counters.
func showFaults(w http.ResponseWriter, r *http.Request) {
	armed, never := sandboxOf(r).Faults().Faults(), []string{}
	for _, fault := range armed {
		if fault.Fired == 0 {
			never = append(never, fault.Name)
		}
	}
	reply.JSON(w, http.StatusOK, map[string]any{"faults": armed, "neverFired": never})
}

// armFaults arms one fault, or a list of them, all or none.
func armFaults(w http.ResponseWriter, r *http.Request) {
	text, ok := reply.Whole(w, r, maxBody)
	if !ok {
		return
	}
	faults, err := script.ParseFaults("body", text)
	if err != nil {
		reply.Message(w, http.StatusBadRequest, "%v", err)
		return
	}
	armed, err := sandboxOf(r).Faults().Arm(faults...)
	switch {
	case errors.Is(err, script.ErrTaken), errors.Is(err, script.ErrFull):
		reply.Message(w, http.StatusConflict, "%v", err)
	case err != nil:
		reply.Message(w, http.StatusBadRequest, "%v", err)
	default:
		reply.JSON(w, http.StatusCreated, map[string]any{"faults": armed})
	}
}

func disarmFault(w http.ResponseWriter, r *http.Request) {
	name := mux.Vars(r)["name"]
	if err := sandboxOf(r).Faults().Disarm(name); err != nil {
		reply.Message(w, http.StatusNotFound, "%v: GET %s/faults lists them", err, Path)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"deleted": name})
}

func disarmFaults(w http.ResponseWriter, r *http.Request) {
	reply.JSON(w, http.StatusOK, map[string]any{"deleted": sandboxOf(r).Faults().Clear()})
}
