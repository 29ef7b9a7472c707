package scenario

import (
	"context"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
)

// OptionCheck is a short test of one option: a hold for one guest that is made and released.
type OptionCheck struct{ Opening }

// PlayOptionChecks returns the keys of the options to check.
func PlayOptionChecks(ctx context.Context, p *Player) []string {
	bookable, all := p.bookableOffers(ctx)
	return plan.BookableOptions(bookable, all, p.Depth.OptionChecks())
}

// bookableOffers returns the slots of the survey: those that can be booked, and all.
func (p *Player) bookableOffers(ctx context.Context) (bookable, all []discover.Offer) {
	all = PlaySurvey(ctx, p, 0).Offers
	return discover.Pick(all, discover.Want{Now: p.Clock.Now(), Seats: 1}), all
}

// PlayOptionCheck plays the check of one option. It returns nil when there is no time for it.
func PlayOptionCheck(ctx context.Context, p *Player, optionKey string, attempt int) *OptionCheck {
	name := "option check " + optionKey
	if p.isLateFor(name) {
		return nil
	}
	return playOnce(p, name, attempt, func(v *OptionCheck, _ string) {
		t := p.begin(ctx, &v.Opening, seat("reserve 1 seat, to release it", optionKey))
		t.give("release the hold", true, "after release")
		if v.Stop != nil && v.Stop.Kind == partner.Refused && p.Book.traits.held {
			p.survey.leaveOut(optionKey) // the others can be booked
		}
	})
}

// PlayAllOptionChecks plays the check of every option, while there is time.
func PlayAllOptionChecks(ctx context.Context, p *Player, _ int) (all []*OptionCheck) {
	for _, key := range PlayOptionChecks(ctx, p) {
		if played := PlayOptionCheck(ctx, p, key, 0); played != nil {
			all = append(all, played)
		}
	}
	return all
}

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

// offer returns the best slot that fits and marks it as used.
func (p *Player) offer(ctx context.Context, want discover.Want) (discover.Offer, *partner.Stop) {
	offers, stop := p.Offers(ctx, want)
	if stop != nil {
		return discover.Offer{}, stop
	}
	if p.limited && !p.tried[offers[0].OptionKey()] {
		p.learnLeast(ctx, offers[0].OptionKey())
		return p.offer(ctx, want)
	}
	p.Seats.Use(offers[0])
	return offers[0], nil
}
