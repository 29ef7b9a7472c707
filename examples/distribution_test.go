package examples_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// commands are what is built, shipped and put into images.
var commands = []string{"marketplace", "mockpartner", "conformance"}

// instruction is one of a Dockerfile's, its lines joined.
type instruction struct{ name, rest string }

func dockerfile(t *testing.T) (all []instruction) {
	t.Helper()
	text := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(file(t, "../Dockerfile"), "")
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			all = append(all, instruction{name, strings.TrimSpace(rest)})
		}
	}
	return all
}

func TestTheDockerfileCopiesAndBuildsOnlyWhatThereIs(t *testing.T) {
	t.Parallel()
	ignored := file(t, "../.dockerignore")
	stages := map[string]bool{"golang:1.26": true, "scratch": true}
	copied := 0
	for _, i := range dockerfile(t) {
		words := strings.Fields(i.rest)
		switch i.name {
		case "FROM":
			if !stages[words[0]] {
				t.Errorf("FROM %s: want Go's image, nothing, or a stage before it", i.rest)
			}
			stages[words[len(words)-1]] = true
		case "COPY":
			if from, is := strings.CutPrefix(words[0], "--from="); is {
				if !stages[from] {
					t.Errorf("COPY %s: there is no stage %s", i.rest, from)
				}
				continue
			}
			for _, source := range words[:len(words)-1] {
				copied++
				if _, err := os.Stat(filepath.Join("..", source)); err != nil {
					t.Error(err)
				}
				if top, _, _ := strings.Cut(source, "/"); !strings.Contains(ignored, "\n!"+top+"\n") && !strings.Contains(ignored, "\n!"+source+"\n") {
					t.Errorf("COPY %s: .dockerignore keeps it from the builder", source)
				}
			}
		case "RUN":
			for _, found := range regexp.MustCompile(`\./\S+/cmd/\S+`).FindAllString(i.rest, -1) {
				if _, err := os.Stat(filepath.Join("..", found, "main.go")); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if copied < 15 {
		t.Errorf("want the sources copied, got %d", copied)
	}
	// A module more, and its go.mod has to be there before the others' are downloaded.
	for _, found := range regexp.MustCompile(`(?m)^\t\./(\w+)$`).FindAllStringSubmatch(file(t, "../go.work"), -1) {
		if !strings.Contains(file(t, "../Dockerfile"), "COPY "+found[1]+"/go.mod ") {
			t.Errorf("want the module %s known to the builder", found[1])
		}
	}
}

func TestEveryCommandHasAnImageWithoutRights(t *testing.T) {
	t.Parallel()
	entry, user := map[string]string{}, map[string]string{}
	base, name := map[string]string{}, ""
	healthy := map[string]bool{}
	for _, i := range dockerfile(t) {
		words := strings.Fields(i.rest)
		switch i.name {
		case "FROM":
			name = words[len(words)-1]
			base[name], user[name] = words[0], user[words[0]]
		case "USER":
			user[name] = i.rest
		case "ENTRYPOINT":
			entry[name] = i.rest
		case "HEALTHCHECK":
			healthy[name] = strings.HasSuffix(i.rest, `CMD ["/`+name+`", "health"]`)
		}
	}
	for _, command := range commands {
		if entry[command] != `["/`+command+`"]` || user[command] != "65532:65532" || base[base[command]] != "scratch" {
			t.Errorf("%s: want an image of it alone, run as nobody, got %s as %s from %s", command, entry[command], user[command], base[command])
		}
		if want := command != "conformance"; healthy[command] != want {
			t.Errorf("%s: want it to ask after its own health: %t, got %t", command, want, healthy[command])
		}
	}
}

// What the linker is told to set has to be there: it says nothing where it is not.
func TestWhatAReleaseSetsIsThere(t *testing.T) {
	t.Parallel()
	source := file(t, "../internal/cli/version.go")
	for _, path := range []string{"../Dockerfile", "../.goreleaser.yaml"} {
		found := regexp.MustCompile(`-X partnerkit\.dev/internal/cli\.(\w+)=`).FindAllStringSubmatch(file(t, path), -1)
		if len(found) != 2 {
			t.Errorf("%s: want version and commit set, got %v", path, found)
		}
		for _, variable := range found {
			if !regexp.MustCompile(`(?m)^var .*\b` + variable[1] + `\b.* string$`).MatchString(source) {
				t.Errorf("%s sets %s, which is not in internal/cli/version.go", path, variable[1])
			}
		}
	}
}

// readYAML reads what the value has of a YAML file, in which keys may be given again after
// they were merged.
func readYAML(t *testing.T, path string, value any) {
	t.Helper()
	if err := yaml.UnmarshalWithOptions([]byte(file(t, path)), value, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// targets are the Makefile's.
func targets(t *testing.T) (names []string) {
	t.Helper()
	for _, found := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(file(t, "../Makefile"), -1) {
		names = append(names, found[1])
	}
	return names
}

// makes fails the test where a text runs a target that is not there.
func makes(t *testing.T, path string) {
	t.Helper()
	for _, found := range regexp.MustCompile(`(?m)(?:- |run: |; |^ +)make ([a-z -]+)`).FindAllStringSubmatch(file(t, path), -1) {
		for _, target := range strings.Fields(found[1]) {
			if !slices.Contains(targets(t), target) {
				t.Errorf("%s: there is no make %s", path, target)
			}
		}
	}
}

func TestAReleaseHoldsEveryCommandForEverySystem(t *testing.T) {
	t.Parallel()
	var r struct {
		Version int
		Builds  []struct {
			ID, Dir, Main, Binary string
			Env, Goos, Goarch     []string
		}
		Archives []struct{ Files []any }
		Release  struct{ Draft bool }
	}
	text := file(t, "../.goreleaser.yaml")
	readYAML(t, "../.goreleaser.yaml", &r)
	makes(t, "../.goreleaser.yaml")
	var built []string
	for _, b := range r.Builds {
		built = append(built, b.Binary)
		if _, err := os.Stat(filepath.Join("..", b.Dir, b.Main, "main.go")); err != nil || b.ID != b.Binary {
			t.Errorf("%s: %v", b.ID, err)
		}
		if !slices.Equal(b.Goos, []string{"linux", "darwin", "windows"}) || !slices.Equal(b.Goarch, []string{"amd64", "arm64"}) || !slices.Equal(b.Env, []string{"CGO_ENABLED=0"}) {
			t.Errorf("%s: want it static for three systems on two machines, got %v, %v, %v", b.ID, b.Goos, b.Goarch, b.Env)
		}
	}
	if !slices.Equal(built, commands) || r.Version != 2 || !r.Release.Draft || len(r.Archives) != 1 {
		t.Errorf("want a draft of one archive with %v, got %v", commands, built)
	}
	for _, listed := range r.Archives[0].Files {
		if name, is := listed.(string); is {
			if _, err := os.Stat(filepath.Join("..", name)); err != nil {
				t.Error(err)
			}
		}
	}
	for _, made := range []string{"build/man", "build/completions", "build/licenses"} {
		if !strings.Contains(text, "src: "+made) || !strings.Contains(file(t, "../Makefile"), made) {
			t.Errorf("want %s made and in the archive", made)
		}
	}
}

func TestTheWorkflowsMayReadAndRunWhatThereIs(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(paths) < 3 {
		t.Fatalf("want the workflows, got %v, %v", paths, err)
	}
	for _, path := range paths {
		var w struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				TimeoutMinutes int `yaml:"timeout-minutes"`
				Permissions    map[string]string
				Steps          []struct {
					Uses, Run string
				}
			}
		}
		readYAML(t, path, &w)
		makes(t, path)
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: want it to read the contents and no more, got %v", path, w.Permissions)
		}
		for name, job := range w.Jobs {
			if job.TimeoutMinutes == 0 || len(job.Steps) == 0 {
				t.Errorf("%s: %s: want a bound and steps, got %+v", path, name, job)
			}
			if len(job.Permissions) > 0 && name != "release" {
				t.Errorf("%s: %s: want no more rights, got %v", path, name, job.Permissions)
			}
			for _, step := range job.Steps {
				if step.Uses != "" && !regexp.MustCompile(`^[\w-]+/[\w-]+@v\d+`).MatchString(step.Uses) {
					t.Errorf("%s: %s: want a version of %s", path, name, step.Uses)
				}
			}
		}
	}
}
