// Package axetest gives tests axe-core, which finds accessibility problems of a page. It is only
// for tests.
package axetest

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The version of axe-core's npm package, and its required SHA-512.
const (
	version = "4.14.1"
	sum     = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// patience is the timeout of npm.
const patience = 2 * time.Minute

// Source returns axe-core as a script. npm downloads it once into the workspace's build folder. If
// it cannot be downloaded, the test is skipped, or fails if CI is set.
func Source(t testing.TB) string {
	t.Helper()
	pack, err := packed()
	if err != nil {
		if message := "axe-core is not to be had: " + err.Error(); os.Getenv("CI") != "" {
			t.Fatal(message)
		} else {
			t.Skip(message)
		}
	}
	source, err := exec.CommandContext(t.Context(), "tar", "-xzOf", pack, "package/axe.min.js").Output()
	if err != nil {
		t.Fatalf("find axe.min.js in the package: %v", err)
	}
	return string(source)
}

// packed returns the path of axe-core's package, after its checksum was verified.
func packed() (string, error) {
	workspace, err := exec.Command("go", "env", "GOWORK").Output()
	build, _ := filepath.Abs(filepath.Join(filepath.Dir(strings.TrimSpace(string(workspace))), "build")) // "off" is this folder
	if err == nil {
		err = os.MkdirAll(build, 0o755)
	}
	if err != nil {
		return "", err
	}
	kept := filepath.Join(build, "axe-core-"+version+".tgz")
	if good(kept) {
		return kept, nil
	}
	folder, err := os.MkdirTemp(build, "axe-core-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "npm", "pack", "axe-core@"+version, "--silent", "--pack-destination", folder)
	command.Dir = folder
	command.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(folder, "cache")) // includes npm's log
	if said, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm pack: %w: %s", err, bytes.TrimSpace(said))
	}
	fresh := filepath.Join(folder, filepath.Base(kept))
	if !good(fresh) {
		return "", errors.New("npm pack: the package has another sum than the one that is known")
	}
	return kept, os.Rename(fresh, kept)
}

func good(path string) bool {
	pack, err := os.ReadFile(path)
	got := sha512.Sum512(pack)
	return err == nil && base64.StdEncoding.EncodeToString(got[:]) == sum
}
