package suite

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// judgeReadsAgain judges the rules about slots again, with further answers.
func (r *run) judgeReadsAgain(ctx context.Context) { r.judgeAgain(ctx, judge.ReadSpecs(), true) }

// judgeAllAgain judges rules again: with further keys and codes, and on what was made early in the run.
func (r *run) judgeAllAgain(ctx context.Context) {
	for _, judge := range []func(context.Context){
		func(ctx context.Context) { r.judgeAgain(ctx, judge.ClosedSpecs(), true) },
		func(ctx context.Context) { r.judgeAgain(ctx, judge.KeySpecs(), false) },
		func(ctx context.Context) { r.judgeByAny(ctx, judge.NearKeys(), false) },
		func(ctx context.Context) { r.judgeByAny(ctx, judge.NearCodes(), true) },
		func(ctx context.Context) {
			if !r.player.Seats.SharesSeats() { // else they took seats of each other meanwhile
				r.judgeByAny(ctx, judge.Early(), true)
			}
		},
	} {
		r.part(ctx, func(ctx context.Context) {
			r.player.Time.Begin(partner.Again)
			judge(ctx)
		})
	}
}

// judgeByAny judges scenarios by every rule about holds and bookings that stands, until the first breach if one may cause
// the following ones.
func (r *run) judgeByAny(ctx context.Context, all []judge.Stories, one bool) {
	if !r.judgesStories() {
		return
	}
	for _, of := range all {
		for r.goesOnAgain(ctx) {
			began := time.Now()
			f := r.traceCause(ctx, rule.Rule{}, r.weigh(ctx, r.player, judge.JudgeByAny(of, func(of rule.Rule) bool { return !r.mayBreak(of) })))
			if f.Outcome != report.Failed || f.Cause == nil || !r.verdicts.Stands(*f.Cause) {
				break
			}
			r.declare(&breach{Finding: f, rule: *f.Cause, took: time.Since(began)}, "")
			if one {
				return
			}
		}
	}
}

// goesOnAgain reports whether there is time to judge more again.
func (r *run) goesOnAgain(ctx context.Context) bool {
	return ctx.Err() == nil && !r.player.Time.LateForMore() && r.player.Account.Plenty(scenario.AgainShare, 0) && r.announcer.stoppingRule() == nil
}

// judgeTogether plays stories of several holds and bookings that are live in one slot at the same time: none of them may
// change what becomes of another. A breach of a rule about seats would most likely show here too.
func (r *run) judgeTogether(ctx context.Context) {
	if !r.judgesStories() || r.verdicts.SeatsFailed() {
		return
	}
	began, judged := time.Now(), map[string]bool{}
	t := explore.PlayTogether(ctx, r.player, func() trace.Judge {
		return judge.NewLifecycle(r.given, func(of rule.Rule) bool { return !r.mayBreak(of) }, func(of rule.Rule, _ string) { judged[of.ID] = true })
	})
	if t.Broken == nil {
		for id := range judged {
			r.coverage.addInstances(id, t.Instances())
		}
		return
	}
	f := judge.Breach("with other holds or bookings of the slot, a lifecycle of %d steps fails at the last one, %s: %s", len(t.Broken.Steps), t.Does, t.Flaw)
	r.declare(&breach{Finding: f.WithEvidence(t.Shown...), rule: t.Rule, took: time.Since(began)}, "")
}

// judgeAgain judges the rules without a breach so far again, until the first breach if one may cause
// the following ones.
func (r *run) judgeAgain(ctx context.Context, specs []judge.Spec, one bool) {
	for _, s := range specs {
		if !r.goesOnAgain(ctx) {
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
