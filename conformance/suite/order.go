package suite

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// judgeAll judges the chosen rules in the order of the groups, so that causes are judged before
// their consequences, and again on what no rule needs by itself: further cases, keys, codes, and
// what was made early in the run.
func (r *run) judgeAll(ctx context.Context) {
	r.player.Time.Keep(r.malformedTime())
	early := false
	for _, group := range judge.Groups() {
		r.announceEstimate()
		if group.Cases {
			if early = r.isSlow(); early {
				r.judgeGroup(ctx, mayStop())
			}
			r.part(ctx, r.judgeCases)
			r.part(ctx, r.judgeElsewhere)
			r.part(ctx, r.judgeTogether)
			r.part(ctx, r.judgeReadsAgain)
			r.player.Time.Begin(partner.Races)
		}
		if group.Keeps && r.judgesStories() {
			r.part(ctx, func(ctx context.Context) { scenario.KeepSome(ctx, r.player, judge.IsDoubtful) })
			if r.config.Rules == nil && r.config.LabelFilter == "" {
				r.part(ctx, func(ctx context.Context) { scenario.Rehearse(ctx, r.player, judge.IsDoubtful) })
			}
		}
		if group.Waits {
			r.judgeAllAgain(ctx)
			r.part(ctx, func(context.Context) { scenario.AwaitExpiry(ctx, r.player, r.config.Waiting) })
		}
		if !group.MayStop || !early {
			r.judgeGroup(ctx, group)
		}
		if group.Waits {
			r.part(ctx, r.judgeExpiringCases)
		}
	}
	r.part(ctx, r.judgeRecord)
}

// judgeGroup judges the chosen rules of a group.
func (r *run) judgeGroup(ctx context.Context, group judge.Group) {
	if group.MayStop {
		r.player.Time.Unreserve(r.malformedTime())
	}
	for _, s := range group.Specs {
		if r.choice.Run[s.Rule.ID] {
			r.part(ctx, func(ctx context.Context) { r.judge(ctx, s) })
		}
	}
}

// malformedTime is kept for malformed input, which comes last because it may stop the partner.
func (r *run) malformedTime() time.Duration { return r.config.MaxDuration / malformedShare }

// malformedShare is the divisor of the run's time for malformedTime; malformedReserves is approximately the number of
// malformed reserves, of which a few are sent at the same time.
const malformedShare, malformedReserves = 8, 60

// isSlow reports whether the partner answers so slowly that malformed input has no time at the end of the run.
func (r *run) isSlow() bool {
	return malformedReserves*r.player.Calls.Usual(partnerapi.Reserve) > r.malformedTime()
}

func mayStop() judge.Group {
	all := judge.Groups()
	return all[slices.IndexFunc(all, func(g judge.Group) bool { return g.MayStop })]
}

// judgeElsewhere judges the rules that a broken rule blocks, in the options where it holds: what fails in one option keeps
// only that one from being judged.
func (r *run) judgeElsewhere(ctx context.Context) {
	causes := map[string]bool{}
	for _, of := range rule.All() {
		if r.outcome(of.ID) != report.Failed {
			continue
		}
		for _, option := range r.options.partly(of.ID, r.coverage) {
			causes[of.ID] = true
			r.player.LeaveOut(option)
		}
	}
	blocked := map[string]string{} // by its cause, before one of them is judged again
	for _, of := range rule.All() {
		if root := r.verdicts.Root(of.ID); causes[root] {
			blocked[of.ID] = root
		}
	}
	for _, group := range judge.Groups() {
		if group.Cases {
			return // it and those after it are not judged yet
		}
		for _, s := range group.Specs {
			if cause := blocked[s.Rule.ID]; cause != "" {
				r.verdicts.HoldPartly(cause)
				r.part(ctx, func(ctx context.Context) { r.judge(ctx, s) })
			}
		}
	}
}

// judge plays what a rule needs, judges it, and records the outcome, even if the suite itself
// fails.
func (r *run) judge(ctx context.Context, s judge.Spec) {
	began := time.Now()
	finding := judge.Finding{Outcome: report.Inconclusive, Message: "the suite itself failed while it judged this rule; please report it"}
	defer func() { r.record(s.Rule, finding, time.Since(began)) }()
	found := r.find(ctx, r.player, s)
	finding = r.traceCause(ctx, s.Rule, found)
}
