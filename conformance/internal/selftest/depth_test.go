package selftest_test

import (
	"testing"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

func TestEveryDeepDefectNamesARule(t *testing.T) {
	t.Parallel()
	for _, d := range mockpartner.DeepDefects() {
		if _, err := rule.Find(d.Rule); err != nil {
			t.Errorf("deep defect %s: there is no rule %s", d.Name, d.Rule)
		}
	}
}

func TestDeepDefectsAreChosenByWhatTheyDifferIn(t *testing.T) {
	t.Parallel()
	whole, err := selftest.InDepth()
	if err != nil || len(whole.Cases) != len(mockpartner.DeepDefects()) {
		t.Errorf("want all of them, got %d and %v", len(whole.Cases), err)
	}
	some, err := selftest.InDepth("race", "party")
	if err != nil || len(some.Cases) == 0 || len(some.Cases) >= len(whole.Cases) {
		t.Errorf("want some of them, got %d and %v", len(some.Cases), err)
	}
	for _, c := range some.Cases {
		if c.Kind != selftest.Deep || c.Dimension != "race" && c.Dimension != "party" {
			t.Errorf("want deep defects by race and party, got %s %s by %s", c.Kind, c.Name, c.Dimension)
		}
	}
	if _, err := selftest.InDepth("weather"); err == nil {
		t.Error("want an error that names the dimension")
	}
}

func TestTheLawfulPlanHasEveryVariantAndItsCustomers(t *testing.T) {
	t.Parallel()
	plan := selftest.LawfulOnly().WithCustomers(7)
	if len(plan.Cases) < 60 {
		t.Errorf("want at least 60 lawful partners, got %d", len(plan.Cases))
	}
	for _, c := range plan.Cases {
		if c.Kind == selftest.Defect || c.Kind == selftest.Deep || c.Customers != 7 {
			t.Errorf("want lawful partners with 7 customers, got %+v", c)
		}
	}
}

func TestADeepDefectIsCountedByItsDimension(t *testing.T) {
	t.Parallel()
	matrix, _ := try(t, selftest.Case{
		Kind: selftest.Deep, Name: "tried", Dimension: "product", Rule: "reserve.code", Options: mockpartner.Options{Defects: []string{"hold-without-code"}},
		Flags: []string{"--max-holds", "30"},
	})
	if len(matrix.Deep) != 1 || len(matrix.Depth) != 1 || matrix.Depth[0] != (selftest.Depth{Dimension: "product", Defects: 1, Killed: 1}) {
		t.Errorf("want one killed by product, got %+v and %+v", matrix.Deep, matrix.Depth)
	}
}
