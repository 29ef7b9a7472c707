package scenario

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// leads returns a function that makes a party of n guests of an option's lead unit.
func leads(n int64) func(discover.Option) []partnerapi.UnitQuantity {
	return func(option discover.Option) []partnerapi.UnitQuantity { return partner.Guests(option, n) }
}

// twoTypes is a party of two guests of different types, or of the same type at an option that has only
// one that may come with the lead unit.
func twoTypes(option discover.Option) []partnerapi.UnitQuantity {
	if party := partner.TwoTypes(option); party != nil {
		return party
	}
	return partner.Guests(option, 2)
}

// mostLeast is the largest party that is tried where smaller ones are refused.
const mostLeast = 4

// TakesOther reports whether a slot takes another party than one that it has refused: one to four guests, one of another
// type, or of two types. A partner may limit parties as it likes, and an option is refused only if it takes none.
func (p *Player) TakesOther(ctx context.Context, offer discover.Offer, refused []partnerapi.UnitQuantity) bool {
	known, tried := p.others[offer.Key()]
	if !tried {
		parties := otherTypes(offer.Option)
		for guests := int64(1); guests <= mostLeast; guests++ {
			parties = append(parties, partner.Guests(offer.Option, guests))
		}
		parties = slices.DeleteFunc(parties, func(party []partnerapi.UnitQuantity) bool { return slices.Equal(party, refused) })
		known = p.takesAny(ctx, forAnother, offer, parties)
		p.others[offer.Key()] = known
	}
	return known
}

// Takes reports whether a slot takes a party whose reserve with an unusual body it has refused, with every optional field.
func (p *Player) Takes(ctx context.Context, offer discover.Offer, party []partnerapi.UnitQuantity) bool {
	return p.takesAny(ctx, "reserve for the same party, "+partner.FullBody.String(), offer, [][]partnerapi.UnitQuantity{party})
}

// otherTypes returns parties that are not of the lead unit alone: one guest of each other type, and one of two types.
func otherTypes(option discover.Option) (parties [][]partnerapi.UnitQuantity) {
	if _, mixed := option.Companion(); mixed {
		parties = append(parties, twoTypes(option))
	}
	for _, unit := range option.Units {
		if unit.ID != "" && unit.ID != option.Lead() && unit.Type != partnerapi.Infant {
			parties = append(parties, []partnerapi.UnitQuantity{{ID: unit.ID, Quantity: 1}})
		}
	}
	return parties
}

// forAnother is why a party is tried after one that was refused.
const forAnother = "reserve for another party, as one was refused"

// takesAny reports whether a slot takes one of the parties. Its hold is released.
func (p *Player) takesAny(ctx context.Context, purpose string, offer discover.Offer, parties [][]partnerapi.UnitQuantity) bool {
	seats := offer.Slot.Seats(offer.Product)
	for _, party := range parties {
		if seats.Counted && discover.GuestsIn(party) > seats.Left {
			continue
		}
		made, stop := p.Book.Reserve(ctx, purpose, offer, party, true, probe.GoodKey)
		if stop != nil {
			return false
		}
		if made.IsHeld() {
			_, stop = p.Book.releaseHold(ctx, "release it", made, true)
			return stop == nil
		}
	}
	return false
}
