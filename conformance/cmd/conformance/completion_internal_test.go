package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/schemas/partnerapi"
)

// completed returns what the shell is offered for the last argument.
func completed(t *testing.T, args ...string) []string {
	t.Helper()
	var out, complaint bytes.Buffer
	if code := execute(t.Context(), append([]string{"__complete"}, args...), nil, nil, &out, &complaint); code != 0 {
		t.Fatalf("%v: want exit 0, got %d: %s", args, code, complaint.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return lines[:len(lines)-1] // the last instructs the shell what to do with them
}

func TestAShellCompletesTheNamesOfRulesProfilesDefectsAndVariants(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(config, []byte("profiles: {staging: {strict: true}, production: {}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
		not  string
	}{
		{[]string{"explain", "reserve.v"}, "reserve.vacancies.one", ""},
		{[]string{"explain", "reserve.status", ""}, "", "reserve.vacancies.one"},
		{[]string{"run", "--rule", ""}, "reserve.vacancies.one", ""},
		{[]string{"run", "--rule", "reserve.status,"}, "reserve.status,reserve.vacancies.one", "reserve.status,reserve.status"},
		{[]string{"run", "--config", config, "--profile", ""}, "staging", ""},
		{[]string{"run", "--auth-type", ""}, "api_key", ""},
		{[]string{"selftest", "--defect", "hold-without-code,"}, "hold-without-code,hold-takes-no-seats", ""},
		{[]string{"selftest", "--variant", ""}, "gzip", ""},
	} {
		offered := completed(t, c.args...)
		if c.want != "" && !slices.Contains(offered, c.want) || c.not != "" && slices.Contains(offered, c.not) {
			t.Errorf("%v: want %q offered and not %q, got %v", c.args, c.want, c.not, offered)
		}
	}
}

func TestTheSelftestOfADefectThatIsSwitchedOffExits1AndSaysThatItSurvived(t *testing.T) {
	t.Parallel()
	plan := selftest.Plan{
		Cases: []selftest.Case{{Kind: selftest.Defect, Name: "switched-off", Rule: rule.ReserveCode.ID}},
		Rules: []rule.Rule{rule.ReserveCode},
	}
	var out bytes.Buffer
	command := &cobra.Command{}
	command.SetContext(t.Context())
	command.SetOut(&out)
	err := selftestFlags{parallel: 1, reportDir: t.TempDir()}.selftest(command, plan, selftest.Begin)
	if exit := (cli.Exit{}); !errors.As(err, &exit) || exit.Code != exitNonconformant {
		t.Errorf("want exit 1, got %v", err)
	}
	for _, want := range []string{
		"survived  defect switched-off\n    reserve.code passed, expected failed\n",
		"unproven  MUST reserve.code: none of its defects was killed\n",
		"NOT PROVEN in ", "0 of 1 defects killed",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want it to say %q, got\n%s", want, &out)
		}
	}
}

func TestTheScreenSaysWhichCallsTheMarketplaceWouldAbandon(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	newTerminal(&out, keepText).times([]report.Latency{
		{Endpoint: partnerapi.Products, Calls: 9, MedianMS: 412, P95MS: 1630, WorstMS: 1802, HealthyLimitMS: 15000, DegradedLimitMS: 15000},
		{Endpoint: partnerapi.Reserve, Calls: 22, MedianMS: 1420, P95MS: 4890, WorstMS: 11204, HealthyLimitMS: 5000, DegradedLimitMS: 10000, OverHealthy: 2, OverDegraded: 1},
	})
	const want = `answer times    calls    median       95%     worst     limit
products            9    412 ms    1.63 s     1.8 s      15 s
reserve            22    1.42 s    4.89 s    11.2 s       5 s   the marketplace would abandon 2 while the partner is HEALTHY, 1 while DEGRADED

`
	if out.String() != want {
		t.Errorf("want\n%sgot\n%s", want, &out)
	}
}
