package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/internal/cli"
)

func newRules() *cobra.Command {
	var coverage, markdown bool
	command := &cobra.Command{
		Use:   "rules",
		Short: "List the rules that a run judges",
		Long: `Lists the rules that a run judges: id, level, clause of the contract, and title.

With --markdown it writes the whole catalogue as a page, by endpoint, with why each
rule is there, how to mend what breaks it, and which rules it needs.

With --coverage it lists the clauses of the contract instead, each with the rules
that are about it, or with the reason why none can judge it from outside.`,
		Example: "  conformance rules\n  conformance rules | grep MUST\n  conformance rules --markdown > rules.md\n  conformance rules --coverage",
		Args:    noArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(command.OutOrStdout(), 0, 0, 2, ' ', 0)
			switch {
			case coverage && markdown:
				return errors.New("--coverage and --markdown are two lists: choose one")
			case markdown:
				_, err := command.OutOrStdout().Write(view.Catalogue(rule.All()))
				return err
			case coverage:
				listClauses(table)
			default:
				listRules(table)
			}
			return table.Flush()
		},
	}
	command.Flags().BoolVar(&coverage, "coverage", false, "list the clauses of the contract and what judges each")
	command.Flags().BoolVar(&markdown, "markdown", false, "write the whole catalogue as a page of Markdown")
	return command
}

func listRules(out io.Writer) {
	for _, r := range rule.All() {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", r.ID, r.Level, r.Clause, r.Title)
	}
}

func listClauses(out io.Writer) {
	for _, clause := range rule.Coverage() {
		by := "no rule: " + clause.Reason
		if len(clause.Rules) > 0 {
			by = strings.Join(clause.Rules, ", ")
		}
		fmt.Fprintf(out, "%s\t%s\n", clause.ID, by)
	}
}

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:     "explain RULE",
		Short:   "Explain a rule: what must hold, why, and how to mend it",
		Example: "  conformance explain reserve.vacancies.one",
		Args:    cli.Exactly(1, "explain takes the id of one rule, and got %d; 'conformance rules' lists all"),
		RunE: func(command *cobra.Command, args []string) error {
			r, err := rule.Find(args[0])
			if err != nil {
				return fmt.Errorf("%w; 'conformance rules' lists all", err)
			}
			fmt.Fprintf(command.OutOrStdout(), "%s\n\n%s.\n\nlevel     %s\nendpoint  %s\nclause    %s\nwhy       %s\nfix       %s\n",
				r.ID, r.Title, r.Level, r.Endpoint, r.Clause, r.Why, r.Fix)
			if len(r.Needs) > 0 {
				fmt.Fprintf(command.OutOrStdout(), "needs     %s\n", strings.Join(r.Needs, ", "))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func ruleIDs() (ids []string) {
	for _, r := range rule.All() {
		ids = append(ids, r.ID)
	}
	return ids
}
