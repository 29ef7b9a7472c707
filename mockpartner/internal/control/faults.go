package control

import (
	"net/http"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/script"
)

func showFaults(w http.ResponseWriter, r *http.Request) {
	armed, never := sandboxOf(r).Faults().Faults(), []string{}
	for _, fault := range armed {
		if fault.Fired == 0 {
			never = append(never, fault.Name)
		}
	}
	reply.JSON(w, http.StatusOK, map[string]any{"faults": armed, "neverFired": never})
}

func armFaults(w http.ResponseWriter, r *http.Request) {
	add(w, r, "faults", script.ParseFaults, sandboxOf(r).Faults().Arm)
}

// add adds what the body has, one thing or a list of them, all or none.
func add[T, A any](w http.ResponseWriter, r *http.Request, key string, parse func(name string, text []byte) ([]T, error), arm func(...T) ([]A, error)) {
	text, ok := reply.Whole(w, r, maxBody)
	if !ok {
		return
	}
	list, err := parse("body", text)
	if refused(w, err) {
		return
	}
	added, err := arm(list...)
	if refused(w, err) {
		return
	}
	reply.JSON(w, http.StatusCreated, map[string]any{key: added})
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
