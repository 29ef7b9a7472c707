package examples_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Otherwise a misspelt variable is not noticed, because the service starts without it.
func TestEveryVariableThatIsSetIsASetting(t *testing.T) {
	t.Parallel()
	// The marketplace's variables are in a table that is generated from its code; the mock's are in
	// its code.
	settings := file(t, "../docs/operations.md") + file(t, "../mockpartner/cmd/mockpartner/options.go")
	variable := regexp.MustCompile(`\b(?:MARKETPLACE|MOCKPARTNER)_[A-Z_]*[A-Z]\b`)
	found := 0
	for _, pattern := range []string{"../Dockerfile", "compose/*", "kubernetes/*.yaml", "prometheus/*", "ci/*", "../packaging/marketplace.*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("want files at %s, got %v", pattern, err)
		}
		for _, path := range paths {
			for _, name := range variable.FindAllString(file(t, path), -1) {
				found++
				if !strings.Contains(settings, "`"+name+"`") && !strings.Contains(settings, `"`+name+`"`) {
					t.Errorf("%s: %s is not a setting of the marketplace or the mock", path, name)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("want the variables of the manifests, got %d", found)
	}
}
