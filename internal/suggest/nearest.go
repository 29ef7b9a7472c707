// Package suggest finds the names that a user may have meant.
package suggest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

const (
	// most is the maximum number of suggested names.
	most = 3
	// alike is the minimum similarity of a suggested name, from 0 to 1.
	alike = 0.6
	// apart is how much less similar a name may be than the most similar one.
	apart = 0.1
	// longest is the maximum length of the given name that is compared, in bytes. The comparison
	// takes quadratic time.
	longest = 100
)

// Names returns the names, at most three, that are most similar to the given one, the most similar
// first.
func Names(given string, names []string) []string {
	if len(given) > longest {
		given = given[:longest]
	}
	similarity := map[string]float64{}
	var near []string
	for _, name := range names {
		similarity[name] = levenshtein.Match(strings.ToLower(given), strings.ToLower(name), nil)
		if similarity[name] >= alike {
			near = append(near, name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(similarity[b], similarity[a]) })
	return slices.DeleteFunc(near[:min(most, len(near))], func(name string) bool { return similarity[name] < similarity[near[0]]-apart })
}

// Hint returns a suggestion for an error about the given name: " (did you mean a, b?)", or "" if no
// name is similar.
func Hint(given string, names []string) string {
	near := Names(given, names)
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(near, ", ") + "?)"
}
