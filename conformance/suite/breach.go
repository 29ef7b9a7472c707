package suite

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// tryCase judges a case. It returns nil if no rule is broken there.
type tryCase func(context.Context, *plan.Case) *breach

// expiryBreach judges the rules about expiring holds on the hold of a case until one is broken.
func (r *run) expiryBreach(ctx context.Context, on *plan.Case) *breach {
	player := r.player.OnCase(on)
	for _, s := range judge.ExpiringCaseSpecs() {
		if s.AboutSeats() && r.verdicts.SeatsFailed() {
			continue
		}
		if found := r.breach(ctx, player, s); found != nil {
			return found
		}
	}
	return nil
}

// breach is a finding that breaks a rule which had passed: the judged rule, or the rule that the
// finding names as its cause.
type breach struct {
	judge.Finding
	rule rule.Rule
	took time.Duration
}

// breach judges again a rule without a breach so far. It returns nil if the rule passes again.
func (r *run) breach(ctx context.Context, player *scenario.Player, s judge.Spec) *breach {
	if !r.choice.Run[s.Rule.ID] || !r.verdicts.Stands(s.Rule) {
		return nil
	}
	began := time.Now()
	finding := r.find(ctx, player, s)
	if player.Case() == nil {
		finding = r.traceCause(ctx, s.Rule, finding)
	}
	switch outcome, _ := r.verdicts.Decide(s.Rule, finding); {
	case finding.Outcome == report.Failed && finding.Cause != nil && finding.Cause.ID != s.Rule.ID:
		if r.verdicts.Stands(*finding.Cause) {
			return &breach{finding, s.Rule, time.Since(began)}
		}
	case finding.Outcome == report.Failed && outcome == judge.Weight(s.Rule):
		return &breach{finding, s.Rule, time.Since(began)}
	case finding.Outcome == "" && len(finding.Suspects) == 0 && player.Case() != nil:
		r.coverage.addCase(s.Rule.ID, player.Case())
	}
	return nil
}

// declare records a breach, if there is one, with the place where it was found.
func (r *run) declare(found *breach, where string) {
	if found == nil {
		return
	}
	found.Message = where + found.Message
	if cause := found.Cause; cause != nil && cause.ID != found.rule.ID {
		r.options.note(cause.ID, found.Finding)
		r.tell(r.verdicts.Blame(found.Finding))
	} else {
		r.record(found.rule, found.Finding, found.took)
	}
}

// blamed returns the rule that is broken.
func (b *breach) blamed() rule.Rule {
	if b.Cause != nil {
		return *b.Cause
	}
	return b.rule
}
