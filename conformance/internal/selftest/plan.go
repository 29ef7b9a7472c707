package selftest

import (
	"slices"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/mockpartner"
)

// Plan is what the suite is tried on.
type Plan struct {
	Cases []Case
	// Rules are those of which a defect must prove that the suite can find them
	// broken.
	Rules []rule.Rule
}

// Whole is the plan of the whole kill matrix: the mock as it is, every variant,
// every defect, and every rule.
func Whole() Plan {
	return Plan{Cases: slices.Concat([]Case{mockAsItIs()}, Variants(), Defects()), Rules: rule.All()}
}

// Fast is the plan that proves every rule once: the mock as it is, the first defect
// of each rule, and no variant.
func Fast() Plan {
	first, seen := []Case{mockAsItIs()}, map[string]bool{}
	for _, c := range Defects() {
		if !seen[c.Rule] {
			first, seen[c.Rule] = append(first, c), true
		}
	}
	return Plan{Cases: first, Rules: rule.All()}
}

// Only is the plan of the defects and variants of those names, and of the rules
// that these defects break. Its error wraps mockpartner.ErrNoDefect or
// mockpartner.ErrNoVariant.
func Only(broken, variants []string) (plan Plan, err error) {
	for _, name := range variants {
		v, err := mockpartner.FindVariant(name)
		if err != nil {
			return Plan{}, err
		}
		plan.Cases = append(plan.Cases, variantCase(v))
	}
	chosen := map[string]bool{}
	for _, name := range broken {
		d, err := mockpartner.FindDefect(name)
		if err != nil {
			return Plan{}, err
		}
		plan.Cases = append(plan.Cases, defectCase(d))
		chosen[d.Rule] = true
	}
	for _, r := range rule.All() {
		if chosen[r.ID] {
			plan.Rules = append(plan.Rules, r)
		}
	}
	return plan, nil
}
