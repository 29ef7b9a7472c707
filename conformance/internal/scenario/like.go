package scenario

import (
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/schemas/partnerapi"
)

// Like returns the case that describes a story which was not played on a case. It returns nil for
// other stories, and if the story reached no slot. Simpler cases show which parts a breach needs.
func (o *Opening) Like() *plan.Case {
	if o.Case != nil || o.Offer.Slot.ID == "" || o.Offer.Option.Lead() == "" {
		return nil
	}
	like := &plan.Case{Offer: o.Offer, Units: o.units, Bare: o.bare, Between: plan.Nothing}
	if len(like.Units) == 0 {
		like.Units = []partnerapi.UnitQuantity{{ID: o.Offer.Option.Lead(), Quantity: 1}}
	}
	return like
}
