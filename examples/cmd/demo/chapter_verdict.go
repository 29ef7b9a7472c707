package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
)

// defect is the second partner's breach of the contract.
const defect = "release-gives-nothing-back"

// marketplaceIsJudged shows the mock partner's verdict on all calls of the marketplace.
func marketplaceIsJudged(ctx context.Context, s *stage) error {
	verdict, err := s.partner.shown.Journal.Verdict(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(s.keep("verdict.json", verdict), s.keepArchive(ctx)); err != nil {
		return err
	}
	if verdict.Verdict != client.Kept {
		return firstFinding(verdict)
	}
	lost, err := s.partner.silent.Invariants(ctx)
	if err == nil && len(lost) > 0 {
		err = fmt.Errorf("expected no seat lost or sold twice, found %v", lost)
	}
	kept := 0
	for _, rule := range verdict.Rules {
		if rule.Verdict == client.Kept {
			kept++
		}
	}
	return s.holds(ctx, err,
		fmt.Sprintf("%s: %d rules kept, none broken, over %d calls", verdict.Verdict, kept, verdict.Exchanges),
		"no seat lost, none sold twice",
		"all calls: "+filepath.Join(s.out, "partner.har"))
}

// firstFinding returns the first finding of an unexpected verdict. The complete verdict is in a
// file.
func firstFinding(verdict client.Verdict) error {
	for _, rule := range verdict.Rules {
		for _, finding := range rule.Findings {
			return fmt.Errorf("expected every rule to be kept; %s (%s) is broken: %s", rule.ID, rule.Clause, finding.Message)
		}
	}
	return want("the verdict", client.Kept, verdict.Verdict)
}

// brokenPartnerIsFound runs the suite against a second partner, which has a defect.
func brokenPartnerIsFound(ctx context.Context, s *stage) error {
	made, err := s.partner.shown.CreateSandbox(ctx, client.Spec{Name: "broken", Defects: []string{defect}})
	if err != nil {
		return err
	}
	found, err := s.judge(ctx, made.BaseURL, "broken")
	if err != nil {
		return err
	}
	if err := want("the verdict", report.Nonconformant, found.Verdict); err != nil {
		return err
	}
	broke, err := mockpartner.FindDefect(defect)
	if err != nil {
		return err
	}
	facts, breached := []string{verdict(found)}, []string{}
	for _, rule := range breachedRules(found) {
		breached = append(breached, rule.ID)
		facts = append(facts, fmt.Sprintf("found: %s (%s): %s", rule.ID, rule.Clause, rule.Message))
	}
	if !slices.Contains(breached, broke.Rule) { // with more guests, releases return no seats either
		return fmt.Errorf("the broken rules: expected %s among them, received %q", broke.Rule, breached)
	}
	return s.holds(ctx, nil, append(facts, "the report: "+filepath.Join(s.out, "broken", "report.html"))...)
}

// keep writes a value to a file as JSON.
func (s *stage) keep(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.out, name), append(text, '\n'), 0o644)
}

// keepArchive writes all calls that the partner answered to an HTTP archive.
func (s *stage) keepArchive(ctx context.Context) (err error) {
	file, err := os.Create(filepath.Join(s.out, "partner.har"))
	if err != nil {
		return err
	}
	if err := s.partner.silent.Journal.WriteHAR(ctx, file, client.Filter{}); err != nil {
		file.Close()
		return fmt.Errorf("keep the partner's calls: %w", err)
	}
	return file.Close()
}
