// Package suitetest judges a partner in Go tests: with the testing package alone (Run), or as Ginkgo specs
// (RunSpecs), with a matcher for Gomega (BeKept).
package suitetest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
)

// Run judges the partner that config names as part of a Go test. Every rule is a subtest, which
// fails if a MUST rule failed and shows the calls as curl commands. A warned rule is logged; a rule
// that was not judged is skipped with the reason. Run ends the test immediately if the
// configuration cannot be used or the partner could not be judged.
//
// If config has no key, Run uses CONFORMANCE_AUTH_KEY. The run stops early enough to undo its holds
// before the test's own deadline.
func Run(t *testing.T, config suite.Config) *suite.Outcome {
	t.Helper()
	config.AuthKey = cmp.Or(config.AuthKey, os.Getenv(probe.KeyVariable))
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		early, cancel := context.WithDeadline(ctx, deadline.Add(-2*suite.UndoTime))
		defer cancel()
		ctx = early
	}
	outcome, err := suite.Run(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range outcome.Result.Rules {
		t.Run(r.ID, func(t *testing.T) { reportRule(t, r) })
	}
	for _, left := range outcome.Result.NotUndone {
		t.Log(notUndone(left))
	}
	for _, stale := range staleEntries(outcome.Result) {
		t.Error(stale)
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
		t.Error(explain(r))
	case report.Warned:
		t.Log(explain(r))
	default:
		t.Skip(whyNotJudged(r))
	}
}

// explain returns what a rule expects, what was received instead, how to fix it, and the calls that
// show it.
func explain(r report.RuleResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s)\nexpected: %s\nreceived: %s\nfix: %s", r.ID, r.Level, r.Clause, r.Title, r.Message, r.Fix)
	for _, exchange := range r.Exchanges {
		fmt.Fprintf(&b, "\n%s:\n  %s", exchange.Purpose, exchange.Curl)
	}
	return b.String()
}

// whyNotJudged returns why a rule neither passed nor failed.
func whyNotJudged(r report.RuleResult) string {
	if r.Outcome == report.Known {
		return fmt.Sprintf("known: %s\n%s", r.Known, explain(r))
	}
	return fmt.Sprintf("%s: %s", r.Outcome, r.Message)
}

func notUndone(left report.Leftover) string {
	return fmt.Sprintf("not undone: %s %q of product %q, option %q, slot %q: %s",
		left.Kind, left.Code, left.ProductID, left.OptionID, left.AvailabilityID, left.Reason)
}

// staleEntries returns what is wrong with the baseline.
func staleEntries(result *report.Result) (messages []string) {
	if result.Baseline != nil {
		for _, stale := range result.Baseline.Stale {
			messages = append(messages, stale.Message)
		}
	}
	return messages
}
