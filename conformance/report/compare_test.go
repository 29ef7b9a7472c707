package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
)

// pair returns two equal reports in which every rule passed.
func pair(t *testing.T) (old, new *Result) {
	t.Helper()
	made := func() *Result {
		r := sampleResult(t)
		r.Verdict = Conformant
		for i := range r.Rules {
			r.Rules[i].Outcome, r.Rules[i].Message = Passed, ""
		}
		return complete(r)
	}
	return made(), made()
}

func came(t *testing.T, r *Result, id string, o Outcome) {
	t.Helper()
	ruleOf(t, r, id).Outcome = o
}

func idsOf(changes []Change) (ids []string) {
	for _, change := range changes {
		ids = append(ids, change.ID)
	}
	return ids
}

func TestEqualReportsHaveNothingToTell(t *testing.T) {
	t.Parallel()
	old, new := pair(t)
	c := Compare(old, new)
	if len(c.Sections()) > 0 || len(c.Slower) > 0 || len(c.Remarks) > 0 || c.Regressed() {
		t.Errorf("want nothing told, got %+v", c)
	}
	if c.Verdict() != "0 broke, 0 still broken, 0 fixed" {
		t.Errorf("want nothing counted, got %q", c.Verdict())
	}
}

func TestARuleIsToldByWhatItsOutcomeWasAndIs(t *testing.T) {
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
		old, new := pair(t)
		came(t, old, id, c.was)
		came(t, new, id, c.is)
		compared, list := Compare(old, new), ""
		for _, section := range compared.Sections() {
			if slices.Contains(idsOf(section.Changes), id) {
				list += section.Title
			}
		}
		if list != c.list || compared.Regressed() != c.regressed {
			t.Errorf("%s, now %s: want it in %q and a breach: %t, got %q and %t", c.was, c.is, c.list, c.regressed, list, compared.Regressed())
		}
	}
}

func TestRulesThatCameAndWentAndChangedAreTold(t *testing.T) {
	t.Parallel()
	old, new := pair(t)
	old.Rules = slices.DeleteFunc(old.Rules, func(r RuleResult) bool { return r.ID == rule.CancelLimit.ID })
	new.Rules = slices.DeleteFunc(new.Rules, func(r RuleResult) bool { return r.ID == rule.ConfirmLimit.ID })
	ruleOf(t, old, rule.ReserveExpiresWindow.ID).Level = rule.Must
	c := Compare(old, new)
	if !slices.Equal(idsOf(c.NewRules), []string{rule.CancelLimit.ID}) || !slices.Equal(idsOf(c.GoneRules), []string{rule.ConfirmLimit.ID}) {
		t.Errorf("want one new rule and one gone, got %v and %v", idsOf(c.NewRules), idsOf(c.GoneRules))
	}
	if len(c.Changed) != 1 || !slices.Equal(c.Changed[0].Notes, []string{"level MUST, now SHOULD"}) {
		t.Errorf("want the changed level told, got %+v", c.Changed)
	}
	if c.Regressed() {
		t.Error("want a new rule that passes to be no breach")
	}
	came(t, new, rule.CancelLimit.ID, Failed)
	if !Compare(old, new).Regressed() {
		t.Error("want a new rule that fails to be a breach")
	}
}

func TestAnEndpointIsSlowerFromATenthOfItsLimitOn(t *testing.T) {
	t.Parallel()
	old, new := pair(t)
	new.Latency = slices.Clone(old.Latency)
	new.Latency[0].P95MS = old.Latency[0].P95MS + new.Latency[0].HealthyLimitMS/10
	if slower := Compare(old, new).Slower; len(slower) != 0 {
		t.Errorf("want a tenth of the limit not told, got %+v", slower)
	}
	new.Latency[0].P95MS++
	if slower := Compare(old, new).Slower; len(slower) != 1 || slower[0].Endpoint != old.Latency[0].Endpoint || !strings.Contains(slower[0].Words(), "before 1.63 s; limit 15 s") {
		t.Errorf("want more than a tenth told, got %+v", slower)
	}
}

func TestWhatCanBeComparedInPartOnlyIsRemarkedOn(t *testing.T) {
	t.Parallel()
	old, new := pair(t)
	new.Target.BaseURL, new.SuiteVersion, new.LimitScale = "https://other.example", "2.0.0", 0.5
	new.Verdict, new.Reason = Incomplete, "nobody answers"
	new.StartedAt = old.StartedAt.Add(-1)
	said := strings.Join(Compare(old, new).Remarks, "\n")
	for _, want := range []string{"different partners", "now https://other.example", "was version 1.0.0, now 2.0.0", "limits were multiplied", "the new run could not judge the partner: nobody answers", "were the two files exchanged?"} {
		if !strings.Contains(said, want) {
			t.Errorf("want it to say %q, got\n%s", want, said)
		}
	}
}

func TestAComparisonIsWrittenForPullRequestsAndPrograms(t *testing.T) {
	t.Parallel()
	for name, hostile := range hostileTexts() {
		old, new := pair(t)
		broken := ruleOf(t, new, rule.ReserveLimit.ID)
		broken.Outcome, broken.Message, new.Target.BaseURL = Failed, hostile, hostile
		c := Compare(old, new)
		page := string(c.Markdown())
		if !strings.HasPrefix(page, "## 1 broke, 0 still broken, 0 fixed") || !strings.Contains(page, "| MUST | passed, now failed | ") {
			t.Errorf("%s: want the breach told, got\n%.2000s", name, page)
		}
		doc := rendered(t, []byte(page))
		if stray := append(tags(doc, "script"), append(tags(doc, "img"), tags(doc, "a")...)...); len(stray) > 0 || len(tags(doc, "td")) != 4 {
			t.Errorf("%s: want a partner's words as text in a row of four, got\n%.2000s", name, page)
		}
		for _, line := range strings.Split(page, "\n") {
			if strings.HasPrefix(line, "| ") && len(line) > 8*longestCell {
				t.Errorf("%s: want short rows, got one of %d bytes", name, len(line))
			}
		}
		text, err := json.Marshal(c)
		if err != nil || !strings.Contains(string(text), `"broke":[{"id":"reserve.limit"`) || !strings.Contains(string(text), `"fixed":[]`) {
			t.Errorf("%s: want the lists as JSON, none of them null, got %.300s, %v", name, text, err)
		}
	}
}
