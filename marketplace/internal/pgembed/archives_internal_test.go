//go:build unix

package pgembed

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"partnerkit.dev/internal/buildtest"
)

// DownloadVariable is the environment variable with the registry from which tests download
// archives. If it is empty, they download none.
const DownloadVariable = "DOWNLOAD_POSTGRESQL"

func TestEveryArchiveHasAVersionOfItsMajorAndASHA256OfItsOwn(t *testing.T) {
	t.Parallel()
	sums := map[string]bool{}
	for major, list := range archives {
		for _, one := range list {
			sum, err := hex.DecodeString(one.sha256)
			if !strings.HasPrefix(one.version, strconv.Itoa(major)+".") || err != nil || len(sum) != 32 || sums[one.sha256] {
				t.Errorf("want a version of PostgreSQL %d and a SHA-256 of its own, got %+v", major, one)
			}
			sums[one.sha256] = true
		}
	}
	if len(archives[newestArchive]) != 4 {
		t.Errorf("want PostgreSQL %d for four systems, got %v", newestArchive, archives[newestArchive])
	}
}

func TestEveryArchiveForThisSystemIsInTheRegistryAndRuns(t *testing.T) {
	t.Parallel()
	registry := os.Getenv(DownloadVariable)
	if registry == "" {
		t.Skip("set " + DownloadVariable + " to the address of an npm registry to download 25 MB for each version")
	}
	for major := range archives {
		dir := t.TempDir()
		if err := download(t.Context(), Config{Registry: registry}, dir, major); err != nil {
			t.Errorf("PostgreSQL %d: %v", major, err)
			continue
		}
		if found, ok := find([]string{downloadedPattern(dir)}, major); !ok {
			t.Errorf("PostgreSQL %d: want it to run, got %v in %s", major, found, filepath.Join(dir, "binaries"))
		}
	}
}

// It changes the process's environment, so it is not parallel.
func TestTheRegistryIsTheOneThatNPMIsConfiguredWith(t *testing.T) {
	for name, c := range map[string]struct{ npm, variable, want string }{
		"npm says it": {npm: "https://npm.example", want: "https://npm.example"},
		"a variable":  {variable: "https://variable.example", want: "https://variable.example"},
		"nothing":     {},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			if c.npm != "" {
				buildtest.Script(t, filepath.Join(bin, "npm"), "[ \"$*\" = 'config get registry' ] && echo "+c.npm)
			}
			t.Setenv("PATH", bin)
			t.Setenv("npm_config_registry", "")
			t.Setenv("NPM_CONFIG_REGISTRY", c.variable)
			got, err := npmRegistry(t.Context())
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("want %q, got %q and %v", c.want, got, err)
			}
		})
	}
}
