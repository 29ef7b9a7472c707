// Package axetest gives tests axe-core, which finds accessibility problems of a page. It is only
// for tests.
package axetest

import (
	"testing"

	"partnerkit.dev/internal/npmtest"
)

var axe = npmtest.Package{
	Name: "axe-core", Version: "4.14.1",
	Sum: "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
}

// Source returns axe-core as a script. If it cannot be downloaded, the test is skipped, or fails if
// CI is set.
func Source(t testing.TB) string {
	t.Helper()
	return string(axe.Read(t, "axe.min.js"))
}
