//go:build unix

package docstest

import (
	"slices"
	"strings"
	"testing"
)

// A new export is a promise to users. It changes a listing, so that reviewers see it.
func TestTheListingOfEachModuleShowsItsPublicNames(t *testing.T) {
	t.Parallel()
	packages := output(t, "go", "list", "-f", `{{if ne .Name "main"}}{{.ImportPath}} {{.Dir}}{{end}}`, "partnerkit.dev/...")
	for _, module := range []string{"schemas", "mockpartner", "conformance", "marketplace"} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			checkPage(t, "docs/api/"+module+".txt", func(string) string { return publicNames(t, module, packages) })
		})
	}
}

// publicNames returns go doc -all of each package of a module that other modules may import. Given its folder,
// go doc does not search for the package.
func publicNames(t *testing.T, module, packages string) string {
	t.Helper()
	var listing strings.Builder
	for line := range strings.Lines(packages) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		if parts := strings.Split(name, "/"); len(parts) > 1 && parts[1] == module && !slices.Contains(parts, "internal") {
			listing.WriteString(output(t, "go", "doc", "-C", folder, "-all", ".") + "\n")
		}
	}
	return listing.String()
}
