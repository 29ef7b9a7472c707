package examples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/internal/tooltest"
)

// promtool runs Prometheus' own tool.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	tooltest.Require(t, tooltest.Promtool)
	if output, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

func TestTheAlertsFireWhenTheyShouldAndOnlyThen(t *testing.T) {
	t.Parallel()
	promtool(t, "test", "rules", "prometheus/marketplace.test.yml")
}

func TestEveryAlertIsTestedToFireAndToBeSilent(t *testing.T) {
	t.Parallel()
	var written struct {
		Tests []struct {
			AlertRuleTest []struct {
				Alertname string
				ExpAlerts []any `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	check(t, yaml.Unmarshal([]byte(file(t, "prometheus/marketplace.test.yml")), &written))
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range written.Tests {
		for _, one := range test.AlertRuleTest {
			fires[one.Alertname] = fires[one.Alertname] || len(one.ExpAlerts) > 0
			silent[one.Alertname] = silent[one.Alertname] || len(one.ExpAlerts) == 0
		}
	}
	for _, alert := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(file(t, "prometheus/marketplace.rules.yml"), -1) {
		if !fires[alert[1]] || !silent[alert[1]] {
			t.Errorf("%s: Expected a test in which it fires and one in which it does not", alert[1])
		}
	}
}

// dashboard contains the checked parts of a Grafana dashboard.
type dashboard struct {
	UID, Title string
	Templating struct {
		List []struct {
			Name  string
			Query any
		}
	}
	Panels []struct {
		ID                 int
		Title, Description string
		Targets            []struct{ Expr string }
	}
}

func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	paths, err := filepath.Glob("grafana/*.json")
	if err != nil || len(paths) < 3 {
		t.Fatalf("Expected three dashboards, received %q and %v", paths, err)
	}
	all := map[string]dashboard{}
	for _, path := range paths {
		var d dashboard
		if err := json.NewDecoder(bytes.NewBufferString(file(t, path))).Decode(&d); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all[path] = d
	}
	return all
}

// labelsOf returns the labels of each metric, from the table that another test compares with
// /metrics.
func labelsOf(t *testing.T) map[string][]string {
	t.Helper()
	metrics := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(marketplace_[a-z_]+)` \\| (.*?) ?\\|").FindAllStringSubmatch(sourcetest.Read(t, "docs/operations.md"), -1) {
		for _, label := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[2], -1) {
			metrics[row[1]] = append(metrics[row[1]], label[1])
		}
		metrics[row[1]] = append(metrics[row[1]], "instance", "job") // added by Prometheus
	}
	return metrics
}

var (
	metric    = regexp.MustCompile(`\bmarketplace_[a-z_]+`)
	histogram = regexp.MustCompile(`_(bucket|sum|count)$`)
	grouping  = regexp.MustCompile(`\b(?:by|on) \(([a-z, ]+)\)`)
	matcher   = regexp.MustCompile(`[{,]([a-z]+)(?:=~|!=|!~|=)"`)
)

func TestEveryPanelAsksForMetricsAndLabelsThatAreThere(t *testing.T) {
	t.Parallel()
	known := labelsOf(t)
	for path, d := range dashboards(t) {
		ids := map[int]bool{}
		for _, p := range d.Panels {
			if ids[p.ID] || p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
				t.Errorf("%s: panel %d: Expected an id of its own, a title, a description and an expression", path, p.ID)
			}
			ids[p.ID] = true
			for _, target := range p.Targets {
				labels := map[string]bool{}
				names := metric.FindAllString(target.Expr, -1)
				if len(names) == 0 {
					t.Errorf("%s: %s: Expected a metric in %s", path, p.Title, target.Expr)
				}
				for _, name := range names {
					of, found := known[name]
					if base := histogram.ReplaceAllString(name, ""); !found && base != name {
						of, found = append(known[base], "le"), known[base] != nil
					}
					if !found {
						t.Errorf("%s: %s: no such metric as %s", path, p.Title, name)
					}
					for _, label := range of {
						labels[label] = true
					}
				}
				for _, label := range usedLabels(target.Expr) {
					if !labels[label] {
						t.Errorf("%s: %s: no metric of %s has the label %s", path, p.Title, target.Expr, label)
					}
				}
			}
		}
	}
}

// usedLabels returns the labels in an expression.
func usedLabels(expression string) []string {
	all := map[string]bool{}
	for _, group := range grouping.FindAllStringSubmatch(expression, -1) {
		for label := range strings.SplitSeq(group[1], ",") {
			all[strings.TrimSpace(label)] = true
		}
	}
	for _, one := range matcher.FindAllStringSubmatch(expression, -1) {
		all[one[1]] = true
	}
	return slices.Collect(maps.Keys(all))
}

func TestEveryExpressionOfADashboardIsPrometheus(t *testing.T) {
	t.Parallel()
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboards\n  rules:\n")
	for path, d := range dashboards(t) {
		filled := []string{"$__rate_interval", "5m"}
		for _, variable := range d.Templating.List {
			filled = append(filled, "$"+variable.Name, "x")
		}
		for _, p := range d.Panels {
			for i, target := range p.Targets {
				expression := strings.NewReplacer(filled...).Replace(target.Expr)
				if strings.Contains(expression, "$") {
					t.Errorf("%s: %s: Expected only variables of the dashboard, received %s", path, p.Title, target.Expr)
				}
				name := strings.TrimSuffix(filepath.Base(path), ".json")
				fmt.Fprintf(&rules, "  - record: %s:panel_%d:%d\n    expr: %q\n", name, p.ID, i, expression)
			}
		}
	}
	written := filepath.Join(t.TempDir(), "dashboards.yml")
	check(t, os.WriteFile(written, []byte(rules.String()), 0o600))
	promtool(t, "check", "rules", written)
}
