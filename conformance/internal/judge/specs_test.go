package judge

import (
	"testing"

	"partnerkit.dev/conformance/internal/rule"
)

func TestEveryRuleHasOneSpecAndNeedsOnlyRulesThatHaveOne(t *testing.T) {
	t.Parallel()
	specs := map[string]int{}
	for _, group := range Groups() {
		for _, spec := range group.Specs {
			specs[spec.Rule.ID]++
			if len(spec.Steps) == 0 {
				t.Errorf("%s: want steps", spec.Rule.ID)
			}
			for i, step := range spec.Steps {
				if !step.Fields && step.Enough == nil && (step.Judge == nil) == (step.Try == nil) {
					t.Errorf("%s, step %d: want it judged, or tried", spec.Rule.ID, i)
				}
			}
		}
	}
	for _, r := range rule.All() {
		if specs[r.ID] != 1 {
			t.Errorf("%s: want one spec, got %d", r.ID, specs[r.ID])
		}
		delete(specs, r.ID)
	}
	for id := range specs {
		t.Errorf("want a rule %s in the catalogue", id)
	}
}
