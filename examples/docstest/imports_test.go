//go:build unix

package docstest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport is the drawing in docs/architecture.md: the modules that each module may import outside
// of tests, and the packages with other rules.
var mayImport = map[string][]string{
	"schemas": {"schemas"}, "internal": {"internal", "schemas"},
	"mockpartner": {"mockpartner", "internal", "schemas"}, "conformance": {"conformance", "internal", "schemas"}, "marketplace": {"marketplace", "internal", "schemas"},
	"examples":                      {"examples", "schemas", "mockpartner", "conformance", "marketplace"},
	"conformance/internal/selftest": {"conformance", "internal", "schemas", "mockpartner"}, "examples/minimal-partner": {},
	"octobridge":        {"octobridge", "internal", "schemas"},
	"examples/cmd/demo": {"examples", "schemas", "mockpartner", "conformance", "marketplace", "internal"},
}

func TestModulesImportEachOtherAsTheArchitectureHasIt(t *testing.T) {
	t.Parallel()
	listed := output(t, "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "partnerkit.dev/...")
	packages := 0
	for line := range strings.Lines(listed) {
		packages++
		imports := strings.Fields(line)
		name := strings.TrimPrefix(imports[0], "partnerkit.dev/")
		module, _, _ := strings.Cut(name, "/")
		may, special := mayImport[name]
		if !special {
			may = mayImport[module]
		}
		for _, imported := range imports[1:] {
			ours, found := strings.CutPrefix(imported, "partnerkit.dev/")
			if top, _, _ := strings.Cut(ours, "/"); found && !slices.Contains(may, top) {
				t.Errorf("%s may import %v, and imports %s", name, may, imported)
			}
			if strings.HasPrefix(imported, "github.com/chromedp/") && module != "internal" && module != "examples" {
				t.Errorf("%s imports %s: a browser is for tests", name, imported)
			}
		}
	}
	if packages < 50 {
		t.Errorf("want the packages of all modules, got %d", packages)
	}
}

// Ginkgo and rapid, which the suite uses, link the package testing into a program.
func TestNoTestsAreLinkedIntoTheServiceTheMockTheBridgeAndTheClients(t *testing.T) {
	t.Parallel()
	listed := output(t, "go", "list", "-deps", "partnerkit.dev/marketplace/cmd/marketplace", "partnerkit.dev/mockpartner/cmd/mockpartner", "partnerkit.dev/octobridge/cmd/octobridge", "partnerkit.dev/mockpartner/client", "partnerkit.dev/marketplace/client", "partnerkit.dev/conformance/rule")
	if slices.Contains(strings.Fields(listed), "testing") {
		t.Error("want them without the package testing, got it")
	}
}

func TestTheSchemasRequireNoCommandLineAndNoViewer(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "schemas", "go.mod"))
	check(t, err)
	for _, unwanted := range []string{"spf13/", "swaggest/", "chromedp/", "partnerkit.dev/internal"} {
		if strings.Contains(string(text), unwanted) {
			t.Errorf("schemas/go.mod: want nothing of %s", unwanted)
		}
	}
}
