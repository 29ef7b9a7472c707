package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/cli"
)

// exitChanged is the exit code of a report that is not as the run wrote it.
const exitChanged = 1

func newVerify() *cobra.Command {
	var sum string
	command := &cobra.Command{
		Use:   "verify REPORT",
		Short: "Tell whether a report is as the run wrote it",
		Long: `Recomputes the SHA-256 of a report.json, which is over all that stands in it, and
tells whether it is the one that the report names.

Whoever changes a report can compute its SHA-256 again as well. So give the one
that the run printed, as you know it from the log of the run or from whoever ran
it: then not a letter can have changed. It proves that the report is whole, and
nothing about who wrote it.

Exit codes:
  0  unchanged
  1  changed, or another report than the one of --sha256
  2  not a report.json, or one that cannot be read`,
		Example: "  conformance verify conformance-report/report.json\n  conformance verify report.json --sha256 5f0c...",
		Args:    cli.Exactly(1, "verify takes the path of one report, and got %d; 'conformance verify --help' shows examples"),
		RunE: func(command *cobra.Command, args []string) error {
			if raw, err := hex.DecodeString(sum); err != nil || sum != "" && len(raw) != 32 {
				return errors.New("--sha256 is none: want the 64 hexadecimal digits that the run printed")
			}
			return verify(command, args[0], strings.ToLower(sum))
		},
	}
	command.Flags().StringVar(&sum, "sha256", "", "the `digits` that the run printed: the report must be that one")
	return command
}

func verify(command *cobra.Command, path, sum string) error {
	v, err := report.Verify(path)
	if err != nil {
		return err
	}
	say := func(format string, args ...any) {
		fmt.Fprintln(command.OutOrStdout(), oneLine(fmt.Sprintf(format, args...)))
	}
	verdict := "unchanged"
	if v.Changed() {
		verdict = "changed"
	}
	say("%s: %s", verdict, path)
	if sum != "" && sum != v.SHA256 {
		verdict = "another"
		say("  another report than that of --sha256")
	}
	say("SHA-256   %s", v.SHA256)
	say("says      %s of %s, %s", v.Result.Verdict, v.Result.Target.BaseURL, v.Result.StartedAt.UTC().Format(time.RFC3339))
	say("versions  suite %s, contract %s", v.Result.SuiteVersion, v.Result.ContractVersion)
	if sum == "" {
		say("Compare the SHA-256 with the one that the run printed: it tells that the report is whole, not who wrote it.")
	}
	if verdict != "unchanged" {
		return cli.Exit{Code: exitChanged}
	}
	return nil
}
