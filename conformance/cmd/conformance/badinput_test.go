package main_test

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
)

func TestMalformedInputIsLeftOutOnRequest(t *testing.T) {
	t.Parallel()
	_, address := startMock(t, mockpartner.Options{Variants: []string{"one-product"}})
	r := judge(t, address, ofMock(address, "--depth", "quick", "--no-bad-input")...)
	if got := r.rule(t, "reserve.bad-input"); got.Outcome != report.Skipped || !strings.Contains(got.Remedy, "--no-bad-input") || r.result.Verdict != report.Partial {
		t.Errorf("Expected the rule to be skipped in a partial run, received %s, %q, %s", got.Outcome, got.Remedy, r.result.Verdict)
	}
}
