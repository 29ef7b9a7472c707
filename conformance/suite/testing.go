package suite

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
)

// Run judges the partner that config names as part of a Go test. Every rule is a subtest, which
// fails if a MUST rule failed and shows the calls as curl commands. A warned rule is logged; a rule
// that was not judged is skipped with the reason. Run ends the test immediately if the
// configuration cannot be used or the partner could not be judged.
//
// If config has no key, Run uses CONFORMANCE_AUTH_KEY. The run stops early enough to undo its holds
// before the test's own deadline. A process can judge only one partner, once: a second call ends
// its test. Ginkgo runs the specs, so do not use Run in a package whose own tests use Ginkgo.
func Run(t *testing.T, config Config) *Outcome {
	t.Helper()
	config.AuthKey = cmp.Or(config.AuthKey, os.Getenv(probe.KeyVariable))
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		early, cancel := context.WithDeadline(ctx, deadline.Add(-2*cleanupTime))
		defer cancel()
		ctx = early
	}
	outcome, err := Judge(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range outcome.Result.Rules {
		t.Run(r.ID, func(t *testing.T) { reportRule(t, r) })
	}
	for _, left := range outcome.Result.NotUndone {
		t.Logf("not undone: %s %q of product %q, option %q, slot %q: %s",
			left.Kind, left.Code, left.ProductID, left.OptionID, left.AvailabilityID, left.Reason)
	}
	if held := outcome.Result.Baseline; held != nil {
		for _, stale := range held.Stale {
			t.Error(stale.Message)
		}
	}
	if ctx.Err() != nil {
		t.Fatalf("the partner could not be judged in the test's time: raise it with -timeout")
	}
	if outcome.Result.Verdict == report.Incomplete {
		t.Fatalf("the partner could not be judged: %s", outcome.Result.Reason)
	}
	return outcome
}

func reportRule(t *testing.T, r report.RuleResult) {
	t.Helper()
	switch r.Outcome {
	case report.Passed:
	case report.Failed:
		t.Error(howToMend(r))
	case report.Warned:
		t.Log(howToMend(r))
	case report.Known:
		t.Skipf("known: %s\n%s", r.Known, howToMend(r))
	default:
		t.Skipf("%s: %s", r.Outcome, r.Message)
	}
}

func howToMend(r report.RuleResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s.\n%s\nfix: %s", r.Level, r.Clause, r.Title, r.Message, r.Fix)
	for _, exchange := range r.Exchanges {
		fmt.Fprintf(&b, "\n%s:\n  %s", exchange.Purpose, exchange.Curl)
	}
	return b.String()
}
