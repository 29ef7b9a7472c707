package rule

import (
	"fmt"
	"slices"
	"sync"

	"partnerkit.dev/conformance/internal/nearest"
)

// All returns every rule, in the order in which a run judges them. The slice is
// the caller's own.
func All() []Rule {
	return slices.Concat(
		preflightRules, productsRules, availabilityRules, reserveRules, confirmRules, releaseRules, cancelRules, unusualRules,
		badInputRules, explorationRules,
	)
}

// byID is the catalogue for lookups, of which a run makes many.
var byID = sync.OnceValue(func() map[string]Rule {
	rules := map[string]Rule{}
	for _, r := range All() {
		rules[r.ID] = r
	}
	return rules
})

// Lookup returns the rule of this id.
func Lookup(id string) (Rule, bool) {
	r, found := byID()[id]
	return r, found
}

// Find returns the rule of this id. Its error names the rules whose ids are like it.
func Find(id string) (Rule, error) {
	if r, ok := Lookup(id); ok {
		return r, nil
	}
	var ids []string
	for _, r := range All() {
		ids = append(ids, r.ID)
	}
	return Rule{}, fmt.Errorf("there is no rule %.100q%s", id, nearest.Hint(id, ids))
}

// BuildsOn reports whether r needs the rule of that id, itself or through the
// rules that it needs.
func BuildsOn(r Rule, id string) bool {
	for _, need := range r.Needs {
		if need == id {
			return true
		}
		if needed, ok := Lookup(need); ok && BuildsOn(needed, id) {
			return true
		}
	}
	return false
}
