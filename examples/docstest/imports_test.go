//go:build unix

package docstest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is what docs/architecture.md draws: the modules that each may import outside
// of tests, and the folders that may more or less.
var mayImport = map[string][]string{
	"schemas": {"schemas"}, "internal": {"internal"},
	"mockpartner":                   {"mockpartner", "schemas", "internal"},
	"conformance":                   {"conformance", "schemas", "internal"},
	"conformance/internal/selftest": {"conformance", "schemas", "internal", "mockpartner"},
	"marketplace":                   {"marketplace", "schemas", "internal"},
	"examples":                      {"examples", "schemas", "internal", "mockpartner", "conformance", "marketplace"},
	"examples/minimal-partner":      {},
}

func TestModulesImportEachOtherAsTheArchitectureHasIt(t *testing.T) {
	t.Parallel()
	tree := os.DirFS(root)
	files := 0
	for _, module := range []string{"schemas", "internal", "mockpartner", "conformance", "marketplace", "examples"} {
		err := fs.WalkDir(tree, module, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			files++
			source, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			read, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
			if err != nil {
				return err
			}
			may, special := mayImport[path.Dir(name)]
			if !special {
				may = mayImport[module]
			}
			for _, imported := range read.Imports {
				whole, err := strconv.Unquote(imported.Path.Value)
				if err != nil {
					return err
				}
				ours, found := strings.CutPrefix(whole, "partnerkit.dev/")
				if top, _, _ := strings.Cut(ours, "/"); found && !slices.Contains(may, top) {
					t.Errorf("%s: want imports of %v at the most, got %s", name, may, whole)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 200 {
		t.Errorf("want the files of all modules read, got %d", files)
	}
}

// imports are the packages that those of a pattern are built of, by the packages of the pattern.
func imports(t *testing.T, patterns ...string) map[string][]string {
	t.Helper()
	command := exec.Command("go", append([]string{"list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}"}, patterns...)...)
	command.Dir = root
	command.Stderr = os.Stderr
	listed, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(listed)) {
		all := strings.Fields(line)
		found[all[0]] = all[1:]
	}
	return found
}

func TestNoUserOfAModuleGetsABrowser(t *testing.T) {
	t.Parallel()
	for name, all := range imports(t, "./schemas/...", "./mockpartner/...", "./conformance/...", "./marketplace/...") {
		for _, one := range all {
			if strings.HasPrefix(one, "github.com/chromedp/") {
				t.Errorf("%s: want no browser outside of tests, got %s", name, one)
				break
			}
		}
	}
}

// Ginkgo and rapid, which the suite is made of, link it, and so does embedded-postgres.
func TestTheMockLinksNoTests(t *testing.T) {
	t.Parallel()
	for name, all := range imports(t, "./mockpartner/cmd/mockpartner", "./mockpartner", "./mockpartner/client", "./marketplace/client", "./conformance/rule", "./schemas/...") {
		if slices.Contains(all, "testing") {
			t.Errorf("%s: want it without the package testing", name)
		}
	}
}

func TestTheSchemasRequireNoCommandLineAndNoViewer(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "schemas", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, unwanted := range []string{"spf13/", "swaggest/", "chromedp/", "partnerkit.dev/internal"} {
		if strings.Contains(string(text), unwanted) {
			t.Errorf("schemas/go.mod: want nothing of %s", unwanted)
		}
	}
}
