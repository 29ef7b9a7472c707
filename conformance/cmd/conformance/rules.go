package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/example"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/suggest"
)

func newRules() *cobra.Command {
	var coverage, markdown bool
	command := &cobra.Command{
		Use:   "rules",
		Short: "List the rules that a run judges",
		Long: `Lists the rules that a run judges: id, level, clause of the contract and title.

With --markdown it writes the whole catalogue as a page, by endpoint: why each rule
exists, how to fix a failure, and which rules it needs.

With --coverage it lists the clauses of the contract, each with its rules, or with the
reason why no rule can judge it from outside.`,
		Example: "  conformance rules\n  conformance rules | grep MUST\n  conformance rules --markdown > rules.md\n  conformance rules --coverage",
		Args:    cli.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(command.OutOrStdout(), 0, 0, 2, ' ', 0)
			switch {
			case coverage && markdown:
				return errors.New("--coverage and --markdown cannot be combined")
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
	command.Flags().BoolVar(&coverage, "coverage", false, "list the clauses of the contract and their rules")
	command.Flags().BoolVar(&markdown, "markdown", false, "write the catalogue as Markdown")
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
		Use:   "explain RULE|CLAUSE",
		Short: "Explain a rule, or the rules of a clause, with examples",
		Long: `Explains a rule: what must hold, why, how to fix a failure, and an example of a
right and a wrong answer. With the id of a clause, such as RSV-3, it explains every rule
about that clause.`,
		Example: "  conformance explain reserve.vacancies.one\n  conformance explain RSV-3",
		Args:    cli.Exactly(1, "Expected the id of one rule or clause, received %d; 'conformance rules' lists all"),
		RunE: func(command *cobra.Command, args []string) error {
			rules, err := rulesNamed(args[0])
			if err != nil {
				return fmt.Errorf("%w; 'conformance rules' lists all", err)
			}
			for i, r := range rules {
				if i > 0 {
					fmt.Fprintln(command.OutOrStdout())
				}
				explain(command.OutOrStdout(), r)
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(ruleIDs(), clauseIDs()...), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func explain(out io.Writer, r rule.Rule) {
	fmt.Fprintf(out, "%s\n\n%s.\n\nlevel     %s\nendpoint  %s\nclause    %s\nwhy       %s\nfix       %s\n",
		r.ID, r.Title, r.Level, r.Endpoint, r.Clause, r.Why, r.Fix)
	if len(r.Needs) > 0 {
		fmt.Fprintf(out, "needs     %s\n", strings.Join(r.Needs, ", "))
	}
	if shown, ok := example.Find(r); ok {
		showSteps(out, "right", shown.Right)
		showSteps(out, "wrong", shown.Wrong)
	}
}

func showSteps(out io.Writer, name string, steps []example.Step) {
	for _, step := range steps {
		for _, line := range strings.Split(step.String(), "\n") {
			fmt.Fprintf(out, "%-8s  %s\n", name, line)
			name = ""
		}
	}
}

// rulesNamed returns the rule with an id, or the rules about the clause with it, in upper or lower
// case. Its error names similar ids.
func rulesNamed(name string) ([]rule.Rule, error) {
	if r, err := rule.Find(strings.ToLower(name)); err == nil {
		return []rule.Rule{r}, nil
	}
	var clauses []string
	for _, clause := range rule.Coverage() {
		switch {
		case !strings.EqualFold(clause.ID, name):
			clauses = append(clauses, clause.ID)
		case clause.Reason != "":
			return nil, fmt.Errorf("no rule judges %s: %s", clause.ID, clause.Reason)
		default:
			return slices.DeleteFunc(rule.All(), func(r rule.Rule) bool { return r.Clause != clause.ID }), nil
		}
	}
	return nil, fmt.Errorf("there is no rule or clause %.100q%s", name, suggest.Hint(name, append(clauses, ruleIDs()...)))
}

func clauseIDs() (ids []string) {
	for _, clause := range rule.Coverage() {
		if clause.Reason == "" {
			ids = append(ids, clause.ID)
		}
	}
	return ids
}

func ruleIDs() (ids []string) {
	for _, r := range rule.All() {
		ids = append(ids, r.ID)
	}
	return ids
}
