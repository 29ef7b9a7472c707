package report

import (
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// sample is a run over five rules, of which one failed and one warned.
func sample() *Result {
	r := &Result{
		Verdict: Nonconformant, SuiteVersion: "1.0.0", ContractVersion: "0c1d2e3f4a5b",
		Target:    Target{BaseURL: "https://partner.example/?a=1&b=<2>", AuthType: partnerapi.Bearer},
		StartedAt: time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC), DurationMS: 18_420,
		Latency: []Latency{{Endpoint: partnerapi.Products, Calls: 9, P95MS: 1630, HealthyLimitMS: 15000}},
	}
	for _, one := range []rule.Rule{rule.ReserveCode, rule.ReserveLimit, rule.ReserveExpiresWindow, rule.ConfirmLimit, rule.CancelLimit} {
		r.Rules = append(r.Rules, RuleResult{
			ID: one.ID, Title: one.Title, Endpoint: one.Endpoint, Level: one.Level, Clause: one.Clause, Why: one.Why, Fix: one.Fix, Outcome: Passed,
		})
	}
	r.Rules[1].Outcome, r.Rules[1].Exchanges = Failed, []probe.Exchange{{Number: 1, Duration: time.Second}}
	r.Rules[2].Outcome = Warned
	return r
}

// ruleOf finds the result of a rule.
func ruleOf(t *testing.T, r *Result, of rule.Rule) *RuleResult {
	t.Helper()
	for i := range r.Rules {
		if r.Rules[i].ID == of.ID {
			return &r.Rules[i]
		}
	}
	t.Fatalf("the result has no rule %q", of.ID)
	return nil
}
