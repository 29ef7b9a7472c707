//go:build unix

package docstest

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/sourcetest"
)

// root is the project's. Its documents speak of all its files.
var root = sourcetest.Root()

func documents(t *testing.T) []*Document {
	t.Helper()
	sourcetest.Depend("")
	all, err := Documents(root)
	check(t, err)
	if len(all) < 10 {
		t.Fatalf("want the documents of the tree, got %d", len(all))
	}
	return all
}

// programs returns the folder of the project's programs.
func programs(t *testing.T) (bin string) {
	t.Helper()
	bin, err := build()
	check(t, err)
	return bin
}

// build runs once for all tests.
var build = sync.OnceValues(func() (bin string, err error) {
	bin, err = filepath.Abs(filepath.Join(root, "build", "docs-test", "bin"))
	if err == nil {
		err = os.MkdirAll(bin, 0o755)
	}
	return bin, errors.Join(err, buildtest.Install(bin, "partnerkit.dev/conformance/cmd/conformance", "partnerkit.dev/marketplace/cmd/marketplace", "partnerkit.dev/mockpartner/cmd/mockpartner", "partnerkit.dev/octobridge/cmd/octobridge"))
})

func requireNoProblems(t *testing.T, problems []string) {
	t.Helper()
	for _, problem := range problems {
		t.Error(problem)
	}
}

// What the README tells a reader to run is what continuous integration proves.
func TestContinuousIntegrationRunsTheTestCommandOfTheREADME(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	check(t, err)
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	check(t, err)
	_, section, _ := strings.Cut(string(page), "\n## Test it\n")
	_, block, _ := strings.Cut(section, "```sh\n")
	command, _, ended := strings.Cut(block, "\n```\n")
	if !ended || !strings.Contains(string(script), "\n"+command+"\n") {
		t.Errorf("want the command %q of the README in .ci/run", command)
	}
}

func TestEveryLinkBetweenDocumentsLeadsSomewhere(t *testing.T) {
	t.Parallel()
	requireNoProblems(t, Links(root, documents(t)))
}

// tree is read once for all tests.
var tree = sync.OnceValues(func() (*Tree, error) { return ReadTree(root) })

func TestWhatDocumentsNameExists(t *testing.T) {
	t.Parallel()
	tree, err := tree()
	check(t, err)
	requireNoProblems(t, tree.Lies(documents(t)))
}

// A pattern that selects no test is no error of go test.
func TestMakeSelectsTestsThatExist(t *testing.T) {
	t.Parallel()
	tree, err := tree()
	check(t, err)
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	check(t, err)
	for line := range strings.Lines(strings.ReplaceAll(string(text), "$$", "$")) {
		if _, command, found := strings.Cut(line, " go test "); found {
			requireNoProblems(t, tree.lies("go test "+strings.TrimSpace(command)))
		}
	}
}

// Otherwise a misspelt variable is not noticed, because the programs start without it.
func TestEveryVariableThatIsSetIsASetting(t *testing.T) {
	t.Parallel()
	tree, err := tree()
	check(t, err)
	variable := regexp.MustCompile(`\b(?:CONFORMANCE|MARKETPLACE|MOCKPARTNER|OCTOBRIDGE)_[A-Z_]*[A-Z]\b`)
	found := 0
	for _, pattern := range []string{"Dockerfile", "action.yml", "templates/*", "examples/compose/*", "examples/kubernetes/*.yaml", "examples/cloudnative-pg/*.yaml", "examples/prometheus/*", "examples/ci/*", "packaging/marketplace.*"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("want files at %s, got %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			check(t, err)
			for _, name := range variable.FindAllString(string(text), -1) {
				if found++; !tree.isSetting(name) {
					t.Errorf("%s: %s is not a setting", path, name)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("want the variables of the manifests, got %d", found)
	}
}

func TestEveryBlockOfGoCompiles(t *testing.T) {
	t.Parallel()
	requireNoProblems(t, compileProblems(t, root, documents(t)))
}

// The test of `make docs-test`. DOCS is "all" or a comma-separated list of documents.
func TestEveryDocumentCanBeFollowed(t *testing.T) {
	wanted := os.Getenv("DOCS")
	if wanted == "" {
		t.Skip("make docs-test does this")
	}
	absolute, err := filepath.Abs(root)
	check(t, err)
	found := 0
	for _, d := range documents(t) {
		if d.FollowedBy != "" || wanted != "all" && !strings.Contains(","+wanted+",", ","+d.Path+",") {
			continue
		}
		found++
		if !d.Runs() {
			continue
		}
		t.Run(d.Path, func(t *testing.T) {
			if err := followInCopy(t, filepath.Join(absolute, "build", "docs-test"), d); err != nil {
				t.Error(err)
			}
		})
	}
	if found == 0 {
		t.Errorf("want documents, found none of %s", wanted)
	}
}
