package scenario

import (
	"context"
	"fmt"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/plural"
)

// mostDeclared is the size of the largest party that is tried because an option declares it.
const mostDeclared = 20

// LimitedOption is what an option that declares limits of a party does with parties at these limits.
type LimitedOption struct {
	Offer   discover.Offer
	Within  []TriedParty // the smallest and the largest party
	Outside []TriedParty // one guest fewer, and one more
	Untried string       // why the largest party was not tried; "" if it was, or none is declared
	Scarce  bool         // it was not tried because no slot has the seats
	Stop    *partner.Stop
}

// TriedParty is a party for which a reserve was sent. Its hold, if there was one, is released.
type TriedParty struct {
	Guests int64
	Answer *probe.Answer
	Taken  bool // other customers took the seats meanwhile, so the answer shows nothing
}

// OptionKey returns the key of the option.
func (l *LimitedOption) OptionKey() string { return l.Offer.OptionKey() }

// DeclaresLimits reports whether an option of the catalog declares limits of a party.
func (v *Survey) DeclaresLimits() bool {
	for _, product := range v.Products {
		for _, option := range product.Options {
			if option.Limits.Declared() {
				return true
			}
		}
	}
	return false
}

// PlayLimitedOptions tries parties at the limits that options declare: in one slot of each option, while there is time.
func PlayLimitedOptions(ctx context.Context, p *Player, _ int) (all []*LimitedOption) {
	bookable, offers := p.bookableOffers(ctx)
	var declaring []discover.Offer
	for _, offer := range bookable {
		if offer.Option.Limits.Declared() {
			declaring = append(declaring, offer)
		}
	}
	for _, key := range plan.BookableOptions(declaring, offers, p.Depth.OptionChecks()) {
		if p.Time.LateForMore() {
			break
		}
		all = append(all, playOnce(p, "party limits "+key, 0, func(l *LimitedOption, _ string) { l.play(ctx, p, key) }))
	}
	return all
}

func (l *LimitedOption) play(ctx context.Context, p *Player, key string) {
	largest := l.choose(ctx, p, key)
	if l.Stop != nil {
		return
	}
	limits := l.Offer.Option.Limits
	before, stop := p.Seats.seats(ctx, l.Offer, "before parties at the declared limits")
	if l.Stop = stop; stop != nil {
		return
	}
	l.Offer.Slot = before.Last.Slot
	fits := func(guests int64) bool {
		return before.Last.Slot.IsUnlimited(before.Offer.Product) || before.Counted && guests <= before.Last.Left
	}
	l.try(ctx, p, before, &l.Within, l.Offer.Option.Fit(1))
	switch {
	case largest > mostDeclared:
		l.Untried = fmt.Sprintf("product %q, option %q: parties of %d guests are not tried, because a run reserves for at most %d", l.Offer.Product.ID, l.Offer.Option.ID, largest, mostDeclared)
	case fits(largest):
		l.try(ctx, p, before, &l.Within, largest)
	case limits.Max > 0:
		l.Scarce = true
		l.Untried = fmt.Sprintf("product %q, option %q: no slot shows seats for the largest party that the option declares, %s", l.Offer.Product.ID, l.Offer.Option.ID, plural.Count(int(largest), "guest"))
	}
	if limits.Min > 1 {
		l.try(ctx, p, before, &l.Outside, limits.Min-1)
	}
	// Where the slot has no more seats than the largest party takes, one more guest has to be refused for that reason too.
	if limits.Max > 0 && largest <= mostDeclared && fits(largest) {
		l.try(ctx, p, before, &l.Outside, largest+1)
	}
}

// choose chooses a slot with as many seats as the parties need, or with fewer, and returns the size of the largest party to
// be tried: the declared one. Without one it is a multiple of the smallest, because an option may be sold in groups.
func (l *LimitedOption) choose(ctx context.Context, p *Player, key string) (largest int64) {
	for _, offer := range p.survey.Offers {
		if offer.OptionKey() == key {
			if largest = offer.Option.Limits.Max; largest == 0 {
				largest = 2 * offer.Option.Limits.Min
			}
			break
		}
	}
	for _, seats := range []int64{largest + 1, largest, 1} {
		if l.Offer, l.Stop = p.offer(ctx, discover.Want{Seats: seats, Counted: true, OptionKey: key}); l.Stop == nil {
			break
		}
	}
	return largest
}

// try reserves for a party and releases its hold. A refusal that other customers may have caused is tried again.
func (l *LimitedOption) try(ctx context.Context, p *Player, before *Reading, into *[]TriedParty, guests int64) {
	for refusals := 1; l.Stop == nil; refusals++ {
		tried := TriedParty{Guests: guests}
		tried.Answer, l.Stop = p.Book.reserveAnyway(ctx, "reserve "+model.SeatsWord(guests)+", at a limit that the option declares", l.Offer, partner.Leads(l.Offer.Option, guests), true)
		if l.Stop != nil {
			return
		}
		refusedWithin := into == &l.Within && TurnedDown(tried.Answer)
		tried.Taken = refusedWithin && p.hasVanished(ctx, l.Offer, guests)
		if refusedWithin && !tried.Taken && refusals < mostRefusals && p.Seats.othersPossible(ctx, before) {
			continue
		}
		*into = append(*into, tried)
		return
	}
}
