package control

import (
	"errors"
	"net/http"

	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/reply"
)

func showTestimony(w http.ResponseWriter, r *http.Request) {
	reply.JSON(w, http.StatusOK, map[string]any{"testimony": sandboxOf(r).Journal().Testimony()})
}

func testify(w http.ResponseWriter, r *http.Request) {
	var told journal.Testimony
	if !read(w, r, &told) {
		return
	}
	told, err := sandboxOf(r).Journal().Testify(told)
	switch {
	case errors.Is(err, journal.ErrTooMuch):
		reply.Message(w, http.StatusConflict, "%v: DELETE %s/journal empties it", err, Path)
	case err != nil:
		reply.Message(w, http.StatusBadRequest, "%v", err)
	default:
		reply.JSON(w, http.StatusCreated, told)
	}
}
