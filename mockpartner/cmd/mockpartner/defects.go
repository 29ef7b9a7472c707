package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"partnerkit.dev/mockpartner/internal/defects"
)

func newDefects() *cobra.Command {
	return newListing(&cobra.Command{
		Use:   "defects [NAME...]",
		Short: "List breaches of the contract that a mock can have",
		Long: `defects lists partners that break the contract on purpose, each in one way: its
name, the rule of the conformance suite that it breaks, the real mistake that it
stands for, and what it looks like from outside.`,
		Example: `  mockpartner defects
  mockpartner defects release-gives-nothing-back
  mockpartner serve --auth-key a-test-key --defect release-gives-nothing-back`,
	}, defects.Defects, defects.FindDefect, func(d defects.Defect) []string {
		return []string{d.Name, "breaks  " + d.Rule, "mistake " + d.Mistake, "looks   " + d.Looks}
	})
}

func newVariants() *cobra.Command {
	return newListing(&cobra.Command{
		Use:   "variants [NAME...]",
		Short: "List lawful partners, unlike most, that a mock can be",
		Long: `variants lists partners that keep the contract in a way that few do: its name, the
clause that allows it, and what it looks like from outside. Who integrates with
partners has to get along with all of them.`,
		Example: `  mockpartner variants
  mockpartner serve --auth-key a-test-key --variant awkward-codes,holds-of-15-minutes`,
	}, defects.Variants, defects.FindVariant, func(v defects.Variant) []string {
		return []string{v.Name, "lawful by " + v.Clause, "looks     " + v.Looks}
	})
}

// newListing completes a command that lists the things of its arguments, all where it has
// none: as JSON, or each as a line with others below it.
func newListing[T any](command *cobra.Command, all func() []T, find func(string) (T, error), lines func(T) []string) *cobra.Command {
	asJSON := command.Flags().Bool("json", false, "as JSON")
	command.RunE = func(c *cobra.Command, names []string) error {
		var chosen []T
		for _, name := range names {
			one, err := find(name)
			if err != nil {
				return err
			}
			chosen = append(chosen, one)
		}
		if len(names) == 0 {
			chosen = all()
		}
		if *asJSON {
			encoder := json.NewEncoder(c.OutOrStdout())
			encoder.SetIndent("", "  ")
			encoder.SetEscapeHTML(false)
			return encoder.Encode(chosen)
		}
		for _, one := range chosen {
			fmt.Fprintln(c.OutOrStdout(), strings.Join(lines(one), "\n    "))
		}
		return nil
	}
	return command
}
