package examples_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"partnerkit.dev/internal/sourcetest"
)

// An attacker who takes over an action or an image can move a tag to other code, but not a digest.
func TestNoActionAndNoImageIsUnpinned(t *testing.T) {
	t.Parallel()
	action := regexp.MustCompile(`(?m)\buses: *(\S+)( # v\d\S*)?`)
	image := regexp.MustCompile(`(?m)(?:\b(?:image|container): *|^FROM +(?:--\S+ +)?)([^\s,}]+)`)
	commit := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)
	digest := regexp.MustCompile(`^[\w./:-]+@sha256:[0-9a-f]{64}$`)
	stage := regexp.MustCompile(`(?m)^FROM .* AS (\w+)$`)
	pins := map[string]string{}
	for _, path := range automation(t) {
		text := file(t, path)
		for _, found := range action.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(found[1], "OWNER/") { // this repository, whose releases have no digest yet
				continue
			}
			if !commit.MatchString(found[1]) || found[2] == "" {
				t.Errorf("%s: want %s by the digest of its commit, with its version in a comment", path, found[1])
			}
			pin(t, pins, path, found[1])
		}
		ours := map[string]bool{"scratch": true} // built here, so they need no digest
		for _, name := range stage.FindAllStringSubmatch(text, -1) {
			ours[name[1]] = true
		}
		for _, found := range image.FindAllStringSubmatch(text, -1) {
			if ours[found[1]] || strings.HasPrefix(found[1], "partnerkit/") || found[1] == "$[[" { // an input
				continue
			}
			if !digest.MatchString(found[1]) {
				t.Errorf("%s: want the image %s with its tag and digest", path, found[1])
			}
			pin(t, pins, path, found[1])
		}
	}
	if len(pins) < 6 {
		t.Errorf("want the actions and images found, got %v", pins)
	}
}

// automation returns the files that may name actions and images: YAML and Dockerfiles, wherever they are.
func automation(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(sourcetest.Path(""), func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "build" || name == "node_modules"):
			return filepath.SkipDir
		case !entry.IsDir() && (strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml") || strings.HasPrefix(name, "Dockerfile")):
			paths = append(paths, path)
		}
		return nil
	})
	check(t, err)
	return paths
}

// pin records the digest of an action or image, and requires the same digest everywhere.
func pin(t *testing.T, pins map[string]string, path, reference string) {
	t.Helper()
	name, _, _ := strings.Cut(reference, "@")
	name, _, _ = strings.Cut(name, ":")
	if other, known := pins[name]; known && other != reference {
		t.Errorf("%s: want %s as elsewhere, got %s", path, other, reference)
	}
	pins[name] = reference
}

func TestAReleaseIsSigned(t *testing.T) {
	t.Parallel()
	for path, wants := range map[string][]string{
		".github/workflows/release.yml": {"id-token: write", "make release ", "make sign"},
		"packaging/release.mk":          {"cmd/cosign@v3.", "cmd/nfpm@v2.", "cmd/cyclonedx-gomod@v1."},
	} {
		for _, want := range wants {
			if !strings.Contains(sourcetest.Read(t, path), want) {
				t.Errorf("%s: want %q in it", path, want)
			}
		}
	}
}

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	return string(text)
}
