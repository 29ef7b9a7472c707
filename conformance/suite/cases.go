package suite

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// judgeCases judges each rule on each case of the plan: products, options, slots, parties, orders of
// calls and connections that no rule needs by itself. A broken rule is not judged again. A case
// yields at most one breach, because a second may have the same cause.
func (r *run) judgeCases(ctx context.Context) {
	r.player.Time.Begin(partner.Cases)
	var cases []plan.Case
	if r.judgesStories() {
		cases = scenario.PlayCases(ctx, r.player)
	}
	r.coverage.coverable = plan.CountValues(bookableOffers(r.player), r.player.Depth.Repeats())
	q := &caseQueue{run: r, busy: map[string]bool{}}
	for i := range cases {
		q.left = append(q.left, &cases[i])
	}
	q.judgeAll(ctx)
	if left := len(q.left); r.noMoreCases(ctx) {
		r.casesLeft = left
	} else {
		r.casesWithoutHolds = left
	}
	r.judgeRecord(ctx)
}

// judgeRecord judges what no single story shows: whether anything that was made has the code or the id of something else,
// and the fields of all answers.
func (r *run) judgeRecord(ctx context.Context) {
	for _, s := range append(judge.RecordSpecs(), judge.FieldSpecs()...) {
		if r.raceFailed(s.Rule) {
			continue
		}
		r.declare(r.breach(ctx, r.player, s), "")
	}
}

// raceFailed reports whether a rule about concurrent calls has failed that needs a rule: their answers do not show that it
// is broken otherwise.
func (r *run) raceFailed(of rule.Rule) bool {
	return slices.ContainsFunc([]rule.Rule{rule.ReserveRace, rule.ConfirmRace, rule.ReleaseRace, rule.CancelRace}, func(race rule.Rule) bool {
		known := r.verdicts.Get(race.ID)
		return known != nil && known.Outcome == report.Failed && rule.BuildsOn(race, of.ID)
	})
}

// noMoreCases reports whether no further case begins: the run is late, or stops.
func (r *run) noMoreCases(ctx context.Context) bool {
	return r.player.Time.LateForMore() || ctx.Err() != nil || r.announcer.stoppingRule() != nil
}

// caseOutcome is what a case shows.
type caseOutcome int

const (
	caseHeld     caseOutcome = iota // no rule is broken
	caseBroken                      // a rule is
	caseDoubtful                    // a rule may be; other stories were played at the same time
)

// judgeCase judges the rules on a case. If a simpler case shows a breach too, that one is declared:
// the breach does not depend on what is special about the case.
func (r *run) judgeCase(ctx context.Context, on *plan.Case) caseOutcome {
	played, found := r.judgeStory(ctx, on)
	if found == nil && played.Refused && r.choice.Run[rule.ReserveAccepts.ID] {
		for _, part := range on.Parts() {
			var parted story
			if parted, found = r.judgeStory(ctx, &part); parted.Doubtful {
				return caseDoubtful
			}
			if found != nil {
				on = &part
				break
			}
		}
	}
	switch {
	case played.Doubtful, found != nil && r.player.Calls.Interleaves():
		return caseDoubtful
	case found == nil, found.blamed().ID == rule.ReserveAccepts.ID && r.player.TakesMore(ctx, on.Offer):
		return caseHeld
	}
	found, on = r.simplify(ctx, found, on)
	if found.On = on; found.Cause == nil || r.verdicts.Stands(*found.Cause) { // else already recorded
		r.declare(found, on.String()+": ")
	}
	return caseBroken
}

// judgeExpiringCases judges the rules about expiring holds on holds of every product, slot and party.
// It judges nothing if the plain hold has shown that no hold can be made to expire.
func (r *run) judgeExpiringCases(ctx context.Context) {
	shown := func(s judge.Spec) bool {
		known := r.verdicts.Get(s.Rule.ID)
		return known != nil && known.Outcome == report.Passed
	}
	if !slices.ContainsFunc(judge.ExpiringCaseSpecs(), shown) {
		return
	}
	cases := scenario.PlayExpiringCases(ctx, r.player, 0).Held
	for i := range cases {
		if r.noMoreCases(ctx) {
			return
		}
		if found := r.expiryBreach(ctx, &cases[i]); found != nil {
			found, on := r.simplestBreach(ctx, found, &cases[i], r.expiryBreach)
			r.declare(found, on.String()+": ")
		}
	}
}

func bookableOffers(p *scenario.Player) []discover.Offer {
	survey := p.LastSurvey()
	if survey == nil {
		return nil
	}
	return discover.Pick(survey.Offers, discover.Want{Now: p.Clock.Now(), Seats: 1})
}
