package rule_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
)

func TestEveryClauseOfTheContractHasARuleOrAReason(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, clause := range rule.Coverage() {
		covered[clause.ID] = true
	}
	for id, says := range clauses(t) {
		if !covered[id] {
			t.Errorf("%s: want a rule about it, or in coverage.go the reason why none can judge it from outside: %q", id, says)
		}
	}
}

func TestNoClauseHasBothARuleAndAReason(t *testing.T) {
	t.Parallel()
	for _, clause := range rule.Coverage() {
		if len(clause.Rules) > 0 && clause.Reason != "" {
			t.Errorf("%s: want no reason in coverage.go where there are rules, got %q beside %v", clause.ID, clause.Reason, clause.Rules)
		}
	}
}

func TestCoverageIsAboutTheClausesOfTheContractInItsOrder(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]+-\d+) \|`).FindAllStringSubmatch(string(text), -1) {
		want = append(want, row[1])
	}
	for _, clause := range rule.Coverage() {
		got = append(got, clause.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("want the clauses of the contract\n%v\ngot\n%v", want, got)
	}
}
