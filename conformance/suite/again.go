package suite

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
)

// judgeAllAgain judges rules again: with further keys, codes and answers, and on what was made early
// in the run.
func (r *run) judgeAllAgain(ctx context.Context) {
	for _, again := range []struct {
		specs []judge.Spec
		one   bool // one breach may cause the following ones
	}{
		{judge.ReadSpecs(), true},
		{judge.ClosedSpecs(), true},
		{judge.KeySpecs(), false},
		{judge.CodeSpecs(), true},
		{judge.MemorySpecs(), true},
	} {
		r.part(ctx, func(ctx context.Context) {
			r.player.Time.Begin(partner.Again)
			r.judgeAgain(ctx, again.specs, again.one)
		})
	}
}

// judgeTogether judges rules again while several holds and bookings of a slot are live. A breach of
// a rule about seats would most likely show here too.
func (r *run) judgeTogether(ctx context.Context) {
	if !r.verdicts.SeatsFailed() {
		r.judgeAgain(ctx, judge.TogetherSpecs(r.given), true)
	}
}

// judgeAgain judges the rules without a breach so far again, until the first breach if one may cause
// the following ones.
func (r *run) judgeAgain(ctx context.Context, specs []judge.Spec, one bool) {
	for _, s := range specs {
		if ctx.Err() != nil || r.player.Time.LateForMore() || !r.player.Account.Plenty(scenario.AgainShare, 0) || r.announcer.stoppingRule() != nil {
			return
		}
		// A breach would have the same cause as that of a rule that needs this one, and show less.
		if one && r.verdicts.AnyFailed(specs, func(broken judge.Spec) bool { return slices.Contains(broken.Rule.Needs, s.Rule.ID) }) {
			continue
		}
		if s.AboutSeats() && r.verdicts.SeatsFailed() {
			continue // most likely the same cause
		}
		if found := r.breach(ctx, r.player, s); found != nil {
			r.declare(found, "")
			if one {
				return
			}
		}
	}
}
