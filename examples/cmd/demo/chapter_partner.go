package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"partnerkit.dev/conformance/report"
)

func partnerStarts(ctx context.Context, s *stage) error {
	if err := s.startPartner(ctx, rand.Text()); err != nil {
		return err
	}
	box, err := s.partner.silent.Describe(ctx)
	if err == nil && box.Products == 0 {
		err = errors.New("expected products, received none")
	}
	return s.holds(ctx, err, fmt.Sprintf("%s sells %d products", s.partner.url, box.Products))
}

func partnerIsJudged(ctx context.Context, s *stage) error {
	found, err := s.judge(ctx, s.partner.url, "certified")
	if err != nil {
		return err
	}
	if err := s.partner.shown.Reset(ctx); err != nil { // resets clock, seats and journal
		return err
	}
	if rules := breachedRules(found); len(rules) > 0 {
		return fmt.Errorf("expected the mock partner to be conformant; %s (%s) failed: %s", rules[0].ID, rules[0].Clause, rules[0].Message)
	}
	if found.Verdict == report.Incomplete {
		return errors.New("expected a verdict on the mock partner: " + found.Reason)
	}
	return s.holds(ctx, nil, verdict(found), "the report: "+filepath.Join(s.out, "certified", "report.html"))
}
