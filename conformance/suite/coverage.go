package suite

import (
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/report"
)

// coverage records the values of each dimension on which each rule was judged.
type coverage struct {
	covered   map[string]map[plan.Dimension]map[string]bool
	coverable map[plan.Dimension]int // number of values of each dimension; nil before the cases of the plan
}

// addInstances records what a rule was judged on.
func (c *coverage) addInstances(id string, on []plan.Instance) {
	for _, instance := range on {
		for dimension, exercised := range instance {
			c.add(id, dimension, exercised)
		}
	}
}

// addCase records that a rule was judged on a case.
func (c *coverage) addCase(id string, on *plan.Case) {
	for dimension, values := range on.Values() {
		for _, value := range values {
			c.add(id, dimension, value)
		}
	}
}

func (c *coverage) add(id string, dimension plan.Dimension, value string) {
	if c.covered[id] == nil {
		c.covered[id] = map[plan.Dimension]map[string]bool{}
	}
	if c.covered[id][dimension] == nil {
		c.covered[id][dimension] = map[string]bool{}
	}
	c.covered[id][dimension][value] = true
}

// ofRules returns, for each rule that was judged on cases, how many values of each dimension the
// cases had. There were keyForms forms of a key.
func (c *coverage) ofRules(keyForms int) map[string]map[string]report.Covered {
	all := map[string]map[string]report.Covered{}
	if c.coverable != nil {
		c.coverable[plan.KeyForm] = keyForms
	}
	for id, dimensions := range c.covered {
		all[id] = map[string]report.Covered{}
		for dimension, values := range dimensions {
			all[id][string(dimension)] = report.Covered{Exercised: len(values), Of: max(len(values), c.coverable[dimension])}
		}
		if _, onCase := dimensions[plan.Order]; !onCase {
			continue
		}
		all[id][string(plan.Repeat)] = report.Covered{Exercised: c.coverable[plan.Repeat], Of: c.coverable[plan.Repeat]}
	}
	return all
}
