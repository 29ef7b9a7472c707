package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"partnerkit.dev/conformance/report"
)

func thePartner() chapter {
	var certificate *report.Result
	return chapter{"A partner", []step{
		partnerStarts(),
		{
			title: "The suite judges it by the contract, rule by rule",
			does: func(ctx context.Context, s *stage) (err error) {
				if certificate, err = s.judge(ctx, s.partner.url, "certified"); err != nil {
					return err
				}
				return s.partner.told.Reset(ctx) // clock, seats and journal are as new
			},
			holds: func(_ context.Context, s *stage) ([]string, error) {
				if rules := broken(certificate); len(rules) > 0 {
					return nil, fmt.Errorf("want the mock partner conformant, got %s broken (%s): %s", rules[0].ID, rules[0].Clause, rules[0].Message)
				}
				if certificate.Verdict == report.Incomplete {
					return nil, errors.New("want the mock partner judged, got: " + certificate.Reason)
				}
				return []string{verdict(certificate), "the report: " + filepath.Join(s.out, "certified", "report.html")}, nil
			},
		},
	}}
}

// partnerStarts is the step that starts the mock partner.
func partnerStarts() step {
	return step{
		title: "A mock partner starts",
		does:  func(ctx context.Context, s *stage) error { return s.startPartner(ctx, rand.Text()) },
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			box, err := s.partner.untold.Describe(ctx)
			if err == nil && box.Products == 0 {
				err = errors.New("want products, got none")
			}
			return []string{fmt.Sprintf("%s sells %d products", s.partner.url, box.Products)}, err
		},
	}
}
