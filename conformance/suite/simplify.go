package suite

import (
	"context"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

// simplest returns the breach of the simplest case that shows one, and that case. A breach later in
// a booking cannot be the cause: the slot may be unchanged because of the earlier breach.
func (r *run) simplest(ctx context.Context, found *breach, on *plan.Case, specs specsOn) (*breach, *plan.Case) {
	for again := true; again; {
		again = false
		for _, simpler := range on.Simpler() {
			simplest := r.breachOn(ctx, &simpler, specs)
			if simplest != nil && judge.Before(&simpler, simplest.blamed(), found.blamed()) {
				found, on, again = simplest, &simpler, true
				break
			}
		}
	}
	return found, on
}

// simplify returns the breach of the simplest case that shows one, and that case. A breach that
// occurs only without optional fields or bodies breaks the rule about those.
func (r *run) simplify(ctx context.Context, found *breach, on *plan.Case) (*breach, *plan.Case) {
	found, on = r.simplest(ctx, found, on, judge.CaseSpecs)
	if left, is := judge.WithoutOptional(found.blamed().Endpoint); is && on.Bare && r.playedInFull(ctx, on) {
		found.Cause = &left
	}
	return found, on
}

// playedInFull reports whether the stories of a case can be played with all optional fields.
func (r *run) playedInFull(ctx context.Context, on *plan.Case) bool {
	full := *on
	full.Bare = false
	player := r.player.On(&full)
	return scenario.PlayBooking(ctx, player, 0).Hold != nil && scenario.PlayHolding(ctx, player, 0).Hold != nil
}

// blamed returns the rule that is broken.
func (b *breach) blamed() rule.Rule {
	if b.Cause != nil {
		return *b.Cause
	}
	return b.rule
}

// traced returns a finding with its cause: if simpler stories on the same slot show a breach too,
// it returns that one.
func (r *run) traced(ctx context.Context, of rule.Rule, f judge.Finding) judge.Finding {
	if f.Outcome != report.Failed || f.On == nil || r.player.Depth.Cases() == 0 || r.player.ReadOnly || r.seatsOff() {
		return f
	}
	found, on := r.simplify(ctx, &breach{Finding: f, rule: of}, f.On)
	if found.blamed().ID == of.ID && on == f.On {
		return f
	}
	cause := found.blamed()
	found.Cause = &cause
	if on != f.On {
		found.Message = on.String() + ": " + found.Message
	}
	return found.Finding
}
