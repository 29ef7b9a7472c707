package suite

import (
	"cmp"
	"context"
	"slices"

	"github.com/onsi/ginkgo/v2"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// describeCases adds the spec that judges rules on the cases of the plan: products, options, slots,
// parties, orders of calls and connections that no rule needs by itself.
func (r *run) describeCases() {
	ginkgo.It("The contract holds for every product, slot, party and repeat", func(ctx ginkgo.SpecContext) {
		if broken := r.judgeCases(ctx); broken != "" {
			ginkgo.Fail(broken)
		}
	})
}

// judgeCases judges each rule on each case, and returns the first breach's message or "". A broken
// rule is not judged again. A case yields at most one breach, because a second may have the same
// cause.
func (r *run) judgeCases(spec context.Context) (first string) {
	r.stage.Lock()
	defer r.stage.Unlock()
	defer r.interruptIfEnded(spec)
	ctx, cancel := r.player.Time.Within(spec)
	defer cancel()
	r.player.Time.Begin(partner.Cases)
	cases := scenario.PlayCases(ctx, r.player)
	r.coverage.coverable = plan.Of(bookable(r.player), r.player.Depth.Repeats())
	briefly := 0
	if !r.timeForAll(cases) {
		first, briefly = r.judgeEach(ctx, cases, true)
	}
	broken, fully := r.judgeEach(ctx, cases, false)
	first = cmp.Or(first, broken)
	r.casesBrief = max(0, briefly-fully)
	if left := len(cases) - max(briefly, fully); r.noMoreCases(ctx) {
		r.casesLeft = left
	} else {
		r.casesWithoutHolds = left
	}
	for _, s := range append(judge.RecordSpecs(), judge.FieldSpecs()...) {
		if broken := r.declare(r.breach(ctx, r.player, s), ""); first == "" {
			first = broken
		}
	}
	return first
}

// callsOfACase is approximately the number of calls of a case that is not brief.
const callsOfACase = 150

// timeForAll reports whether all of the cases can be judged in the time for them, at the pace of the
// run so far.
func (r *run) timeForAll(cases []plan.Case) bool {
	perCall := r.player.Time.Spent() / float64(max(1, len(r.client.Exchanges())))
	return perCall*callsOfACase*float64(len(cases)) < r.player.Time.Left()
}

// judgeEach judges the rules on each case, briefly or not, while there is time and there are holds for it.
// It returns the first breach's message or "", and the number of cases that were judged.
func (r *run) judgeEach(ctx context.Context, cases []plan.Case, briefly bool) (first string, judged int) {
	for _, on := range cases {
		if r.noMoreCases(ctx) || !r.player.Account.Plenty(scenario.CaseShare, scenario.HoldsOfACase) {
			return first, judged
		}
		r.player.Forget(&on) // what was played of it briefly
		on.Brief = briefly
		first = cmp.Or(first, r.judgeCase(ctx, &on))
		judged++
	}
	return first, judged
}

// noMoreCases reports whether no further case begins: the run is late, or stops.
func (r *run) noMoreCases(ctx context.Context) bool {
	return r.player.Time.LateForMore() || ctx.Err() != nil || r.announcer.stopped() != nil
}

// judgeCase returns the message of the breach that a case shows, or "". If a simpler case shows one
// too, it returns that: the breach does not depend on what is special about the case.
func (r *run) judgeCase(ctx context.Context, on *plan.Case) string {
	found := r.breachOn(ctx, on, judge.CaseSpecs)
	if found == nil && r.choice.Run[rule.ReserveAccepts.ID] && scenario.PlayBooking(ctx, r.player.On(on), 0).PartyRefused() {
		for _, part := range on.Parts() {
			if found = r.breachOn(ctx, &part, judge.CaseSpecs); found != nil {
				on = &part
				break
			}
		}
	}
	if found == nil {
		return ""
	}
	if found, on = r.simplify(ctx, found, on); found.Cause != nil && !r.verdicts.Stands(*found.Cause) {
		return "" // already recorded
	}
	return r.declare(found, on.String()+": ")
}

// describeExpiringCases adds the spec that judges the rules about expiring holds on cases.
func (r *run) describeExpiringCases() {
	ginkgo.It("The contract holds for holds of every product, slot and party that expire", func(ctx ginkgo.SpecContext) {
		broken := ""
		r.within(ctx, func(ctx context.Context) { broken = r.judgeExpiringCases(ctx) })
		if broken != "" {
			ginkgo.Fail(broken)
		}
	})
}

// judgeExpiringCases returns the first breach's message, or "". It judges nothing if the plain hold
// has shown that no hold can be made to expire.
func (r *run) judgeExpiringCases(ctx context.Context) (first string) {
	shown := func(s judge.Spec) bool {
		known := r.verdicts.Get(s.Rule.ID)
		return known != nil && known.Outcome == report.Passed
	}
	if !slices.ContainsFunc(judge.ExpiringCaseSpecs(nil), shown) {
		return ""
	}
	cases := scenario.PlayExpiringCases(ctx, r.player, 0).Held
	for i := range cases {
		if r.player.Time.LateForMore() || ctx.Err() != nil || r.announcer.stopped() != nil {
			break
		}
		found := r.breachOn(ctx, &cases[i], judge.ExpiringCaseSpecs)
		if found == nil {
			continue
		}
		found, on := r.simplest(ctx, found, &cases[i], judge.ExpiringCaseSpecs)
		if broken := r.declare(found, on.String()+": "); first == "" {
			first = broken
		}
	}
	return first
}

func bookable(p *scenario.Player) []discover.Offer {
	survey := p.Surveyed()
	if survey == nil {
		return nil
	}
	return discover.Pick(survey.Offers, discover.Want{Now: p.Clock.Now(), Seats: 1})
}
