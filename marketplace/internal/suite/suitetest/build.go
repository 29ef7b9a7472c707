// Package suitetest builds the conformance command for tests.
package suitetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds the conformance command into a folder and returns its path. It must be called from
// the folder of a package directly below internal, as tests are.
func Build(dir string) (string, error) {
	path := filepath.Join(dir, "conformance")
	build := exec.Command("go", "build", "-o", path, "./cmd/conformance")
	build.Dir, build.Env = "../../../conformance", append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the conformance command: %w\n%s", err, output)
	}
	return path, nil
}
