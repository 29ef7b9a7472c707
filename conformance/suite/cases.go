package suite

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

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
	return slices.ContainsFunc(rule.All(), func(race rule.Rule) bool {
		return judge.IsRace(race) && r.outcome(race.ID) == report.Failed && rule.BuildsOn(race, of.ID)
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
	shown := func(s judge.Spec) bool { return r.outcome(s.Rule.ID) == report.Passed }
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
