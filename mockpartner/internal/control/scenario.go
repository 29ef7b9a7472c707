package control

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/script"
)

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
