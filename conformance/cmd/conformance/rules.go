package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/rule"
)

func newRules() *cobra.Command {
	return &cobra.Command{
		Use:     "rules",
		Short:   "List the rules that a run judges",
		Example: "  conformance rules\n  conformance rules | grep MUST",
		Args:    noArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(command.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, r := range rule.All() {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.ID, r.Level, r.Clause, r.Title)
			}
			return table.Flush()
		},
	}
}

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:     "explain RULE",
		Short:   "Explain a rule: what must hold, why, and how to mend it",
		Example: "  conformance explain reserve.vacancies.one",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("explain takes the id of one rule, and got %d; 'conformance rules' lists all", len(args))
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			r, ok := rule.Lookup(args[0])
			if !ok {
				return fmt.Errorf("there is no rule %q; 'conformance rules' lists all", args[0])
			}
			fmt.Fprintf(command.OutOrStdout(), "%s\n\n%s.\n\nlevel     %s\nendpoint  %s\nclause    %s\nwhy       %s\nfix       %s\n",
				r.ID, r.Title, r.Level, r.Endpoint, r.Clause, r.Why, r.Fix)
			if len(r.Needs) > 0 {
				fmt.Fprintf(command.OutOrStdout(), "needs     %s\n", strings.Join(r.Needs, ", "))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range rule.All() {
				ids = append(ids, r.ID)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
