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

func scenarioSchema(w http.ResponseWriter, _ *http.Request) {
	reply.Body(w, http.StatusOK, script.Schema())
}

func (a *api) playScenario(w http.ResponseWriter, r *http.Request) {
	text, ok := reply.Whole(w, r, maxBody)
	if !ok {
		return
	}
	scenario, err := script.ParseBody("body", text)
	if err == nil && scenario.Webhooks != nil {
		err = a.mayCall(*scenario.Webhooks)
	}
	if refused(w, err) {
		return
	}
	if refused(w, sandboxOf(r).Follow(scenario)) {
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"applied": sandboxOf(r).Faults().Origins()})
}

func stopScenario(w http.ResponseWriter, r *http.Request) {
	box := sandboxOf(r)
	if err := box.Unfollow(); err != nil {
		reply.Message(w, http.StatusConflict, "%v", err)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"applied": box.Faults().Origins()})
}
