package scenario

import (
	"context"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
)

// SharesSeats reports whether the seats of some slots were seen to move together: they draw on the same boat, guide or
// quota, which is lawful.
func (s *Seats) SharesSeats() bool { return s.sharing }

// MovesWith reports whether a hold in one slot takes seats of another, and its release returns them. It makes one hold
// for each pair of slots.
func (p *Player) MovesWith(ctx context.Context, held, other discover.Offer) bool {
	if held.Key() == other.Key() {
		return false
	}
	pair := held.Key() + "\n" + other.Key()
	if known, asked := p.Seats.together[pair]; asked {
		return known
	}
	moves := p.holdMoves(ctx, held, other)
	p.Seats.together[pair] = moves
	p.Seats.sharing = p.Seats.sharing || moves
	return moves
}

func (p *Player) holdMoves(ctx context.Context, held, other discover.Offer) bool {
	before, stop := p.Seats.Look(ctx, other, "before another slot is reserved alone")
	if stop != nil || !before.Counted {
		return false
	}
	made, stop := p.Book.Reserve(ctx, "reserve 1 seat, to see whether another slot shares its seats", held, partner.Guests(held.Option, 1), true, probe.GoodKey)
	if stop != nil || !made.IsHeld() {
		return false
	}
	during, stop := p.Seats.Look(ctx, other, "while another slot is held alone")
	if _, undone := p.Book.releaseHold(ctx, "release it", made, true); stop != nil || undone != nil {
		return false
	}
	after, stop := p.Seats.Look(ctx, other, "after it was released")
	return stop == nil && during.Last.Left < before.Last.Left && after.Last.Left == before.Last.Left
}
