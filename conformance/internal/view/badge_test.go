package view

import (
	"encoding/xml"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
)

func TestTheBadgeSaysTheVerdictAndHowManyRulesHold(t *testing.T) {
	t.Parallel()
	rules := func(passed, warned, failed, skipped int) (all []report.RuleResult) {
		for outcome, n := range map[report.Outcome]int{report.Passed: passed, report.Warned: warned, report.Failed: failed, report.Skipped: skipped} {
			for range n {
				all = append(all, report.RuleResult{Outcome: outcome})
			}
		}
		return all
	}
	for want, r := range map[string]*report.Result{
		"conformant 180/180":                     {Verdict: report.Conformant, Rules: rules(180, 0, 0, 0)},
		"conformant 170/172":                     {Verdict: report.Conformant, Rules: rules(170, 2, 0, 8)},
		"not conformant 170/174":                 {Verdict: report.Nonconformant, Rules: rules(170, 2, 2, 6)},
		"conformant but for known failures 9/10": {Verdict: report.Conformant, Rules: append(rules(9, 0, 0, 0), report.RuleResult{Outcome: report.Known})},
		"not judged":                             {Verdict: report.Incomplete, Rules: rules(1, 0, 0, 179)},
		"not measured: limits scaled":            {Verdict: report.Conformant, Rules: rules(180, 0, 0, 0), LimitScale: 0.1},
	} {
		content := render(t, drawBadge, r)
		if err := xml.Unmarshal(content, new(struct{})); err != nil {
			t.Fatalf("the badge is no XML: %v", err)
		}
		if !strings.Contains(string(content), `aria-label="partner contract: `+want+`"`) || !strings.Contains(string(content), ">"+want+"</text>") {
			t.Errorf("the badge does not say %q:\n%s", want, content)
		}
	}
}
