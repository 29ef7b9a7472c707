package scenario

import (
	"context"
	"fmt"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/probe"
)

// reserveAnyway reserves and takes any answer, a refusal too. A hold that was
// made is released at once.
func (b *Booker) reserveAnyway(ctx context.Context, purpose string, offer discover.Offer, n int64) (*probe.Answer, *Stop) {
	made, stop := b.Reserve(ctx, purpose, offer, Guests(offer.Option, n), true, probe.GoodKey)
	if stop != nil {
		return nil, stop
	}
	if made.Held() {
		_, stop = b.releaseHold(ctx, "release it", made, true)
	}
	return made.Answer, stop
}

// mostReserves bounds the reserves that take so many seats, refusals included.
const mostReserves = 10

// take reserves so many seats, in one hold or, where the partner limits its
// parties, in several of half the size, and so on. The purpose has a place for
// the seats in words. Holds are returned also where there is a stop.
func (b *Booker) take(ctx context.Context, offer discover.Offer, seats int64, purpose string) ([]*Hold, *Stop) {
	var holds []*Hold
	party := seats
	for range mostReserves {
		if seats == 0 {
			return holds, nil
		}
		party = min(party, seats)
		made, stop := b.read(b.Reserve(ctx, fmt.Sprintf(purpose, model.SeatsWord(party)), offer, Guests(offer.Option, party), true, probe.GoodKey))
		switch {
		case stop == nil:
			holds = append(holds, made)
			seats -= party
		case stop.Kind == Refused && party > 1:
			party /= 2
		default:
			return holds, stop
		}
	}
	if seats == 0 {
		return holds, nil
	}
	return holds, Missing("no slot has few enough seats to be sold out by %d reserves", mostReserves)
}

// giveAll releases holds.
func (b *Booker) giveAll(ctx context.Context, purpose string, holds []*Hold) *Stop {
	for _, made := range holds {
		if _, stop := b.releaseHold(ctx, purpose, made, true); stop != nil {
			return stop
		}
	}
	return nil
}
