package explore

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
)

// roomForStories is how many seats a slot has left, at the best, that stories are
// played on: enough for several parties, and few enough to be sold out.
const roomForStories = 4

// mostPools bounds the options whose slots stories are played on.
const mostPools = 12

const (
	mostOften = 12          // slots of an option that drawn stories are played on
	mostLast  = 4 * replays // those that are kept for the story that is told
)

// slotPool is the slots of an option that stories are played on.
type slotPool struct {
	often []discover.Offer // for the stories that are drawn, in turn
	once  []discover.Offer // for those that are cut out of one that breaks
	last  []discover.Offer // for the story that is told, when it is played for the last times
	turns int
}

// newSlotPool shares an option's slots out, so that each share has some with few
// seats left and some with many.
func newSlotPool(offers []discover.Offer) *slotPool {
	p := &slotPool{}
	for i, offer := range offers {
		switch {
		case len(p.often) < min(2, len(offers)), i%4 == 0 && len(p.often) < mostOften:
			p.often = append(p.often, offer)
		case i%4 == 2 && len(p.last) < mostLast:
			p.last = append(p.last, offer)
		default:
			p.once = append(p.once, offer)
		}
	}
	return p
}

// inTurn returns the slot on which no story was played for the longest time.
func (p *slotPool) inTurn(int64) (discover.Offer, bool) {
	p.turns++
	return p.often[p.turns%len(p.often)], true
}

// pop takes an offer out that has at least so many seats left, and as few more as
// there is.
func pop(offers *[]discover.Offer, left int64) (discover.Offer, bool) {
	best := -1
	for i, offer := range *offers {
		has := seatsLeft(offer)
		if has >= left && (best < 0 || has < seatsLeft((*offers)[best])) {
			best = i
		}
	}
	if best < 0 {
		return discover.Offer{}, false
	}
	chosen := (*offers)[best]
	*offers = slices.Delete(*offers, best, best+1)
	return chosen, true
}

func seatsLeft(o discover.Offer) int64 { return o.Slot.Seats(o.Product).Left }

// slotPools finds the slots that stories are played on, by their options. Those of
// an option with a single slot are left out where others have more.
func slotPools(ctx context.Context, p *scenario.Player) ([]*slotPool, *scenario.Stop) {
	offers, stop := p.Offers(ctx, discover.Want{Seats: 1, Counted: true, Room: roomForStories, Fewest: true, Late: true})
	if stop != nil {
		return nil, stop
	}
	byOption, order := map[string][]discover.Offer{}, []string{}
	several := false
	for _, offer := range offers {
		key := offer.OptionKey()
		if byOption[key] == nil {
			order = append(order, key)
		}
		byOption[key] = append(byOption[key], offer)
		several = several || len(byOption[key]) > 1
	}
	var pools []*slotPool
	for _, key := range order {
		if offers := byOption[key]; len(pools) < mostPools && (len(offers) > 1 || !several) {
			pools = append(pools, newSlotPool(offers))
		}
	}
	return pools, nil
}
