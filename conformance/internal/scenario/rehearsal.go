package scenario

import (
	"context"
	"maps"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// leastForSeveral is the number of bookable slots with counted seats that a partner must have for several stories at the same
// time, so that each finds slots of its own.
const leastForSeveral = 40

// StoriesAtOnce returns how many stories are played at the same time, in different slots: one, unless the partner is so slow
// that the plan does not fit in the run's time otherwise. Where slots share their seats, or other customers book too, stories
// would show the seats of each other.
func (p *Player) StoriesAtOnce() int {
	fits := time.Duration(p.Depth.UsualCalls().Calls)*p.Calls.Usual(partnerapi.Endpoints()...) < p.Time.MaxDuration()
	if fits || p.NoRaces || p.Seats.SharesSeats() || p.Seats.OthersSeen() || p.Time.WasTurnedAway() {
		return 1
	}
	if len(discover.Pick(p.survey.Offers, discover.Want{Now: p.Clock.Now(), Seats: 1, Counted: true})) < leastForSeveral {
		return 1
	}
	return int(p.Calls.Callers())
}

// Story is what was played act by act.
type Story interface {
	PlayedActs() ([]PlayedAct, *partner.Stop)
}

// Rehearse plays the lifecycles that rules are judged on at the same time, at a slow partner, so that they are known when a
// rule requests them. The first booking must have shown that holds and bookings can be made.
func Rehearse(ctx context.Context, p *Player, isDoubtful func(Story) bool) {
	if p.ReadOnly || PlayBooking(ctx, p, 0).Stop != nil || p.limited || p.StoriesAtOnce() == 1 {
		return
	}
	stories := []func() Story{
		func() Story { return PlayHolding(ctx, p, 0) },
		func() Story { return PlaySecondBooking(ctx, p, 0) },
		func() Story { return PlayWrongKeys(ctx, p, 0) },
		func() Story { return PlayMixedParty(ctx, p, 0) },
		func() Story { return PlayOpenRelease(ctx, p, 0) },
		func() Story { return p.unusualBooking(ctx, partner.ForeignGuest) },
		func() Story { return p.unusualBooking(ctx, partner.UnnamedFields) },
	}
	for _, option := range PlayOptionChecks(ctx, p) {
		stories = append(stories, func() Story { return PlayOptionCheck(ctx, p, option, 0) })
	}
	p.playAtOnce(ctx, stories, isDoubtful)
}

// playAtOnce plays stories, several at the same time at a slow partner. What is doubtful then, or was not played to its end, is
// forgotten: it is played again, alone, when it is requested.
func (p *Player) playAtOnce(ctx context.Context, stories []func() Story, isDoubtful func(Story) bool) {
	n := p.StoriesAtOnce()
	p.Calls.Interleave(n, func() func() {
		if len(stories) == 0 || ctx.Err() != nil {
			return nil
		}
		play := stories[0]
		stories = stories[1:]
		return func() {
			played := play()
			if n == 1 {
				return
			}
			if _, stop := played.PlayedActs(); stop != nil || isDoubtful(played) {
				maps.DeleteFunc(p.memory, func(_ string, known any) bool { return known == any(played) })
			}
		}
	})
}
