package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/script"
)

func newScenario() *cobra.Command {
	scenario := &cobra.Command{Use: "scenario", Short: "Check scenario files, and print their schema"}
	scenario.AddCommand(&cobra.Command{
		Use:     "check FILE...",
		Short:   "Report every mistake in scenario files, with line and column",
		Example: "  mockpartner scenario check my-scenario.yaml",
		RunE: func(c *cobra.Command, files []string) error {
			if len(files) == 0 {
				return errors.New("expected one FILE or more, received none")
			}
			var wrong []error
			for _, file := range files {
				s, err := script.Load(file)
				if err != nil {
					wrong = append(wrong, err)
					continue
				}
				fmt.Fprintln(c.OutOrStdout(), safetext.Line(file+": "+describe(s)))
			}
			return errors.Join(wrong...)
		},
	}, &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files",
		Long: `schema prints the JSON Schema of scenario files. Editors that know it complete and
check what is written: a first line "# yaml-language-server: $schema=FILE" works
in many of them.`,
		Example: "  mockpartner scenario schema > scenario.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(script.Schema())
			return err
		},
	})
	return scenario
}

func describe(s *script.Scenario) string {
	ok := "ok, " + plural.Count(len(s.Faults), "fault")
	if len(s.Quirks) > 0 {
		ok += ", " + plural.Count(len(s.Quirks), "quirk")
	}
	return ok
}

// follow plays new versions of a scenario file, overridden by flags, until the context ends. For an
// invalid version it logs the location of the problem, and the previous scenario stays.
func follow(ctx context.Context, file script.File, mock *mockpartner.Mock, log io.Writer, override func(*script.Scenario) error) {
	script.Watch(ctx, file, script.WatchEvery, func(s *script.Scenario, err error) {
		if err == nil {
			err = override(s)
		}
		if err == nil {
			err = mock.Play(&mockpartner.Scenario{Scenario: s})
		}
		if err != nil {
			fmt.Fprintf(log, "mockpartner: the scenario was not changed: %v\n", err)
			return
		}
		fmt.Fprintf(log, "mockpartner: %s: reloaded: %s\n", file.Path, describe(s))
	})
}

func newDefects() *cobra.Command {
	return newListing(&cobra.Command{
		Use:   "defects [NAME...]",
		Short: "List defects: ways in which a mock can break the contract",
		Long: `defects lists partners that each break the contract in one way. It prints the name,
the rule of the conformance suite that is broken, the real mistake behind it, and what
callers see.`,
		Example: `  mockpartner defects
  mockpartner defects release-gives-nothing-back
  mockpartner serve --auth-key a-test-key --defect release-gives-nothing-back`,
	}, defects.Defects, func(d defects.Partner) []string {
		return []string{d.Name, "breaks  " + d.Rule, "mistake " + d.Mistake, "looks   " + d.Looks}
	})
}

func newVariants() *cobra.Command {
	return newListing(&cobra.Command{
		Use:   "variants [NAME...]",
		Short: "List variants: unusual partners that keep the contract",
		Long: `variants lists unusual partners that keep the contract. It prints the name, the clause
that allows it, and what callers see. If you integrate with partners, you must support
all of them.`,
		Example: `  mockpartner variants
  mockpartner serve --auth-key a-test-key --variant awkward-codes,holds-of-15-minutes`,
	}, defects.Variants, func(v defects.Partner) []string {
		return []string{v.Name, "lawful by " + v.Clause, "looks     " + v.Looks}
	})
}

// newListing completes a command that lists the partners named by its arguments, or all of the
// kind. It prints JSON, or one line for each with details below.
func newListing(command *cobra.Command, kind defects.Kind, lines func(defects.Partner) []string) *cobra.Command {
	asJSON := command.Flags().Bool("json", false, "as JSON")
	command.RunE = func(c *cobra.Command, names []string) error {
		var chosen []defects.Partner
		for _, name := range names {
			one, err := kind.Find(name)
			if err != nil {
				return err
			}
			chosen = append(chosen, one)
		}
		if len(names) == 0 {
			chosen = kind.All()
		}
		if *asJSON {
			return writeJSON(c.OutOrStdout(), chosen)
		}
		for _, one := range chosen {
			fmt.Fprintln(safetext.Writer{To: c.OutOrStdout()}, strings.Join(lines(one), "\n    "))
		}
		return nil
	}
	return command
}

// writeJSON writes a value as indented JSON.
func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
