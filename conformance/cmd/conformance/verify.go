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
		Long: `Reckons the SHA-256 of a report.json or a report.html anew, over its verdict, its
evidence, and the versions of suite and contract, and names what differs. Of a
report.html it also tells whether the page shows what its evidence says.

Whoever changes a report can reckon its SHA-256 anew as well. So give the one
that the run printed, as you know it from the log of the run or from whoever ran
it: then not a letter can have changed. It proves that the report is whole, and
nothing about who wrote it.

Exit codes:
  0  unchanged
  1  changed, or another report than the one of --sha256
  2  not a report, or one that cannot be read`,
		Example: "  conformance verify conformance-report/report.json\n  conformance verify report.html --sha256 5f0c...",
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
	text, err := report.Load(path)
	if err != nil {
		return err
	}
	v, err := report.Verify(text, cli.Version())
	switch {
	case errors.Is(err, report.ErrNoReport):
		return fmt.Errorf("%s %w", path, err)
	case err != nil:
		return fmt.Errorf("the page %s %w", path, err)
	}
	say := func(format string, args ...any) {
		fmt.Fprintln(command.OutOrStdout(), oneLine(fmt.Sprintf(format, args...)))
	}
	verdict := "unchanged"
	if len(v.Changed) > 0 {
		verdict = "changed"
	}
	say("%s: %s", verdict, path)
	for _, part := range v.Changed {
		say("  differs: %s", part)
	}
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
