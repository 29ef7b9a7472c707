package judge

import (
	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/rule"
)

// lifecycleSpecs judge lifecycles that nobody thought of. That a booking can be made
// shows whether the partner keeps seats for holds, and takes cancellations.
func lifecycleSpecs() []Spec {
	return []Spec{spec(rule.AvailabilityLifecycle, booked, once(explore.Play, lifecycles))}
}

func lifecycles(r explore.Result) Finding {
	if r.Flaw != "" {
		steps := r.Told.Broken.Steps
		return broken("a story of %d steps breaks at its last, %s: %s", len(steps), r.Does, r.Flaw).showing(r.Shown...)
	}
	if f := Stopped(r.Stop); f.Ends() {
		return f
	}
	if 2*r.Told.Disturbed > r.Told.Played {
		return inconclusive("other customers moved the seats in %d of the %d stories", r.Told.Disturbed, r.Told.Played)
	}
	return Finding{}
}
