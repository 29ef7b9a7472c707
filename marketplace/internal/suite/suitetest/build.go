// Package suitetest builds the conformance command for tests.
package suitetest

import (
	"path/filepath"

	"partnerkit.dev/internal/buildtest"
)

// Build builds the conformance command into a folder, and returns its path.
func Build(folder string) (string, error) {
	return filepath.Join(folder, "conformance"), buildtest.Install(folder, "partnerkit.dev/conformance/cmd/conformance")
}
