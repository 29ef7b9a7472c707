package scenario

import (
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/schemas/partnerapi"
)

// Like is the case that the story was an instance of, where it was not played on one; nil
// where it came to no slot. On simpler cases it can be seen what of the story a breach needs.
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
