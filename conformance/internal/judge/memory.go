package judge

import "partnerkit.dev/conformance/internal/scenario"

// Early returns what was made early in the run and is used again: the passing of seconds must make no difference, for
// any party. The last hold is confirmed shortly before it expires, when the others need not live any more.
func Early() (all []Subjects) {
	last := subject(scenario.PlayKept(scenario.LeftHeld, scenario.EarlyGuest))
	for _, party := range scenario.EarlyParties() {
		for _, state := range scenario.EarlyStates(party) {
			if !scenario.IsLastMoment(state, party) {
				all = append(all, subject(scenario.PlayKept(state, party)))
			}
		}
	}
	return append(all, subject(scenario.PlayUnknownAgain), last)
}
