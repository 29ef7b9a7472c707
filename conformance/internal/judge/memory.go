package judge

import "partnerkit.dev/conformance/internal/scenario"

// Early returns what was made early in the run and is used again: the passing of seconds must make no difference, for
// any party.
func Early() (all []Subjects) {
	for _, party := range scenario.EarlyParties() {
		for _, state := range scenario.EarlyStates() {
			all = append(all, subject(scenario.PlayKept(state, party)))
		}
	}
	return append(all, subject(scenario.PlayUnknownAgain))
}
