// Package benchsize chooses the sizes of benchmarks. With -short a benchmark only shows that it still
// runs: it takes a moment, and its figures mean nothing.
package benchsize

import "testing"

// Choose returns the full size, or the small one with -short.
func Choose(full, small int) int {
	if testing.Short() {
		return small
	}
	return full
}
