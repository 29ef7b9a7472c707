package report

import (
	"encoding/xml"
	"strings"
	"testing"
)

func TestTheBadgeSaysTheVerdictAndHowManyRulesHold(t *testing.T) {
	t.Parallel()
	rules := func(passed, warned, failed, skipped int) (all []RuleResult) {
		for outcome, n := range map[Outcome]int{Passed: passed, Warned: warned, Failed: failed, Skipped: skipped} {
			for range n {
				all = append(all, RuleResult{Outcome: outcome})
			}
		}
		return all
	}
	for want, r := range map[string]*Result{
		"conformant 180/180":                     {Verdict: Conformant, Rules: rules(180, 0, 0, 0)},
		"conformant 170/172":                     {Verdict: Conformant, Rules: rules(170, 2, 0, 8)},
		"not conformant 170/174":                 {Verdict: Nonconformant, Rules: rules(170, 2, 2, 6)},
		"conformant but for known failures 9/10": {Verdict: Conformant, Rules: append(rules(9, 0, 0, 0), RuleResult{Outcome: Known})},
		"not judged":                             {Verdict: Incomplete, Rules: rules(1, 0, 0, 179)},
		"not measured: limits scaled":            {Verdict: Conformant, Rules: rules(180, 0, 0, 0), LimitScale: 0.1},
	} {
		content := render(t, Badge, r)
		if err := xml.Unmarshal(content, new(struct{})); err != nil {
			t.Fatalf("the badge is no XML: %v", err)
		}
		if !strings.Contains(string(content), `aria-label="partner contract: `+want+`"`) || !strings.Contains(string(content), ">"+want+"</text>") {
			t.Errorf("the badge does not say %q:\n%s", want, content)
		}
	}
}
