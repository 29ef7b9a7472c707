package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// resultOf is a run of that verdict in which every rule has the outcome that it is given;
// passed where it is given none.
func resultOf(verdict report.Verdict, outcome func(rule.Rule) (report.Outcome, string)) *report.Result {
	r := &report.Result{Verdict: verdict}
	for _, one := range rule.All() {
		result := report.RuleResult{ID: one.ID, Title: one.Title, Endpoint: one.Endpoint, Level: one.Level, Clause: one.Clause, Fix: one.Fix, Outcome: report.Passed}
		if came, message := outcome(one); came != "" {
			result.Outcome, result.Message = came, message
		}
		r.Rules = append(r.Rules, result)
	}
	return r.Completed()
}

func summaryOf(r *report.Result) string {
	var out bytes.Buffer
	s := newScreen(&out, keepText, nil, "")
	s.end(r)
	s.reports([]string{"reports/report.json", "reports/report.html"}, strings.Repeat("a", 64))
	return out.String()
}

func TestTheSummaryOfTheWorstRunFitsAScreen(t *testing.T) {
	t.Parallel()
	number := 0
	r := resultOf(report.Nonconformant, func(one rule.Rule) (report.Outcome, string) {
		number++
		switch number % 4 {
		case 0:
			return report.Failed, "Expected 200, received 500"
		case 1:
			return report.Warned, "late"
		case 2:
			return report.Inconclusive, fmt.Sprintf("reason %d", number)
		default:
			return report.Blocked, "blocked"
		}
	})
	for i := range r.Rules {
		if r.Rules[i].Outcome == report.Blocked {
			r.Rules[i].BlockedBy = r.Rules[(i/4*4+3)%len(r.Rules)].ID
			r.Rules[i].Message = "until " + r.Rules[i].BlockedBy
		}
	}
	const screenful = 24
	if got := summaryOf(r); strings.Count(got, "\n") > screenful || !strings.Contains(got, "more, in the report") {
		t.Errorf("Expected at most %d lines that say what is left out, received\n%s", screenful, got)
	}
}

func TestAnUnreachablePartnerIsOneFindingAndAboutTenLines(t *testing.T) {
	t.Parallel()
	r := resultOf(report.Incomplete, func(one rule.Rule) (report.Outcome, string) {
		if one.ID == rule.Reachable.ID {
			return report.Inconclusive, "connection refused"
		}
		return report.Blocked, "cannot be judged until " + rule.Reachable.ID + " passes"
	})
	r.Reason = "the partner could not be reached: connection refused"
	for i := range r.Rules {
		if r.Rules[i].Outcome == report.Blocked {
			r.Rules[i].BlockedBy = rule.Reachable.ID
		}
	}
	var out bytes.Buffer
	s := newScreen(&out, keepText, nil, "")
	for _, one := range r.Rules {
		s.rule(one)
	}
	s.end(r)
	got := out.String()
	if lines := strings.Count(got, "\n"); lines > 12 {
		t.Errorf("Expected about ten lines, received %d\n%s", lines, got)
	}
	for _, want := range []string{
		"INCONCLUSIVE products.reachable", "Not judged. The partner could not be reached: connection refused.",
		fmt.Sprintf("Fix in this order:\n  products.reachable: The base URL leads to a server. %d rules wait for it.", len(r.Rules)-1),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("Expected %q, received\n%s", want, got)
		}
	}
}

func TestTheSummaryOfAPartialRunNamesTheFlagAndNeverSaysConformant(t *testing.T) {
	t.Parallel()
	r := resultOf(report.Partial, func(one rule.Rule) (report.Outcome, string) {
		if one.Endpoint == "products" {
			return "", ""
		}
		return report.Skipped, "nothing was held or booked (--read-only)"
	})
	r.Reason = "the run was narrowed by --read-only"
	got := summaryOf(r)
	if strings.Contains(strings.ToLower(got), "conformant") || !strings.Contains(got, "Partial, ") || !strings.Contains(got, "The run was narrowed by --read-only.") {
		t.Errorf("Expected a partial run, received\n%s", got)
	}
	if exitCode(r) != exitConformant {
		t.Errorf("Expected exit %d, received %d", exitConformant, exitCode(r))
	}
}

func TestAFindingShowsWhatIsWrongTheFixAndTheCallThatCausesIt(t *testing.T) {
	t.Parallel()
	excerpt := report.Exchange{Endpoint: "availability", Curl: "curl the slot", Response: &report.Response{Body: report.Body{Excerpt: "{}"}}}
	r := report.RuleResult{ID: "reserve.code", Level: rule.Must, Clause: "RSV-2", Title: "A hold has a code", Message: "Expected a code", Fix: "Send one.",
		Endpoint: "reserve", Outcome: report.Failed, Exchanges: []report.Exchange{{Endpoint: "reserve", Curl: "curl the hold"}, {Endpoint: "products", Curl: "curl the catalog"}}}
	for _, c := range []struct {
		more []report.Exchange
		curl string
	}{{nil, "curl the hold"}, {[]report.Exchange{excerpt}, "curl the hold"}} {
		shown := r
		shown.Exchanges = slices.Concat(r.Exchanges, c.more)
		var out bytes.Buffer
		s := newScreen(&out, keepText, nil, "")
		s.rule(shown)
		s.rule(shown) // no news
		want := "FAILED reserve.code (MUST, RSV-2)\n  A hold has a code.\n  Expected a code\n  Fix:    Send one.\n  Repeat: " + c.curl + "\n\n"
		if out.String() != want {
			t.Errorf("Expected\n%sreceived\n%s", want, &out)
		}
	}
}

func TestEveryRuleHasALineWhereAllAreWanted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newScreen(&out, keepText, []string{"reserve.code"}, "")
	s.verbose = true
	s.rule(report.RuleResult{ID: "reserve.code", Level: rule.Must, Title: "A hold has a code", Outcome: report.NotApplicable})
	if want := "not applicable  MUST    reserve.code  A hold has a code\n"; out.String() != want {
		t.Errorf("Expected %q, received %q", want, &out)
	}
}
