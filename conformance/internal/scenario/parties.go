package scenario

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// learnLeast returns the smallest party that an option takes, as far as a check of it shows; 0: one guest.
func (p *Player) learnLeast(ctx context.Context, option string) int64 {
	if !p.tried[option] {
		p.tried[option] = true
		PlayOptionCheck(ctx, p, option, 0)
	}
	return p.survey.leastOf(option)
}

// TakesMore reports whether an option that has refused a party takes larger ones: a partner may refuse parties that are too
// small.
func (p *Player) TakesMore(ctx context.Context, refused discover.Offer) bool {
	return refused.Option.Least == 0 && p.learnLeast(ctx, refused.OptionKey()) > 0
}

// mostLeast is the largest party that is tried where smaller ones are refused.
const mostLeast = 4

// takesMore reports whether an option that refuses a party takes a larger one, which is that of the hold then, and the
// smallest party of the option from then on: a partner may sell to no fewer than two.
func (p *Player) takesMore(ctx context.Context, opened *Opening, reserve func() (*Hold, *partner.Stop)) bool {
	alone := len(opened.Units) == 1 && opened.Units[0].ID == opened.Offer.Option.Lead()
	// The form of another body may be what is refused, which says nothing about parties.
	if opened.Stop.Kind != partner.Refused || !alone || opened.body != partner.FullBody || p.on.Case != nil || opened.Offer.Option.Least > opened.Offer.Option.Limits.Min {
		return false
	}
	p.tried[opened.OptionKey()] = true
	refusal, units := opened.Stop, opened.Units
	for guests := opened.Guests + 1; guests <= opened.Offer.Option.Fit(opened.Offer.Option.Limits.Min+mostLeast) && (!opened.Before.Counted || guests <= opened.Before.Last.Left); guests++ {
		opened.Units = partner.Guests(opened.Offer.Option, guests)
		if opened.Hold, opened.Stop = reserve(); opened.Stop == nil {
			p.survey.setLeast(opened.OptionKey(), guests)
			opened.Guests, opened.Offer.Option.Least, p.limited = guests, guests, true
			return true
		}
		if opened.Stop.Kind != partner.Refused {
			return false
		}
	}
	opened.Stop, opened.Units = refusal, units
	if p.takesAny(ctx, opened.Offer, otherTypes(opened.Offer.Option)) {
		opened.Stop = partner.NotHere("the option takes no party of one guest type")
	}
	return false
}

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
		known = p.takesAny(ctx, offer, parties)
		p.others[offer.Key()] = known
	}
	return known
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

// takesAny reports whether a slot takes one of the parties. Its hold is released.
func (p *Player) takesAny(ctx context.Context, offer discover.Offer, parties [][]partnerapi.UnitQuantity) bool {
	seats := offer.Slot.Seats(offer.Product)
	for _, party := range parties {
		if seats.Counted && (wish{offer, party}).guests() > seats.Left {
			continue
		}
		made, stop := p.Book.Reserve(ctx, "reserve for another party, as one was refused", offer, party, true, probe.GoodKey)
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
