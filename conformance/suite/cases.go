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
	cases := scenario.PlayCases(ctx, r.player)
	r.coverage.coverable = plan.CountValues(bookableOffers(r.player), r.player.Depth.Repeats())
	briefly := 0
	if !r.timeForAll(cases) {
		briefly = r.judgeEach(ctx, cases, true)
	}
	fully := r.judgeEach(ctx, cases, false)
	r.casesBrief = max(0, briefly-fully)
	if left := len(cases) - max(briefly, fully); r.noMoreCases(ctx) {
		r.casesLeft = left
	} else {
		r.casesWithoutHolds = left
	}
	for _, s := range append(judge.RecordSpecs(), judge.FieldSpecs()...) {
		r.declare(r.breach(ctx, r.player, s), "")
	}
}

// callsOfACase is approximately the number of calls of a case that is not brief.
const callsOfACase = 150

// timeForAll reports whether all of the cases can be judged in the time for them, at the pace of the
// run so far.
func (r *run) timeForAll(cases []plan.Case) bool {
	perCall := r.player.Time.SpentShare() / float64(max(1, len(r.client.Exchanges())))
	return perCall*callsOfACase*float64(len(cases)) < r.player.Time.LeftShare()
}

// judgeEach judges the rules on each case, briefly or not, while there is time and there are holds for it.
// It returns the number of cases that were judged.
func (r *run) judgeEach(ctx context.Context, cases []plan.Case, briefly bool) (judged int) {
	for _, on := range cases {
		if r.noMoreCases(ctx) || !r.player.Account.Plenty(scenario.CaseShare, scenario.HoldsOfACase) {
			return judged
		}
		r.player.Forget(&on) // what was played of it briefly
		on.Brief = briefly
		r.judgeCase(ctx, &on)
		judged++
	}
	return judged
}

// noMoreCases reports whether no further case begins: the run is late, or stops.
func (r *run) noMoreCases(ctx context.Context) bool {
	return r.player.Time.LateForMore() || ctx.Err() != nil || r.announcer.stoppingRule() != nil
}

// judgeCase judges the rules on a case. If a simpler case shows a breach too, that one is declared:
// the breach does not depend on what is special about the case.
func (r *run) judgeCase(ctx context.Context, on *plan.Case) {
	found := r.breachOn(ctx, on, judge.CaseSpecs)
	if found == nil && r.choice.Run[rule.ReserveAccepts.ID] && scenario.PlayBooking(ctx, r.player.OnCase(on), 0).PartyRefused() {
		for _, part := range on.Parts() {
			if found = r.breachOn(ctx, &part, judge.CaseSpecs); found != nil {
				on = &part
				break
			}
		}
	}
	if found == nil {
		return
	}
	if found, on = r.simplify(ctx, found, on); found.Cause == nil || r.verdicts.Stands(*found.Cause) { // else already recorded
		r.declare(found, on.String()+": ")
	}
}

// judgeExpiringCases judges the rules about expiring holds on holds of every product, slot and party.
// It judges nothing if the plain hold has shown that no hold can be made to expire.
func (r *run) judgeExpiringCases(ctx context.Context) {
	shown := func(s judge.Spec) bool {
		known := r.verdicts.Get(s.Rule.ID)
		return known != nil && known.Outcome == report.Passed
	}
	if !slices.ContainsFunc(judge.ExpiringCaseSpecs(nil), shown) {
		return
	}
	cases := scenario.PlayExpiringCases(ctx, r.player, 0).Held
	for i := range cases {
		if r.noMoreCases(ctx) {
			return
		}
		if found := r.breachOn(ctx, &cases[i], judge.ExpiringCaseSpecs); found != nil {
			found, on := r.simplestBreach(ctx, found, &cases[i], judge.ExpiringCaseSpecs)
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
