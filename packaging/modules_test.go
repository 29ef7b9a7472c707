package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The modules come from the release, and all others from the modules that this machine has, in a
// module cache of its own: the version of the tests must not stay in the user's.
func TestModules_GoInstallsACommand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run(t, nil, "tar", "--extract", "--gzip", "--file", releaseFile(t, "partnerkit_"+version+"_go_modules.tar.gz"), "--directory", folder)
	cache := strings.TrimSpace(run(t, nil, "go", "env", "GOMODCACHE"))
	environment := []string{
		"GOPROXY=file://" + folder + "/modules,file://" + filepath.ToSlash(cache) + "/cache/download", "GONOSUMDB=*", "GOWORK=off", "CGO_ENABLED=0",
		"GOFLAGS=-modcacherw -trimpath -ldflags=-w", "GOMODCACHE=" + filepath.Join(folder, "cache"), "GOBIN=" + filepath.Join(folder, "bin"),
	}
	for _, asked := range []string{"latest", "v" + version} {
		run(t, environment, "go", "install", "partnerkit.dev/conformance/cmd/conformance@"+asked)
	}
	command := filepath.Join(folder, "bin", "conformance")
	if got, want := run(t, nil, command, "--version"), "conformance v"+version+", go"; !strings.HasPrefix(got, want) {
		t.Errorf("expected %q, received %q", want, got)
	}
	licence, err := os.Stat(filepath.Join(folder, "cache", "partnerkit.dev", "conformance@v"+version, "LICENSE"))
	if err != nil || licence.Size() == 0 {
		t.Errorf("expected the licence in a module: %v", err)
	}
}
