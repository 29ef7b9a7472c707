package control

import (
	"errors"
	"net/http"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
)

// scenarioSchema shows the form of scenario files, and of faults.
func scenarioSchema(w http.ResponseWriter, _ *http.Request) {
	reply.Body(w, http.StatusOK, script.Schema())
}

// playScenario makes the sandbox what a scenario says.
func (a *api) playScenario(w http.ResponseWriter, r *http.Request) {
	text, ok := reply.Whole(w, r, maxBody)
	if !ok {
		return
	}
	scenario, err := script.ParseBody("body", text)
	if err == nil && scenario.Webhooks != nil {
		err = a.mayCall(*scenario.Webhooks)
	}
	if err != nil {
		reply.Message(w, http.StatusBadRequest, "%v", err)
		return
	}
	if err := sandboxOf(r).Follow(scenario); err != nil {
		status := http.StatusBadRequest
		if errors.Is(err, sandbox.ErrSeed) || errors.Is(err, script.ErrTaken) {
			status = http.StatusConflict
		}
		reply.Message(w, status, "%v", err)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"applied": sandboxOf(r).Faults().Origins()})
}

// stopScenario takes off what the sandbox's scenario made it do.
func stopScenario(w http.ResponseWriter, r *http.Request) {
	box := sandboxOf(r)
	if err := box.Unfollow(); err != nil {
		reply.Message(w, http.StatusConflict, "%v", err)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"applied": box.Faults().Origins()})
}
