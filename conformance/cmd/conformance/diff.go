package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
)

func newDiff() *cobra.Command {
	var markdown, asJSON, twin bool
	command := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two reports of a partner",
		Long: `Compares the report.json of two runs: which rules fail now, still fail, are fixed,
are new or gone, or changed their outcome, level, clause or title; and which endpoints
became slower by more than a tenth of their limit.

With --twin, OLD is the report of a partner, and NEW that of its twin, which
'mockpartner learn' wrote.

Exit codes:
  0  every MUST rule that fails now failed before
  1  a MUST rule fails that did not fail before, or a new rule fails; with --twin,
     also if the twin lacks a breach of its partner, except in answer times
  2  the command line was wrong, or a file is not the report of a run`,
		Example: `  conformance diff main/report.json conformance-report/report.json
  conformance diff old.json new.json --markdown
  conformance diff partner.json twin.json --twin`,
		Args: cli.Exactly(2, "diff: expected the report.json of an old and a new run, received %d"),
		RunE: func(command *cobra.Command, args []string) error {
			if markdown && asJSON {
				return errors.New("--markdown and --json cannot be combined")
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
				newTerminal(out, keepText).compared(compared)
			}
			if missing := compared.MissingBreaches(); err == nil && twin && len(missing) > 0 {
				return cli.Exit{Code: exitNonconformant, Err: fmt.Errorf("the twin lacks %s of the partner: %s", plural.Count(len(missing), "breach", "breaches"), strings.Join(missing, ", "))}
			}
			if err == nil && compared.HasRegressed() {
				return cli.Exit{Code: exitNonconformant}
			}
			return err
		},
		ValidArgsFunction: files("json"),
	}
	f := command.Flags()
	f.BoolVar(&markdown, "markdown", false, "write a comment for a pull request")
	f.BoolVar(&asJSON, "json", false, "print the comparison as JSON")
	f.BoolVar(&twin, "twin", false, "the reports are of a partner and of its twin: the twin must have every breach of the partner")
	return command
}

func (t *terminal) compared(c report.Comparison) {
	sections := view.Sections(c)
	for i := len(sections) - 1; i >= 0; i-- {
		t.printf("%s\n", sections[i].Title)
		for _, change := range sections[i].Changes {
			t.change(change)
		}
		t.printf("\n")
	}
	for _, slower := range c.Slower {
		t.printf("slower: %s\n", safetext.Line(string(slower.Endpoint)+" "+view.SlowerWords(slower)))
	}
	for _, remark := range c.Remarks {
		t.printf("note: %s\n", safetext.Line(remark))
	}
	outcome := report.Passed
	if c.HasRegressed() {
		outcome = report.Failed
	}
	t.printf("%s\n", t.paint(outcome, view.CompareWords(c)))
}

func (t *terminal) change(c report.Change) {
	t.printf("  %-6s %s: %s\n", safetext.Line(string(c.Level)), safetext.Line(c.ID), t.paint(c.Is, safetext.Line(view.ChangeWords(c))))
	for _, note := range c.Notes {
		t.printf("         %s\n", safetext.Line(note))
	}
	if c.Message != "" && c.Is != report.Passed {
		t.printf("         %s\n", safetext.Line(c.Message))
	}
}
