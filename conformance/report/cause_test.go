package report_test

import (
	"fmt"
	"testing"

	"partnerkit.dev/conformance/report"
)

func TestTheSameDemandBrokenAtSeveralEndpointsIsOneCauseAndTheMostUrgentIsFirst(t *testing.T) {
	t.Parallel()
	broken := func(id, clause string, outcome report.Outcome) report.RuleResult {
		return report.RuleResult{ID: id, Clause: clause, Outcome: outcome}
	}
	waits := func(id, cause string) report.RuleResult {
		return report.RuleResult{ID: id, Clause: "RSV-1", Outcome: report.Blocked, BlockedBy: cause}
	}
	r := &report.Result{Rules: []report.RuleResult{
		broken("products.json", "GEN-1", report.Passed),
		broken("reserve.refusal.message", "RSV-7", report.Warned),
		broken("reserve.auth.wrong-key", "AUTH-2", report.Failed),
		waits("reserve.auth.no-effect", "reserve.auth.wrong-key"),
		broken("confirm.auth.wrong-key", "AUTH-2", report.Failed),
		broken("confirm.auth.missing-key", "AUTH-3", report.Failed),
		broken("confirm.status", "CNF-1", report.Failed),
		waits("confirm.json", "confirm.status"), waits("confirm.booking-id", "confirm.status"), waits("cancel.status", "confirm.status"),
		waits("confirm.auth.no-effect", "confirm.auth.wrong-key"),
		broken("cancel.auth.wrong-key", "AUTH-2", report.Warned), // once, where twice is a breach
		broken("webhooks.received", "WHK-1", report.Inconclusive), waits("webhooks.secret", "webhooks.received"),
	}}
	want := "[{[confirm.status] 3} {[reserve.auth.wrong-key confirm.auth.wrong-key] 2} {[confirm.auth.missing-key] 0} {[reserve.refusal.message] 0} {[cancel.auth.wrong-key] 0} {[webhooks.received] 1}]"
	if got := fmt.Sprint(r.Completed().Causes); got != want {
		t.Errorf("Expected\n%s\nreceived\n%s", want, got)
	}
}
