package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/internal/cli"
)

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
	err := selftestFlags{parallel: 1, reportDir: t.TempDir()}.selftest(command, plan, "testdata/blind-suite")
	if exit := (cli.Exit{}); !errors.As(err, &exit) || exit.Code != exitNonconformant {
		t.Errorf("want exit 1, got %v", err)
	}
	for _, want := range []string{
		"survived  defect switched-off\n    reserve.code passed, want it failed\n",
		"unproven  MUST reserve.code: no defect that breaks it was killed\n",
		"NOT PROVEN in ", "0 of 1 defects killed",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want it to say %q, got\n%s", want, &out)
		}
	}
}
