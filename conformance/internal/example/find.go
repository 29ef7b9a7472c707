package example

import (
	"strings"

	"partnerkit.dev/conformance/rule"
)

// Find returns the example of a rule. It returns false if the rule has no example.
func Find(r rule.Rule) (Example, bool) {
	if one, ok := derived()[r.ID]; ok {
		return one.Example, true
	}
	if make, ok := exchanges[r.ID]; ok {
		return make(r), true
	}
	if one, ok := webhookExamples[r.ID]; ok {
		return one, true
	}
	for _, family := range families {
		if strings.HasSuffix(r.ID, family.suffix) {
			return family.make(r), true
		}
	}
	return Example{}, false
}
