package suite

import (
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

// judgeAll judges the chosen rules in the order of the groups, so that causes are judged before
// their consequences, and again on what no rule needs by itself: further cases, keys, codes, and
// what was made early in the run.
func (r *run) judgeAll(ctx context.Context) {
	for _, group := range judge.Groups() {
		r.announceEstimate()
		if group.Cases {
			r.part(ctx, r.judgeCases)
			r.part(ctx, r.judgeElsewhere)
			r.part(ctx, r.judgeTogether)
			r.player.Time.Begin(partner.Races)
		}
		if group.Keeps && r.judgesStories() {
			r.part(ctx, func(ctx context.Context) { scenario.KeepSome(ctx, r.player) })
		}
		if group.Waits {
			r.judgeAllAgain(ctx)
			r.part(ctx, func(context.Context) { scenario.AwaitExpiry(ctx, r.player, r.config.Waiting) })
		}
		for _, s := range group.Specs {
			if r.choice.Run[s.Rule.ID] {
				r.part(ctx, func(ctx context.Context) { r.judge(ctx, s) })
			}
		}
		if group.Waits {
			r.part(ctx, r.judgeExpiringCases)
		}
	}
	r.part(ctx, r.judgeRecord)
}

// part does a part of the run within the run's time, unless the run was stopped. What the run holds
// must be undone even if the suite itself fails, so a panic ends only the part.
func (r *run) part(ctx context.Context, do func(context.Context)) {
	if r.player.Time.WasInterrupted() || r.announcer.stoppingRule() != nil {
		return
	}
	defer r.survive()
	within, cancel := r.player.Time.WithDeadline(ctx)
	defer cancel()
	do(within)
}

// survive, deferred, keeps a fault of the suite itself from ending more than a part of the run.
func (r *run) survive() {
	if fault := recover(); fault != nil && r.fault == "" {
		r.fault = r.client.Redactor().Words(fmt.Sprintf("the suite itself failed (%v); please report it", fault))
	}
}

// judge plays what a rule needs, judges it, and records the outcome, even if the suite itself
// fails.
func (r *run) judge(ctx context.Context, s judge.Spec) {
	began := time.Now()
	finding := judge.Finding{Outcome: report.Inconclusive, Message: "the suite itself failed while it judged this rule; please report it"}
	defer func() { r.record(s.Rule, finding, time.Since(began)) }()
	finding = r.traceCause(ctx, s.Rule, r.find(ctx, r.player, s))
}
