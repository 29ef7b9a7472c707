package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// FindCommand returns the path of the conformance command: the given one, otherwise the one next
// to this program, otherwise the one on the PATH.
func FindCommand(given string) (string, error) {
	name := "conformance"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if given != "" {
		path, err := exec.LookPath(given)
		if err != nil {
			return "", fmt.Errorf("--conformance-command %s cannot be run, so partners cannot be tested, and their traffic is not judged: %w", given, err)
		}
		return filepath.Abs(path)
	}
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("there is no conformance command beside the service or on the PATH: partners cannot be tested, and their traffic is not judged, unless --conformance-command names it")
	}
	return filepath.Abs(path)
}
