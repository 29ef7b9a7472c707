package report

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/rule"
)

// pair returns two equal reports in which every rule passed.
func pair() (old, new *Result) {
	made := func() *Result {
		r := sample()
		r.Verdict = Conformant
		for i := range r.Rules {
			r.Rules[i].Outcome = Passed
		}
		return r
	}
	return made(), made()
}

func idsOf(changes []Change) (ids []string) {
	for _, change := range changes {
		ids = append(ids, change.ID)
	}
	return ids
}

// listsWithRule returns the lists that have a rule.
func listsWithRule(c Comparison, id string) (lists string) {
	for name, list := range map[string][]Change{
		"Broke": c.Broke, "Still broken": c.StillBroken, "Fixed": c.Fixed, "New": c.NewRules, "Gone": c.GoneRules, "Changed": c.Changed,
	} {
		if slices.Contains(idsOf(list), id) {
			lists += name
		}
	}
	return lists
}

func TestARuleIsListedByItsOldAndNewOutcome(t *testing.T) {
	t.Parallel()
	id := rule.ReserveLimit.ID
	for _, c := range []struct {
		was, is   Outcome
		list      string
		regressed bool
	}{
		{Passed, Failed, "Broke", true},
		{Inconclusive, Failed, "Broke", true},
		{Warned, Failed, "Broke", true},
		{Passed, Warned, "Broke", false},
		{Passed, Known, "Broke", false},
		{Failed, Failed, "Still broken", false},
		{Known, Failed, "Still broken", false},
		{Failed, Known, "Still broken", false},
		{Failed, Warned, "Still broken", false},
		{Failed, Passed, "Fixed", false},
		{Known, Passed, "Fixed", false},
		{Failed, Blocked, "Changed", false},
		{Passed, Inconclusive, "Changed", false},
		{Skipped, Passed, "Changed", false},
		{Passed, Passed, "", false},
	} {
		old, new := pair()
		ruleOf(t, old, rule.ReserveLimit).Outcome = c.was
		ruleOf(t, new, rule.ReserveLimit).Outcome = c.is
		compared := Compare(old, new)
		if list := listsWithRule(compared, id); list != c.list || compared.HasRegressed() != c.regressed {
			t.Errorf("%s, now %s: want it in %q and a breach: %t, got %q and %t", c.was, c.is, c.list, c.regressed, listsWithRule(compared, id), compared.HasRegressed())
		}
	}
}

func TestNewRemovedAndChangedRulesAreListed(t *testing.T) {
	t.Parallel()
	old, new := pair()
	old.Rules = slices.DeleteFunc(old.Rules, func(r RuleResult) bool { return r.ID == rule.CancelLimit.ID })
	new.Rules = slices.DeleteFunc(new.Rules, func(r RuleResult) bool { return r.ID == rule.ConfirmLimit.ID })
	ruleOf(t, old, rule.ReserveExpiresWindow).Level = rule.Must
	c := Compare(old, new)
	if !slices.Equal(idsOf(c.NewRules), []string{rule.CancelLimit.ID}) || !slices.Equal(idsOf(c.GoneRules), []string{rule.ConfirmLimit.ID}) {
		t.Errorf("want one new rule and one gone, got %v and %v", idsOf(c.NewRules), idsOf(c.GoneRules))
	}
	if len(c.Changed) != 1 || !slices.Equal(c.Changed[0].Notes, []string{"level MUST, now SHOULD"}) {
		t.Errorf("Expected the changed level to be reported, received %+v", c.Changed)
	}
	if c.HasRegressed() {
		t.Error("want a new rule that passes to be no breach")
	}
	ruleOf(t, new, rule.CancelLimit).Outcome = Failed
	if !Compare(old, new).HasRegressed() {
		t.Error("want a new rule that fails to be a breach")
	}
}

func TestAnEndpointIsSlowerFromATenthOfItsLimitOn(t *testing.T) {
	t.Parallel()
	old, new := pair()
	new.Latency = slices.Clone(old.Latency)
	new.Latency[0].P95MS = old.Latency[0].P95MS + new.Latency[0].HealthyLimitMS/10
	if slower := Compare(old, new).Slower; len(slower) != 0 {
		t.Errorf("Expected a tenth of the limit not to be reported, received %+v", slower)
	}
	new.Latency[0].P95MS++
	if slower := Compare(old, new).Slower; len(slower) != 1 || slower[0].Endpoint != old.Latency[0].Endpoint {
		t.Errorf("Expected more than a tenth to be reported, received %+v", slower)
	}
}

func TestReportsThatAreHardToCompareGetRemarks(t *testing.T) {
	t.Parallel()
	old, new := pair()
	new.Target.BaseURL, new.SuiteVersion, new.LimitScale = "https://other.example", "2.0.0", 0.5
	new.Verdict, new.Reason = Incomplete, "no server answers"
	new.StartedAt = old.StartedAt.Add(-1)
	joined := strings.Join(Compare(old, new).Remarks, "\n")
	for _, want := range []string{"different partners", "now https://other.example", "was version 1.0.0, now 2.0.0", "limits were multiplied", "the new run could not judge the partner: no server answers", "check the order of the files"} {
		if !strings.Contains(joined, want) {
			t.Errorf("want it to say %q, got\n%s", want, joined)
		}
	}
}
