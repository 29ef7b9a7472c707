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

// defectAnswer is a defect as it is listed.
type defectAnswer struct {
	Name    string `json:"name"`
	Rule    string `json:"rule"`
	Mistake string `json:"mistake"`
	Looks   string `json:"looks"`
	Applied bool   `json:"applied"` // in the request's sandbox
}

// variantAnswer is a variant as it is listed.
type variantAnswer struct {
	Name    string `json:"name"`
	Clause  string `json:"clause"`
	Looks   string `json:"looks"`
	Applied bool   `json:"applied"`
}

func showDefects(w http.ResponseWriter, r *http.Request) {
	list, played := []defectAnswer{}, sandboxOf(r).Faults().Origins()
	for _, d := range defects.Defects() {
		list = append(list, defectAnswer{d.Name, d.Rule, d.Mistake, d.Looks, slices.Contains(played, d.Origin())})
	}
	reply.JSON(w, http.StatusOK, map[string]any{"defects": list})
}

func showVariants(w http.ResponseWriter, r *http.Request) {
	list, played := []variantAnswer{}, sandboxOf(r).Faults().Origins()
	for _, v := range defects.Variants() {
		list = append(list, variantAnswer{v.Name, v.Clause, v.Looks, slices.Contains(played, v.Origin())})
	}
	reply.JSON(w, http.StatusOK, map[string]any{"variants": list})
}

// applyDefect makes the sandbox a partner with the defect.
func applyDefect(w http.ResponseWriter, r *http.Request) {
	defect, err := defects.FindDefect(mux.Vars(r)["name"])
	if err != nil {
		reply.Message(w, http.StatusNotFound, "%v", err)
		return
	}
	playPart(w, sandboxOf(r), defect.Part(), defect.Scenario())
}

// applyVariant makes the sandbox a partner of that variant.
func applyVariant(w http.ResponseWriter, r *http.Request) {
	variant, err := defects.FindVariant(mux.Vars(r)["name"])
	if err != nil {
		reply.Message(w, http.StatusNotFound, "%v", err)
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
	takeOff(w, r, defects.Defect{Name: mux.Vars(r)["name"]}.Origin())
}

func removeVariant(w http.ResponseWriter, r *http.Request) {
	takeOff(w, r, defects.Variant{Name: mux.Vars(r)["name"]}.Origin())
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
