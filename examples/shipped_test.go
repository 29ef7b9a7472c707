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
	for _, pattern := range []string{"../Dockerfile", "compose/*", "kubernetes/*.yaml", "prometheus/*", "ci/*", "../packaging/*"} {
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

// The linker does not report a variable that it cannot set.
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

// No test builds an image, so a module that the builder does not copy would only be found in a
// release.
func TestTheDockerfileCopiesEveryModule(t *testing.T) {
	t.Parallel()
	builder := file(t, "../Dockerfile")
	for _, module := range regexp.MustCompile(`(?m)^\t\./(\w+)$`).FindAllStringSubmatch(file(t, "../go.work"), -1) {
		if !strings.Contains(builder, "COPY "+module[1]+"/go.mod ") {
			t.Errorf("the Dockerfile does not copy %s/go.mod", module[1])
		}
	}
}

// Packages are only built in a release, so a wrong path in a unit would only be found on another
// machine.
func TestPackagesInstallWhatTheServiceUses(t *testing.T) {
	t.Parallel()
	commands, service := file(t, "../packaging/partnerkit.yaml"), file(t, "../packaging/partnerkit-marketplace.yaml")
	for _, source := range regexp.MustCompile(`\b(?:src|postinstall|preremove): *([\w./-]+)`).FindAllStringSubmatch(commands+service, -1) {
		if !strings.HasPrefix(source[1], "build/") {
			file(t, "../"+source[1])
		}
	}
	paths, err := filepath.Glob("../*/cmd/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		command := filepath.Base(filepath.Dir(path))
		if strings.HasPrefix(path, "../examples/") {
			continue
		}
		for _, shell := range []string{"bash", "zsh", "fish"} {
			if !strings.Contains(commands, "build/completions/"+command+"."+shell) {
				t.Errorf("Expected the %s completions of %s in packaging/partnerkit.yaml", shell, command)
			}
		}
	}
	unit := file(t, "../packaging/marketplace.service")
	settings := regexp.MustCompile(`(?m)^EnvironmentFile=(.+)$`).FindStringSubmatch(unit)
	if settings == nil || !strings.Contains(service, "dst: "+settings[1]+"\n") {
		t.Errorf("Expected the unit's EnvironmentFile to be installed by packaging/partnerkit-marketplace.yaml, received %q", settings)
	}
	if !strings.Contains(unit, "\nExecStart=/usr/bin/marketplace serve\n") || !strings.Contains(commands, "dst: /usr/bin/\n") {
		t.Error("Expected ExecStart to run the marketplace that packaging/partnerkit.yaml installs in /usr/bin")
	}
}
