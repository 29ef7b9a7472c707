package control

import (
	"errors"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

// snapshotAnswer is a snapshot as it is listed.
type snapshotAnswer struct {
	Name string    `json:"name"`
	Now  time.Time `json:"now"` // by the sandbox's clock, when it was taken
}

func describeSnapshot(s sandbox.Snapshot) snapshotAnswer {
	return snapshotAnswer{Name: s.Name, Now: s.At.UTC()}
}

func (a *api) listSnapshots(w http.ResponseWriter, r *http.Request) {
	box, ok := a.named(w, r)
	if !ok {
		return
	}
	list := []snapshotAnswer{}
	for _, saved := range box.Snapshots() {
		list = append(list, describeSnapshot(saved))
	}
	reply.JSON(w, http.StatusOK, map[string]any{"snapshots": list})
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
	switch {
	case errors.Is(err, sandbox.ErrTooManySaved):
		reply.Message(w, http.StatusConflict, "%v", err)
	case err != nil:
		reply.Message(w, http.StatusBadRequest, "%v", err)
	default:
		reply.JSON(w, http.StatusCreated, describeSnapshot(saved))
	}
}

func (a *api) restoreSnapshot(w http.ResponseWriter, r *http.Request) {
	box, ok := a.named(w, r)
	if !ok {
		return
	}
	if err := box.Restore(mux.Vars(r)["snapshot"]); err != nil {
		reply.Message(w, http.StatusNotFound, "%v", err)
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
	if err := box.Forget(name); err != nil {
		reply.Message(w, http.StatusNotFound, "%v", err)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"deleted": name})
}
