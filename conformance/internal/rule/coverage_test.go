package rule_test

import (
	"slices"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
)

func TestEveryClauseOfTheContractHasARuleOrAReasonInTheContractsOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, clause := range rule.Coverage() {
		got = append(got, clause.ID)
		if (len(clause.Rules) > 0) == (clause.Reason != "") {
			t.Errorf("%s: want rules, or in coverage.go the reason why none can judge it from outside, got %v and %q", clause.ID, clause.Rules, clause.Reason)
		}
	}
	if want := clauseIDs(t); !slices.Equal(got, want) {
		t.Errorf("want the clauses of the contract\n%v\ngot\n%v", want, got)
	}
}
