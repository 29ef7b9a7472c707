package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/sourcetest"
)

func TestEveryCommandAndFlagInTheRecipesIsThere(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`\bconformance ([a-z]+)((?: +[^ ` + "`" + `\n]+)*)`)
	flag := regexp.MustCompile(`(?:^| )--([a-z][a-z0-9-]*)`)
	recipes, err := filepath.Glob(sourcetest.Path("examples/ci/*"))
	if err != nil || len(recipes) < 3 {
		t.Fatalf("want recipes for three systems, got %v, %v", recipes, err)
	}
	for _, path := range append(recipes, sourcetest.Path("examples/conformance.yaml")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range call.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(found[2], "--") {
				continue // it may be prose
			}
			root := newRoot(nil)
			addCompletion(root)
			command, _, err := root.Find([]string{found[1]})
			if err != nil || command.Name() != found[1] {
				t.Errorf("%s: want %q a command, in %q", path, found[1], found[0])
				continue
			}
			if strings.Contains(found[2], "--profile") && !strings.Contains(found[2], "--config") {
				t.Errorf("%s: want --config beside --profile, else the profile's address is refused, in %q", path, found[0])
			}
			for _, named := range flag.FindAllStringSubmatch(found[2], -1) {
				if name := named[1]; name != "help" && command.Flags().Lookup(name) == nil {
					t.Errorf("%s: want --%s a flag of %s, in %q", path, name, found[1], found[0])
				}
			}
		}
	}
}

func TestEveryProfileOfTheExampleGivesARunThatCanBegin(t *testing.T) {
	t.Parallel()
	path := sourcetest.Path("examples/conformance.yaml")
	profiles := sourcesOf(parseRun(t, "--config", path)).Profiles()
	if !slices.Equal(profiles, []string{"local", "production", "staging"}) {
		t.Fatalf("want three profiles, got %v", profiles)
	}
	for _, profile := range profiles {
		command := parseRun(t, "--config", path, "--profile", profile)
		if _, err := sourcesOf(command).Apply(); err != nil {
			t.Errorf("%s: %v", profile, err)
		}
		if address, err := settings.ParseBaseURL(command.Flags().Lookup("base-url").Value.String()); err != nil {
			t.Errorf("%s: want a partner's address, got %v, %v", profile, address, err)
		}
	}
}

func TestTheExampleOfABaselineNamesRulesThatAreThere(t *testing.T) {
	t.Parallel()
	known, err := baseline.Read(filepath.Join(sourcetest.Path("examples"), "known-failures.yaml"))
	if err != nil || len(known.Entries) < 2 {
		t.Fatalf("want entries, got %v, %v", known, err)
	}
	for _, entry := range known.Entries {
		if _, err := rule.Find(entry.Rule); err != nil {
			t.Error(err)
		}
	}
}

// sourcesOf returns where the settings of the run command come from.
func sourcesOf(command *cobra.Command) cli.Settings { return new(runFlags).sources(command.Flags()) }

// parseRun is the run command with these arguments.
func parseRun(t *testing.T, args ...string) *cobra.Command {
	t.Helper()
	command := newRun(nil)
	if err := command.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return command
}
