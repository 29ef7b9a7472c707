// Package npmtest gives tests files of npm packages, which npm downloads once into the workspace's
// build folder. It is only for tests.
package npmtest

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/tooltest"
)

// patience is the timeout of npm.
const patience = 10 * time.Minute

// Package is a version of an npm package.
type Package struct {
	Name, Version string
	Sum           string // SHA-512 of its archive, in base64, as in npm's lock files
}

// Read returns a file of the package. If the package cannot be downloaded, the test is skipped, or
// fails if CI is set.
func (p Package) Read(t testing.TB, path string) []byte {
	t.Helper()
	archive, err := p.archive()
	if err != nil {
		tooltest.Require(t, tooltest.NPM)
		tooltest.Skip(t, tooltest.Registry, err)
	}
	text, err := exec.CommandContext(t.Context(), "tar", "-xzOf", archive, "package/"+path).Output()
	if err != nil {
		t.Fatalf("find %s in %s: %v", path, p.Name, err)
	}
	return text
}

// archive returns the path of the package's archive, after its checksum was verified.
func (p Package) archive() (string, error) {
	build, err := buildtest.Folder()
	if err != nil {
		return "", err
	}
	file := strings.NewReplacer("@", "", "/", "-").Replace(p.Name) + "-" + p.Version + ".tgz" // npm's own name for it
	kept := filepath.Join(build, file)
	if p.isVerified(kept) {
		return kept, nil
	}
	folder, err := os.MkdirTemp(build, "npm-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "npm", "pack", p.Name+"@"+p.Version, "--silent", "--pack-destination", folder)
	command.Dir = folder
	command.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(folder, "cache")) // includes npm's log
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm pack %s: %w: %.500s", p.Name, err, output)
	}
	fresh := filepath.Join(folder, file)
	if !p.isVerified(fresh) {
		return "", fmt.Errorf("npm pack %s: the archive does not have the expected SHA-512", p.Name)
	}
	return kept, os.Rename(fresh, kept)
}

func (p Package) isVerified(path string) bool {
	archive, err := os.ReadFile(path)
	got := sha512.Sum512(archive)
	return err == nil && base64.StdEncoding.EncodeToString(got[:]) == p.Sum
}
