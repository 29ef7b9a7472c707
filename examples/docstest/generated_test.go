//go:build unix

package docstest

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

var update = flag.Bool("update", false, "update what documents show of the code")

// checkPage checks that a page matches the code, or updates it with -update.
func checkPage(t *testing.T, page string, draw func(text string) string) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(page))
	text, err := os.ReadFile(name) // a new page is empty
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	drawn := draw(string(text))
	if drawn == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s shows something else than the code:\n%sIf that is meant, run go test ./examples/docstest -run Shows -update", page, difference(string(text), drawn))
	}
	check(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(drawn), 0o644)))
}

// difference returns the lines that only one of two texts has: the first few of each.
func difference(old, drawn string) string {
	const most = 20
	only := func(mark, text, other string) (lines string) {
		known, n := strings.Split(other, "\n"), 0
		for line := range strings.SplitSeq(text, "\n") {
			if n < most && !slices.Contains(known, line) {
				lines += mark + line + "\n"
				n++
			}
		}
		return lines
	}
	return only("- ", old, drawn) + only("+ ", drawn, old)
}

func TestTheContractShowsTheRulesOfEachClauseAndTheRulesTheirClause(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "contract.md"))
	check(t, err)
	contract, err := Read("docs/contract.md", text)
	check(t, err)
	checkPage(t, "docs/rules.md", func(string) string { return rulesPage(t, contract.Anchors) })
	checkPage(t, "docs/contract.md", linkClauses)
}

func TestThePageAboutOperationsShowsTheSettingsOfTheService(t *testing.T) {
	t.Parallel()
	checkPage(t, "docs/operations.md", func(text string) string { return section(t, text, "settings", settingsTable(t, "marketplace")) })
}

func TestTheREADMEOfTheBridgeShowsItsSettings(t *testing.T) {
	t.Parallel()
	checkPage(t, "octobridge/README.md", func(text string) string { return section(t, text, "settings", settingsTable(t, "octobridge")) })
}

func TestTheArchitectureShowsEveryPackage(t *testing.T) {
	t.Parallel()
	checkPage(t, "docs/architecture.md", func(text string) string { return section(t, text, "packages", packagesTable(t)) })
}

func TestEveryAlertStandsInTheManualAndAsksForMetricsThatAreThere(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	check(t, err)
	text, err := os.ReadFile(filepath.Join(root, "examples", "prometheus", "marketplace.rules.yml"))
	check(t, err)
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	check(t, yaml.UnmarshalWithOptions(text, &file, yaml.Strict()))
	var alerts, reported []string
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			alerts = append(alerts, rule.Alert)
			if rule.Expr == "" || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" {
				t.Errorf("%s: want an expression, a severity and a summary, got %+v", rule.Alert, rule)
			}
			if runbook := "docs/operations.md#" + strings.ToLower(rule.Alert); rule.Annotations["runbook_url"] != runbook {
				t.Errorf("%s: Expected the runbook_url %s, received %s", rule.Alert, runbook, rule.Annotations["runbook_url"])
			}
			for _, metric := range regexp.MustCompile(`marketplace_[a-z_]+`).FindAllString(rule.Expr, -1) {
				if !strings.Contains(string(manual), "| `"+metric+"` |") {
					t.Errorf("%s: no such metric as %s", rule.Alert, metric)
				}
			}
		}
	}
	_, runbooks, _ := strings.Cut(string(manual), "\n## Alerts\n")
	runbooks, _, _ = strings.Cut(runbooks, "\n## ")
	for _, section := range regexp.MustCompile("(?m)^### ([A-Z][A-Za-z]+)\n\n\\S").FindAllStringSubmatch(runbooks, -1) {
		reported = append(reported, section[1])
	}
	if !slices.Equal(alerts, reported) || len(reported) == 0 {
		t.Errorf("want in docs/operations.md\n%v\ngot\n%v", alerts, reported)
	}
}
