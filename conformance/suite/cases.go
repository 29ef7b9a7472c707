package suite

import (
	"context"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
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
	defer r.heed(spec)
	ctx, cancel := r.player.Time.Within(spec)
	defer cancel()
	cases := scenario.PlayCases(ctx, r.player)
	r.coverable = plan.Of(r.bookable(), r.player.Depth.Repeats())
	for i := range cases {
		if r.player.Time.LateForMore() || ctx.Err() != nil || r.failed.Load() != nil {
			r.casesLeft = len(cases) - i
			break
		}
		if broken := r.judgeCase(ctx, &cases[i]); first == "" {
			first = broken
		}
	}
	for _, s := range append(judge.RecordSpecs(), judge.FieldSpecs()...) {
		if broken := r.declare(r.breach(ctx, r.player, s), ""); first == "" {
			first = broken
		}
	}
	return first
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
	if found, on = r.simplify(ctx, found, on); found.Cause != nil && !r.holds(*found.Cause) {
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
		if r.player.Time.LateForMore() || ctx.Err() != nil || r.failed.Load() != nil {
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

// specsOn returns the specs of the rules that are judged on a case.
type specsOn func(*plan.Case) []judge.Spec

// breachOn judges the rules on a case until one is broken. It returns nil if none is.
func (r *run) breachOn(ctx context.Context, on *plan.Case, specs specsOn) *breach {
	player := r.player.On(on)
	for _, s := range specs(on) {
		if s.AboutSeats() && r.seatsOff() {
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
	if !r.choice.Run[s.Rule.ID] || !r.holds(s.Rule) {
		return nil
	}
	began := time.Now()
	finding := r.find(ctx, player, s)
	if player.Case() == nil {
		finding = r.traced(ctx, s.Rule, finding)
	}
	switch outcome, _ := r.verdicts.Decide(s.Rule, finding); {
	case finding.Outcome == report.Failed && finding.Cause != nil && finding.Cause.ID != s.Rule.ID:
		if r.holds(*finding.Cause) {
			return &breach{finding, s.Rule, time.Since(began)}
		}
	case finding.Outcome == report.Failed && outcome == judge.Weight(s.Rule):
		return &breach{finding, s.Rule, time.Since(began)}
	case finding.Outcome == "" && len(finding.Suspects) == 0 && player.Case() != nil:
		r.cover(s.Rule.ID, player.Case())
	}
	return nil
}

// declare records a breach with the place where it was found, and returns its message; "" for nil.
func (r *run) declare(found *breach, where string) string {
	if found == nil {
		return ""
	}
	found.Message = where + found.Message
	if cause := found.Cause; cause != nil && cause.ID != found.rule.ID {
		r.announce(r.verdicts.Blame(found.Finding))
	} else {
		r.record(found.rule, found.Finding, found.took)
	}
	return found.Message
}

// seatsOff reports whether a rule about seats is broken.
func (r *run) seatsOff() bool {
	for _, group := range judge.Groups() {
		for _, s := range group.Specs {
			if known := r.verdicts.Get(s.Rule.ID); s.AboutSeats() && known != nil && known.Outcome == report.Failed {
				return true
			}
		}
	}
	return false
}

// holds reports whether no breach of a rule is recorded so far.
func (r *run) holds(of rule.Rule) bool {
	known := r.verdicts.Get(of.ID)
	return known == nil || known.Outcome == report.Passed
}

// cover records that a rule was judged on a case.
func (r *run) cover(id string, on *plan.Case) {
	for dimension, values := range on.Values() {
		for _, value := range values {
			r.coverValue(id, dimension, value)
		}
	}
}

func (r *run) bookable() []discover.Offer {
	survey := r.player.Surveyed()
	if survey == nil {
		return nil
	}
	return discover.Pick(survey.Offers, discover.Want{Now: r.player.Clock.Now(), Seats: 1})
}

// coverageOfRules returns, for each rule that was judged on cases, how many values of each
// dimension the cases had.
func (r *run) coverageOfRules() map[string]map[string]report.Covered {
	all := map[string]map[string]report.Covered{}
	if r.coverable != nil {
		r.coverable[plan.KeyForm] = r.player.KeyForms()
	}
	for id, dimensions := range r.covered {
		all[id] = map[string]report.Covered{}
		for dimension, values := range dimensions {
			all[id][string(dimension)] = report.Covered{Exercised: len(values), Of: max(len(values), r.coverable[dimension])}
		}
		if _, onCase := dimensions[plan.Order]; !onCase {
			continue
		}
		all[id][string(plan.Repeat)] = report.Covered{Exercised: r.coverable[plan.Repeat], Of: r.coverable[plan.Repeat]}
	}
	return all
}
