package schemas_test

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/schemas"
)

// The names change with the version of Go, which brings the zones.
func TestZonesAreThoseOfTheEmbeddedDatabase(t *testing.T) {
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer embedded.Close()
	var names []string
	for _, file := range embedded.File {
		if !strings.HasSuffix(file.Name, "/") && file.Name != "Factory" { // a zone for machines that are not set up
			names = append(names, file.Name)
		}
	}
	slices.Sort(names)
	if want := strings.Join(names, "\n") + "\n"; schemas.ZonesFile != want {
		t.Errorf("Expected the %d names of %s in zones.txt, received others", len(names), runtime.Version())
	}
	for _, name := range names {
		if _, err := schemas.LoadZone(name); err != nil {
			t.Error(err)
		}
	}
}
