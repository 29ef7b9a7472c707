package control

import (
	"net/http"
	"slices"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
)

func showDefects(w http.ResponseWriter, r *http.Request) {
	type listed struct {
		defects.Defect
		Applied bool `json:"applied"` // in the request's sandbox
	}
	list, played := []listed{}, sandboxOf(r).Faults().Origins()
	for _, d := range defects.Defects() {
		list = append(list, listed{d, slices.Contains(played, d.Origin())})
	}
	reply.JSON(w, http.StatusOK, map[string]any{"defects": list})
}

func showVariants(w http.ResponseWriter, r *http.Request) {
	type listed struct {
		defects.Variant
		Applied bool `json:"applied"` // in the request's sandbox
	}
	list, played := []listed{}, sandboxOf(r).Faults().Origins()
	for _, v := range defects.Variants() {
		list = append(list, listed{v, slices.Contains(played, v.Origin())})
	}
	reply.JSON(w, http.StatusOK, map[string]any{"variants": list})
}

func applyDefect(w http.ResponseWriter, r *http.Request) {
	defect, err := defects.FindDefect(mux.Vars(r)["name"])
	if refused(w, err) {
		return
	}
	playPart(w, sandboxOf(r), defect.Part(), defect.Scenario())
}

func applyVariant(w http.ResponseWriter, r *http.Request) {
	variant, err := defects.FindVariant(mux.Vars(r)["name"])
	if refused(w, err) {
		return
	}
	playPart(w, sandboxOf(r), variant.Part(), variant.Scenario())
}

func playPart(w http.ResponseWriter, box *sandbox.Sandbox, part script.Part, whole *script.Scenario) {
	if whole.Catalog != nil {
		reply.Message(w, http.StatusConflict, "it has a catalog of its own: start a mock with it, or make a sandbox with it")
		return
	}
	if err := box.Faults().Play(part); err != nil {
		reply.Message(w, http.StatusConflict, "%v", err)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"applied": box.Faults().Origins()})
}

func removeDefect(w http.ResponseWriter, r *http.Request) {
	takeOff(w, r, "defect "+mux.Vars(r)["name"])
}

func removeVariant(w http.ResponseWriter, r *http.Request) {
	takeOff(w, r, "variant "+mux.Vars(r)["name"])
}

func takeOff(w http.ResponseWriter, r *http.Request, origin string) {
	box := sandboxOf(r)
	there, err := box.Faults().Stop(origin)
	switch {
	case err != nil:
		reply.Message(w, http.StatusConflict, "%v", err)
	case !there:
		reply.Message(w, http.StatusNotFound, "the sandbox has no %s", origin)
	default:
		reply.JSON(w, http.StatusOK, map[string]any{"applied": box.Faults().Origins()})
	}
}
