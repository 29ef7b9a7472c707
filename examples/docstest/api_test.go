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
	for _, module := range []string{"schemas", "mockpartner", "conformance", "marketplace"} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			checkPage(t, "docs/api/"+module+".txt", func(string) string { return publicNames(t, module) })
		})
	}
}

// publicNames returns go doc -all of each package of a module that other modules may import.
func publicNames(t *testing.T, module string) string {
	t.Helper()
	packages := output(t, "go", "list", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, "partnerkit.dev/"+module+"/...")
	var listing strings.Builder
	for name := range strings.FieldsSeq(packages) {
		if slices.Contains(strings.Split(name, "/"), "internal") {
			continue
		}
		listing.WriteString(output(t, "go", "doc", "-all", name) + "\n")
	}
	return listing.String()
}
