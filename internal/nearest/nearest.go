// Package nearest finds the names that somebody may have meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

const (
	// most is how many names are worth offering.
	most = 3
	// alike is how much a name must be like the one that was given, from 0 to 1.
	alike = 0.6
	// apart is how much less like it than the nearest one another may be.
	apart = 0.1
	// longest is how much of what was given is looked at, in bytes: comparing
	// takes time that grows with its square.
	longest = 100
)

// Names returns the names, at most three, that are most like the given one, the
// nearest first.
func Names(given string, names []string) []string {
	if len(given) > longest {
		given = given[:longest]
	}
	likeness := map[string]float64{}
	var near []string
	for _, name := range names {
		likeness[name] = levenshtein.Match(strings.ToLower(given), strings.ToLower(name), nil)
		if likeness[name] >= alike {
			near = append(near, name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(likeness[b], likeness[a]) })
	return slices.DeleteFunc(near[:min(most, len(near))], func(name string) bool { return likeness[name] < likeness[near[0]]-apart })
}

// Hint is what an error says behind the given name: " (did you mean a, b?)", or ""
// where no name is like it.
func Hint(given string, names []string) string {
	near := Names(given, names)
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(near, ", ") + "?)"
}
