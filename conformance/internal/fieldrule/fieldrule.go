// Package fieldrule finds the rule that a problem of a schema breaks.
package fieldrule

import (
	"slices"
	"strings"
	"sync"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// All returns the rules about fields of the endpoint's resource. The caller owns the slice.
func All(e partnerapi.Endpoint) []rule.Rule {
	all := slices.Clone(byEndpoint()[e])
	if e == partnerapi.Products {
		all = append(all, rule.UnitFixedID) // it has no place of its own: see Owner
	}
	return all
}

// Owner returns the rule that a problem at a place of the endpoint's resource breaks: the rule
// about exactly that place, else the rule about the smallest part that contains it.
func Owner(e partnerapi.Endpoint, problem schemas.Problem) (owner rule.Rule) {
	longest := -1
	for _, r := range byEndpoint()[e] {
		for _, place := range r.Places {
			above, everything := strings.CutSuffix(place, "/**")
			if covers(above, everything, problem.Pointer) && (len(above) > longest || !everything) {
				owner, longest = r, len(above)
			}
		}
	}
	// The fixed ids of guest types have their own rule: a unit with another id does have an id.
	if owner.ID == rule.UnitID.ID && slices.Contains([]string{"const", "not", "enum"}, problem.Keyword) {
		return rule.UnitFixedID
	}
	return owner
}

// byEndpoint is cached, because it is needed for each answer, and for each problem of an invalid one.
var byEndpoint = sync.OnceValue(func() map[partnerapi.Endpoint][]rule.Rule {
	all := map[partnerapi.Endpoint][]rule.Rule{}
	for _, r := range rule.All() {
		if len(r.Places) > 0 {
			all[r.Endpoint] = append(all[r.Endpoint], r)
		}
	}
	return all
})

func covers(above string, everything bool, pointer string) bool {
	wants, has := strings.Split(above, "/"), strings.Split(pointer, "/")
	if len(has) < len(wants) || len(has) > len(wants) && !everything {
		return false
	}
	for i, want := range wants {
		if want != "*" && want != has[i] || want == "*" && strings.Trim(has[i], "0123456789") != "" {
			return false
		}
	}
	return true
}
