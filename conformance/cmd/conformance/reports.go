package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/cli"
)

func newDiff() *cobra.Command {
	var markdown, asJSON bool
	command := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Tell what became of a partner from one report to another",
		Long: `Compares the report.json of two runs: which rules broke, are still broken, are
fixed, are new or gone, or have another outcome, level, clause or title; and which
endpoints answer notably later, by more than a tenth of their limit.

Exit codes:
  0  no MUST rule fails that did not fail before
  1  one does, or a new rule fails
  2  the command was not understood, or a file is not the report of a run`,
		Example: `  conformance diff main/report.json conformance-report/report.json
  conformance diff old.json new.json --markdown`,
		Args: cli.Exactly(2, "diff takes the report.json of two runs, the old and the new, and got %d"),
		RunE: func(command *cobra.Command, args []string) error {
			if markdown && asJSON {
				return errors.New("--markdown and --json are two forms: choose one")
			}
			old, err := report.Read(args[0])
			if err != nil {
				return err
			}
			new, err := report.Read(args[1])
			if err != nil {
				return err
			}
			compared := report.Compare(old, new)
			out := command.OutOrStdout()
			switch {
			case asJSON:
				err = writeJSON(out, compared)
			case markdown:
				_, err = out.Write(view.CompareMarkdown(compared))
			default:
				newScreen(out, asItIs, nil, "").compared(compared)
			}
			if err == nil && compared.Regressed() {
				return cli.Exit{Code: exitNonconformant}
			}
			return err
		},
		ValidArgsFunction: files("json"),
	}
	f := command.Flags()
	f.BoolVar(&markdown, "markdown", false, "write a comment for a pull request")
	f.BoolVar(&asJSON, "json", false, "print the comparison as JSON")
	return command
}

func (s *screen) compared(c report.Comparison) {
	sections := view.Sections(c)
	for i := len(sections) - 1; i >= 0; i-- {
		s.printf("%s\n", sections[i].Title)
		for _, change := range sections[i].Changes {
			s.change(change)
		}
		s.printf("\n")
	}
	for _, slower := range c.Slower {
		s.printf("slower: %s\n", oneLine(string(slower.Endpoint)+" "+view.SlowerWords(slower)))
	}
	for _, remark := range c.Remarks {
		s.printf("note: %s\n", oneLine(remark))
	}
	outcome := report.Passed
	if c.Regressed() {
		outcome = report.Failed
	}
	s.printf("%s\n", s.paint(outcome, view.CompareWords(c)))
}

func (s *screen) change(c report.Change) {
	s.printf("  %-6s %s: %s\n", oneLine(string(c.Level)), oneLine(c.ID), s.paint(c.Is, oneLine(view.ChangeWords(c))))
	for _, note := range c.Notes {
		s.printf("         %s\n", oneLine(note))
	}
	if c.Message != "" && c.Is != report.Passed {
		s.printf("         %s\n", oneLine(c.Message))
	}
}

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
