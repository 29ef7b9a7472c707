package control

import (
	"net/http"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/reply"
)

func (a *api) listSnapshots(w http.ResponseWriter, r *http.Request) {
	box, ok := a.named(w, r)
	if !ok {
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"snapshots": box.Snapshots()})
}

func (a *api) takeSnapshot(w http.ResponseWriter, r *http.Request) {
	box, ok := a.named(w, r)
	var request struct {
		Name string `json:"name"`
	}
	if !ok || !read(w, r, &request) {
		return
	}
	saved, err := box.Save(request.Name)
	if refused(w, err) {
		return
	}
	reply.JSON(w, http.StatusCreated, saved)
}

func (a *api) restoreSnapshot(w http.ResponseWriter, r *http.Request) {
	box, ok := a.named(w, r)
	if !ok {
		return
	}
	if refused(w, box.Restore(mux.Vars(r)["snapshot"])) {
		return
	}
	reply.JSON(w, http.StatusOK, describe(r, box))
}

func (a *api) deleteSnapshot(w http.ResponseWriter, r *http.Request) {
	box, ok := a.named(w, r)
	if !ok {
		return
	}
	name := mux.Vars(r)["snapshot"]
	if refused(w, box.Forget(name)) {
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"deleted": name})
}
