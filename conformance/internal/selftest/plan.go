package selftest

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

// Plan is the cases of a self-test and the rules that it proves.
type Plan struct {
	Cases []Case
	Depth string      // of the runs; "": standard for lawful partners, quick for a defect that breaks its rule everywhere
	Rules []rule.Rule // the rules that a defect must prove
}

// WholePlan returns the plan of the complete kill matrix: the plain mock, every variant, every defect,
// and every rule.
func WholePlan() Plan {
	plan := LawfulOnly()
	plan.Rules = rule.All()
	for _, d := range mockpartner.Defects() {
		plan.Cases = append(plan.Cases, defectCase(d))
	}
	return plan
}

// LawfulOnly returns the plan of the plain mock and every variant.
func LawfulOnly() (plan Plan) {
	plan.Cases = []Case{mockAsItIs(), belowAPath()}
	for _, v := range mockpartner.Variants() {
		plan.Cases = append(plan.Cases, variantCase(v))
	}
	return plan
}

// WithCustomers returns the plan with this number of other customers at each partner.
func (p Plan) WithCustomers(customers int) Plan {
	for i := range p.Cases {
		p.Cases[i].Customers = customers
	}
	return p
}

// InDepth returns the plan of all deep defects of these dimensions, or of all dimensions if none is
// given. It proves no rule. Its error names an unknown dimension.
func InDepth(dimensions ...string) (plan Plan, err error) {
	known := []string{}
	for _, d := range mockpartner.DeepDefects() {
		if !slices.Contains(known, d.Dimension) {
			known = append(known, d.Dimension)
		}
		if len(dimensions) == 0 || slices.Contains(dimensions, d.Dimension) {
			plan.Cases = append(plan.Cases, defectCase(d))
		}
	}
	for _, dimension := range dimensions {
		if !slices.Contains(known, dimension) {
			return Plan{}, fmt.Errorf("there are no deep defects by %q: expected some of %v", dimension, known)
		}
	}
	return plan, nil
}

// FastPlan returns the plan that proves every rule once: the plain mock and the first defect of each
// rule. In addition it has every nth of the other defects and the variants, or none if nth is 0.
func FastPlan(nth int) Plan {
	plan, seen, others := Plan{Cases: []Case{mockAsItIs()}, Rules: rule.All()}, map[string]bool{}, []Case{}
	for _, d := range mockpartner.Defects() {
		if seen[d.Rule] {
			others = append(others, defectCase(d))
		} else {
			plan.Cases, seen[d.Rule] = append(plan.Cases, defectCase(d)), true
		}
	}
	for _, v := range mockpartner.Variants() {
		others = append(others, variantCase(v))
	}
	for i := nth - 1; nth > 0 && i < len(others); i += nth {
		plan.Cases = append(plan.Cases, others[i])
	}
	return plan
}

// SelectedPlan returns the plan of the named defects and variants, and of the rules that these defects
// break. Its error wraps mockpartner.ErrNoDefect or mockpartner.ErrNoVariant.
func SelectedPlan(defects, variants []string) (plan Plan, err error) {
	for _, name := range variants {
		v, err := mockpartner.FindVariant(name)
		if err != nil {
			return Plan{}, err
		}
		plan.Cases = append(plan.Cases, variantCase(v))
	}
	broken := map[string]bool{}
	for _, name := range defects {
		d, err := mockpartner.FindDefect(name)
		if err != nil {
			return Plan{}, err
		}
		c := defectCase(d)
		plan.Cases = append(plan.Cases, c)
		broken[d.Rule] = broken[d.Rule] || c.Kind == Defect // a deep defect proves no rule
	}
	for _, r := range rule.All() {
		if broken[r.ID] {
			plan.Rules = append(plan.Rules, r)
		}
	}
	return plan, nil
}
