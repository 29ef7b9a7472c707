//go:build unix

package docstest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is what docs/architecture.md draws: the modules that each may import outside
// of tests, and the folders that may more or less.
var mayImport = map[string][]string{
	"schemas": {"schemas"}, "mockpartner": {"mockpartner", "schemas"}, "conformance": {"conformance", "schemas"}, "marketplace": {"marketplace", "schemas"},
	"examples":             {"examples", "schemas", "mockpartner", "conformance", "marketplace"},
	"conformance/selftest": {"conformance", "schemas", "mockpartner"}, "examples/minimal-partner": {},
}

func TestModulesImportEachOtherAsTheArchitectureHasIt(t *testing.T) {
	t.Parallel()
	tree := os.DirFS(root)
	files := 0
	for _, module := range []string{"schemas", "mockpartner", "conformance", "marketplace", "examples"} {
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
