package selftest_test

import (
	"errors"
	"testing"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

func TestThePlansAreEveryPartnerOneDefectARuleOrThoseThatAreNamed(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, d := range mockpartner.Defects() {
		broken[d.Rule] = true
	}
	rules := len(broken)
	if plan, want := selftest.WholePlan(), 2+len(mockpartner.Variants())+len(mockpartner.Defects()); len(plan.Cases) != want || len(plan.Rules) != len(rule.All()) {
		t.Errorf("want %d partners and every rule, got %d and %d", want, len(plan.Cases), len(plan.Rules))
	}
	all := len(mockpartner.Defects()) + len(mockpartner.Variants())
	if plan, want := selftest.FastPlan(10), 1+rules+(all-rules)/10; len(plan.Cases) != want {
		t.Errorf("want one defect of each rule and a tenth of the others, %d partners, got %d", want, len(plan.Cases))
	}
	fast := selftest.FastPlan(0)
	for _, c := range fast.Cases {
		delete(broken, c.Rule)
	}
	if len(broken) > 0 || len(fast.Cases) != 1+rules || len(fast.Rules) != len(rule.All()) {
		t.Errorf("want one defect of each rule, got %d partners, and none for %v", len(fast.Cases), broken)
	}
	named, err := selftest.SelectedPlan([]string{"hold-without-code", "cancel-late"}, []string{"gzip"})
	if err != nil || len(named.Cases) != 3 || len(named.Rules) != 2 {
		t.Errorf("want 3 partners and 2 rules, got %+v, %v", named, err)
	}
	if _, err := selftest.SelectedPlan([]string{"gzip"}, nil); !errors.Is(err, mockpartner.ErrNoDefect) {
		t.Errorf("want %v, got %v", mockpartner.ErrNoDefect, err)
	}
	if _, err := selftest.SelectedPlan(nil, []string{"cancel-late"}); !errors.Is(err, mockpartner.ErrNoVariant) {
		t.Errorf("want %v, got %v", mockpartner.ErrNoVariant, err)
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
