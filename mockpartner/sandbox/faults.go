package sandbox

import "partnerkit.dev/mockpartner/script"

// Play arms the faults of a scenario in every sandbox, those that are made
// later among them, in the place of the faults of the scenario before.
func (r *Registry) Play(faults script.Rules) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = faults
	for _, box := range r.boxes {
		box.faults.Replace(faults)
	}
}
