package scenario

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/schemas/partnerapi"
)

// leastAhead is how far ahead the slot of a case must start: a partner may stop selling a slot
// before it begins.
const leastAhead = 24 * time.Hour

// PlayCases returns the cases of the plan. It returns none if holds are not allowed or nothing can
// be booked.
func PlayCases(ctx context.Context, p *Player) []plan.Case { return p.cases(ctx, p.Depth.Cases()) }

func (p *Player) cases(ctx context.Context, most int) []plan.Case {
	survey := PlaySurvey(ctx, p, 0)
	if survey.Stop != nil || p.ReadOnly {
		return nil
	}
	if p.limited {
		for _, answer := range survey.Answers {
			p.learnLeast(ctx, discover.OptionKey(answer.Product, answer.Option))
		}
	}
	return plan.Cover(discover.Pick(survey.Offers, discover.Want{Now: p.Clock.Now().Add(leastAhead), Seats: 1}), most)
}

// OnCase returns a player of the same run whose expiring holds are of a case.
func (p *Player) OnCase(c *plan.Case) *Player {
	on := *p
	on.on = c
	return &on
}

// Case returns the case that expiring holds are of; nil means what is easiest to try.
func (p *Player) Case() *plan.Case { return p.on }

// SimilarCase returns the case that describes a lifecycle which was not played on a case. It returns nil for
// other lifecycles, and if the lifecycle reached no slot. Simpler cases show which parts a breach needs.
func (o *Opening) SimilarCase() *plan.Case {
	if o.onCase || o.Offer.Slot.ID == "" || o.Offer.Option.Lead() == "" {
		return nil
	}
	like := &plan.Case{Offer: o.Offer, Units: o.Units, Body: o.body, Between: plan.Nothing}
	if len(like.Units) == 0 {
		like.Units = []partnerapi.UnitQuantity{{ID: o.Offer.Option.Lead(), Quantity: 1}}
	}
	return like
}
