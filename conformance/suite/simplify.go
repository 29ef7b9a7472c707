package suite

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// tryCase judges a case. It returns nil if no rule is broken there.
type tryCase func(context.Context, *plan.Case) *breach

// simplestBreach returns the breach of the simplest case that shows one, and that case. A breach later in
// a booking cannot be the cause: the slot may be unchanged because of the earlier breach.
func (r *run) simplestBreach(ctx context.Context, found *breach, on *plan.Case, try tryCase) (*breach, *plan.Case) {
	for again := true; again; {
		again = false
		for _, simpler := range append(r.roomierCases(found.rule, on), on.SimplerCases()...) {
			simplest := try(ctx, &simpler)
			if simplest != nil && !isLater(simplest.blamed(), found.blamed()) {
				found, on, again = simplest, &simpler, true
				break
			}
		}
	}
	return found, on
}

// roomierCases returns the case on the slot of its option with the most seats left, where every call of the
// case shows its effect: in a slot without a seat left, a call that takes seats once more changes
// nothing until others are returned. It returns none if its own slot has about as many, or if the
// broken rule is not about seats.
func (r *run) roomierCases(of rule.Rule, on *plan.Case) []plan.Case {
	if !judge.AboutSeats(of) {
		return nil
	}
	left := func(o discover.Offer) int64 { return o.Slot.Seats(o.Product).Left }
	most := on.Offer
	for _, offer := range r.bookableOffers() {
		if offer.OptionKey() == on.Offer.OptionKey() && left(offer) > left(most) {
			most = offer
		}
	}
	if left(most) < left(on.Offer)+on.Guests() {
		return nil
	}
	roomier := *on
	roomier.Offer = most
	return []plan.Case{roomier}
}

// simplify returns the breach of the simplest case that shows one, and that case. A breach that
// occurs only with a form of the bodies breaks the rule about that form.
func (r *run) simplify(ctx context.Context, found *breach, on *plan.Case) (*breach, *plan.Case) {
	found, on = r.simplestBreach(ctx, found, on, r.storyBreach)
	if of, is := judge.RuleOfBody(found.blamed().Endpoint, on.Body); is && r.onlyBody(ctx, found.rule, on, of) {
		found.Cause = &of
	}
	return found, on
}

// bodyRounds is how often a case is played with its form of the bodies and with the usual one before a breach is blamed
// on that form: it may also be one that shows now and then.
const bodyRounds = 3

// onlyBody reports whether a rule is broken on a case each time that it is played with its form of the bodies, and never
// with the usual one. Once is enough if the rule about that form is known to be broken, or if there are no seats to play
// the case again.
func (r *run) onlyBody(ctx context.Context, of rule.Rule, on *plan.Case, ofBody rule.Rule) bool {
	full := *on
	full.Body = partner.FullBody
	known := !r.verdicts.Stands(ofBody)
	for round := range bodyRounds {
		special, usual := r.outcomeOn(ctx, of, on), r.outcomeOn(ctx, of, &full)
		switch open := report.Inconclusive; {
		case special == report.Passed:
			return false
		case round > 0 && special == open, (round > 0 || known) && usual == open:
			return true
		case usual != report.Passed:
			return false
		case known:
			return true
		}
	}
	return true
}

// outcomeOn returns the outcome of a rule on a case, in another slot of its option once a breach has lost the seats of its own.
// A rule that does not judge its story is not applicable.
func (r *run) outcomeOn(ctx context.Context, of rule.Rule, on *plan.Case) report.Outcome {
	if !r.player.Seats.MayHave(on.Offer, on.Guests()) {
		on = r.moved(ctx, on)
	}
	s := r.play(ctx, on, func(other rule.Rule) bool { return other.ID == of.ID })
	switch finding, broken := s.finding(); {
	case finding.Outcome == report.Failed && broken.ID != of.ID:
		return report.Inconclusive
	case finding.Outcome != "":
		return finding.Outcome
	case s.Refused:
		return report.Inconclusive
	case !s.judged[of.ID]:
		return report.NotApplicable
	default:
		return report.Passed
	}
}

// isLater reports whether a rule comes after another in the catalogue, which has the rules in the order of causes.
func isLater(r, other rule.Rule) bool {
	place := func(r rule.Rule) int {
		return slices.IndexFunc(rule.All(), func(known rule.Rule) bool { return known.ID == r.ID })
	}
	return place(r) > place(other)
}

// traceCause returns a finding with its cause: if simpler lifecycles on the same slot show a breach too,
// it returns that one. Of calls at the same time the lifecycle of the same calls one after another is simpler.
func (r *run) traceCause(ctx context.Context, of rule.Rule, f judge.Finding) judge.Finding {
	if f.Outcome != report.Failed || f.On == nil || r.player.Depth.Cases() == 0 || r.player.ReadOnly || r.verdicts.SeatsFailed() {
		return f
	}
	shown, on := &breach{Finding: f, rule: of}, f.On
	if judge.IsRace(of) {
		if shown, on = r.breachOneByOne(ctx, on); shown == nil || !rule.BuildsOn(of, shown.blamed().ID) {
			return f // another breach does not explain the race
		}
	}
	found, on := r.simplify(ctx, shown, on)
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

// breachOneByOne returns the breach of the lifecycle of a race whose calls are made one after another, and the case that shows
// it. Once the race has lost the seats of its slot, that is the nearest slot of its option.
func (r *run) breachOneByOne(ctx context.Context, on *plan.Case) (*breach, *plan.Case) {
	played, found := r.judgeStory(ctx, on)
	if found != nil || !played.Refused {
		return found, on
	}
	on = r.moved(ctx, on)
	return r.storyBreach(ctx, on), on
}

// moved returns the case on the nearest slot of its option with enough seats.
func (r *run) moved(ctx context.Context, on *plan.Case) *plan.Case {
	moved := *on
	moved.Offer = r.player.OfferNear(ctx, on.Offer, discover.Want{Seats: on.Guests()})
	return &moved
}
