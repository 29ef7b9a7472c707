// Package plan decides what a run tests of what a partner sells: which rules, which
// options and dates, which slots a scenario tries and in which order.
//
// Nothing here sends a request.
package plan

import "partnerkit.dev/conformance/internal/discover"

// Spread returns at most n elements of all, evenly spread, the last among them.
// The last comes first: when time runs out, the ends have been seen.
func Spread[T any](all []T, n int) []T {
	if len(all) == 0 || n < 1 {
		return nil
	}
	n = min(n, len(all))
	chosen := []T{all[len(all)-1]}
	for i := range n - 1 {
		chosen = append(chosen, all[i*len(all)/n])
	}
	return chosen
}

// mostCandidates bounds the slots that a scenario tries before it gives up.
const mostCandidates = 5

// Candidates returns the few of the offers that a scenario tries, the best first, of
// as many options as it can: an option that refuses one slot may refuse them all.
func Candidates(offers []discover.Offer) []discover.Offer {
	var chosen, rest []discover.Offer
	seen := map[string]bool{}
	for _, offer := range offers {
		if seen[offer.OptionKey()] {
			rest = append(rest, offer)
			continue
		}
		seen[offer.OptionKey()] = true
		chosen = append(chosen, offer)
	}
	chosen = append(chosen, rest...)
	return chosen[:min(mostCandidates, len(chosen))]
}

// mostVisits bounds the options that are visited: held once each.
const mostVisits = 6

// Visits returns the keys of the options to be visited, in the order of their visits,
// of those that have a slot among the fitting offers. All offers are in the catalog's
// order.
func Visits(fitting, all []discover.Offer) []string {
	wanted := map[string]bool{}
	for _, offer := range fitting {
		wanted[offer.OptionKey()] = true
	}
	var keys []string
	for _, offer := range all {
		if key := offer.OptionKey(); wanted[key] {
			delete(wanted, key)
			keys = append(keys, key)
		}
	}
	return Spread(keys, mostVisits)
}
