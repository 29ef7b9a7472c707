package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"partnerkit.dev/mockpartner/internal/defects"
)

func newDefects() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "defects [NAME...]",
		Short: "List breaches of the contract that a mock can have",
		Long: `defects lists partners that break the contract on purpose, each in one way: its
name, the rule of the conformance suite that it breaks, the real mistake that it
stands for, and what it looks like from outside.`,
		Example: `  mockpartner defects
  mockpartner defects release-gives-nothing-back
  mockpartner serve --auth-key a-test-key --defect release-gives-nothing-back`,
		RunE: func(c *cobra.Command, names []string) error {
			chosen, err := choose(names, defects.Defects(), defects.FindDefect)
			if err != nil {
				return err
			}
			return list(c.OutOrStdout(), chosen, asJSON, func(d defects.Defect) []string {
				return []string{d.Name, "breaks  " + d.Rule, "mistake " + d.Mistake, "looks   " + d.Looks}
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return command
}

func newVariants() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "variants [NAME...]",
		Short: "List lawful partners, unlike most, that a mock can be",
		Long: `variants lists partners that keep the contract in a way that few do: its name, the
clause that allows it, and what it looks like from outside. Who integrates with
partners has to get along with all of them.`,
		Example: `  mockpartner variants
  mockpartner serve --auth-key a-test-key --variant awkward-codes,holds-of-15-minutes`,
		RunE: func(c *cobra.Command, names []string) error {
			chosen, err := choose(names, defects.Variants(), defects.FindVariant)
			if err != nil {
				return err
			}
			return list(c.OutOrStdout(), chosen, asJSON, func(v defects.Variant) []string {
				return []string{v.Name, "lawful by " + v.Clause, "looks     " + v.Looks}
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return command
}

// choose returns those of the names, and all where there are none.
func choose[T any](names []string, all []T, find func(string) (T, error)) (chosen []T, err error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		one, err := find(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, one)
	}
	return chosen, nil
}

// list prints things as JSON, or each as a line with others below it.
func list[T any](out io.Writer, things []T, asJSON bool, lines func(T) []string) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(things)
	}
	for _, thing := range things {
		for i, line := range lines(thing) {
			if i > 0 {
				line = "    " + line
			}
			fmt.Fprintln(out, line)
		}
	}
	return nil
}
