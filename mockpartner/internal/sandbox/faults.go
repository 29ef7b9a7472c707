package sandbox

import (
	"fmt"

	"partnerkit.dev/mockpartner/internal/script"
)

// Play plays a scenario in every sandbox, those that are made later among them,
// in the place of the scenario before.
func (r *Registry) Play(scenario script.Part) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scenario = scenario
	for _, box := range r.boxes {
		if err := box.faults.Play(scenario); err != nil {
			return fmt.Errorf("sandbox %s: %w", box.name, err)
		}
	}
	return nil
}
