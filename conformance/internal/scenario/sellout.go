package scenario

import (
	"context"
	"fmt"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// mostFills is how often a slot is filled up when other customers return seats.
const mostFills = 3

// SellOut reserves a slot down to its last seat, requests more seats than there are, and releases
// all of them.
type SellOut struct {
	Opening
	TooMany  Act           // reserve of more guests than seats
	Taken    int64         // seats that the holds of the lifecycle took before a seat was refused
	Full     *Reading      // after the last seat was reserved
	Refused  *partner.Stop // of a seat, although Full shows one left
	Over     Act           // reserve of one or two guests in the full slot; counted if it was not refused
	Released *Reading      // after everything was released
	Again    Act           // reserve of one of the released seats; counted if it was refused

	holds []*Hold
}

// beginWithFewest begins a lifecycle on the slot with the fewest seats: of that option, or of any if
// optionKey is empty. A repeated lifecycle avoids slots that other customers use.
func (p *Player) beginWithFewest(ctx context.Context, opening *Opening, optionKey string) lifecyclePlayer {
	opening.Offer, opening.Stop = p.offer(ctx, discover.Want{Seats: 1, Counted: true, Fewest: true, OptionKey: optionKey, Suits: p.KeepsSeats})
	t := p.continueLifecycle(ctx, opening)
	t.count("before reserve", &opening.Before)
	t.step(func() *partner.Stop { return requireCount(&opening.Offer, opening.Before) })
	return t
}

// PlaySellOut plays it on the slot with the fewest seats. All attempts use slots of one option.
func PlaySellOut(ctx context.Context, p *Player, attempt int) *SellOut {
	return playOnce(p, "sell-out", attempt, func(s *SellOut, option string) {
		t := p.beginWithFewest(ctx, &s.Opening, option)
		if s.Stop == nil {
			left := s.Before.Last.Left
			t.reserve(fmt.Sprintf("reserve more than the %s that are left", model.SeatsWord(left)), partner.Leads(s.Offer.Option, max(left+1, s.Offer.Option.Least)), &s.TooMany, "after too many seats were requested", acceptAnswer)
		}
		t.step(func() *partner.Stop { return s.fill(ctx, p) })
		t.reserve("reserve 1 seat in the full slot", partner.Guests(s.Offer.Option, 1), &s.Over, "after a reserve in the full slot", notTurnedDown)
		// Also after a stop: other tests need these seats.
		if stop := p.Book.giveAll(ctx, "release the last seats", s.holds); s.Stop == nil {
			s.Stop = stop
		}
		t.count("after the release of all seats", &s.Released)
		t.reserve("reserve 1 of the released seats", partner.Guests(s.Offer.Option, 1), &s.Again, "after a released seat was refused", TurnedDown)
	})
}

func notTurnedDown(answer *probe.Answer) bool { return !TurnedDown(answer) }

func acceptAnswer(*probe.Answer) bool { return true }

// Holdless reports whether the holds of the last seats keep none (RSV-8).
func (t *SellOut) Holdless() bool { return Attempts(t.holds).Holdless() }

// fill reserves every seat, including seats that other customers return meanwhile.
func (t *SellOut) fill(ctx context.Context, p *Player) *partner.Stop {
	left := t.TooMany.After.Last.Left
	if !t.TooMany.After.Counted {
		return partner.NotHere("the slot was answered without its vacancies")
	}
	if left < 1 {
		return partner.NotHere(takenMeanwhile)
	}
	for range mostFills {
		holds, stop := p.Book.take(ctx, t.Offer, left, "reserve the last %s")
		t.holds = append(t.holds, holds...)
		if stop != nil && !(stop.Kind == partner.Refused && len(t.holds) > 0) { // a refusal means that others were quicker
			if stop.Kind == partner.Refused && p.TakesMore(ctx, t.Offer) {
				stop = partner.NotHere("the option takes no party of one")
			}
			return stop
		}
		if t.Refused = stop; stop == nil {
			t.Taken += left
		}
		if t.Full, stop = p.Seats.seats(ctx, t.Offer, "after the last seat was reserved"); stop != nil {
			return stop
		}
		if left = t.Full.Last.Left; left < 1 || t.Holdless() {
			break
		}
	}
	return nil
}

// ClosedSlot is a reserve of a slot that the partner shows as sold out or closed.
type ClosedSlot struct {
	Opening
	Act // counted if the reserve was not refused
}

// PlayClosedSlot returns a function that plays ClosedSlot on a slot with that status. Each attempt
// uses another slot while there are any.
func PlayClosedSlot(status partnerapi.SlotStatus) func(context.Context, *Player, int) *ClosedSlot {
	return func(ctx context.Context, p *Player, attempt int) *ClosedSlot {
		return playOnce(p, "shut "+string(status), attempt, func(s *ClosedSlot, _ string) {
			closed := PlaySurvey(ctx, p, 0).closed(status, p.Clock.Now())
			if len(closed) == 0 {
				s.Stop = partner.NewStop("no slot has the status %s", status)
				return
			}
			s.Offer = closed[attempt%len(closed)]
			t := p.continueLifecycle(ctx, &s.Opening)
			t.count("before reserve", &s.Before)
			t.step(func() *partner.Stop {
				if s.Before.Last.Slot.Status != status {
					return partner.NotHere("the slot is no longer %s", status)
				}
				return nil
			})
			guests := 1 + int64(attempt%2)
			t.reserve(fmt.Sprintf("reserve %s in a slot that is %s", model.SeatsWord(guests), status), partner.Guests(s.Offer.Option, guests), &s.Act, "after that", acceptAnswer)
		})
	}
}

// ClosedStatuses are the statuses of slots that cannot be reserved.
var ClosedStatuses = []partnerapi.SlotStatus{partnerapi.StatusSoldOut, partnerapi.StatusClosed}
