//go:build unix

package docstest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

func documents(t *testing.T) []*Document {
	t.Helper()
	all, err := Documents(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("want the documents of the tree, got %d", len(all))
	}
	return all
}

// programs builds the project's programs. They are kept, so that the next run is faster.
func programs(t *testing.T) (bin string) {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// build runs once for all tests.
var build = sync.OnceValues(func() (bin string, err error) {
	bin, err = filepath.Abs(filepath.Join(root, "build", "docs-test", "bin"))
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", bin+"/", "./conformance/cmd/conformance", "./marketplace/cmd/marketplace", "./mockpartner/cmd/mockpartner")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, output)
	}
	return bin, nil
})

func none(t *testing.T, problems []string) {
	t.Helper()
	for _, problem := range problems {
		t.Error(problem)
	}
}

// What the README tells a reader to run is what continuous integration proves.
func TestContinuousIntegrationRunsTheTestCommandOfTheREADME(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Test it\n")
	_, block, _ := strings.Cut(section, "```sh\n")
	command, _, ended := strings.Cut(block, "\n```\n")
	if !ended || !strings.Contains(string(script), "\n"+command+"\n") {
		t.Errorf("want the command %q of the README in .ci/run", command)
	}
}

func TestEveryLinkBetweenDocumentsLeadsSomewhere(t *testing.T) {
	t.Parallel()
	none(t, Links(root, documents(t)))
}

func TestEveryBlockOfGoCompiles(t *testing.T) {
	t.Parallel()
	problems, err := Compile(t.Context(), root, documents(t))
	if err != nil {
		t.Fatal(err)
	}
	none(t, problems)
}

// The test of `make docs-test`. DOCS is "all" or a comma-separated list of documents.
func TestEveryDocumentCanBeFollowed(t *testing.T) {
	wanted := os.Getenv("DOCS")
	if wanted == "" {
		t.Skip("make docs-test does this")
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	runner := Runner{Root: absolute, Bin: programs(t), Work: filepath.Join(absolute, "build", "docs-test")}
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
			if err := runner.Run(t.Context(), d); err != nil {
				t.Error(err)
			}
		})
	}
	if found == 0 {
		t.Errorf("want documents, found none of %s", wanted)
	}
}
