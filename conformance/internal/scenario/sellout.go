package scenario

import (
	"context"
	"fmt"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// mostFills bounds how often a slot is filled up again where other customers
// give seats back.
const mostFills = 3

// SellOut empties a slot to its last seat, asks for more than there is,
// and gives the seats back.
type SellOut struct {
	Offer        discover.Offer
	Traits       Traits
	Before       *Reading
	TooMany      *probe.Answer // reserve of one guest more than there are seats
	AfterTooMany *Reading
	Full         *Reading      // after the last seat was reserved
	Over         *probe.Answer // reserve of one guest in the full slot
	Released     *Reading      // after everything was released
	Again        *probe.Answer // reserve of one of the released seats
	AfterOver    *Reading      // where that in the full slot was not refused
	AfterAgain   *Reading      // where that of a released seat was refused
	Stop         *Stop

	holds []*Hold
}

// fewestSeats takes the slot with the fewest seats, of that option or, where the
// key is empty, of any; in a story that is played again, one that others leave alone.
func (p *Player) fewestSeats(ctx context.Context, optionKey string) (discover.Offer, *Stop) {
	return p.offer(ctx, discover.Want{Seats: 1, Counted: true, Fewest: true, OptionKey: optionKey})
}

// PlaySellOut plays it on the slot with the fewest seats; all attempts are on
// slots of one option.
func PlaySellOut(ctx context.Context, p *Player, attempt int) *SellOut {
	story := played(p, "sell-out", attempt, func(t *SellOut) {
		option := optionOf(attempt, func() discover.Offer { return PlaySellOut(ctx, p, 0).Offer })
		if t.Offer, t.Stop = p.fewestSeats(ctx, option); t.Stop != nil {
			return
		}
		steps(&t.Stop,
			p.count(ctx, t.Offer, "before reserve", &t.Before),
			func() *Stop { return countable(&t.Offer, t.Before) },
			func() *Stop { return t.askTooMany(ctx, p) },
			func() *Stop { return t.fill(ctx, p) },
			func() (stop *Stop) {
				if t.Over, stop = p.Book.reserveAnyway(ctx, "reserve 1 seat in the full slot", t.Offer, 1); stop == nil && !TurnedDown(t.Over) {
					t.AfterOver, stop = p.Seats.seats(ctx, t.Offer, "after a reserve in the full slot")
				}
				return stop
			},
		)
		// Also where it was stopped: others wait for these seats.
		if stop := p.Book.giveAll(ctx, "release the last seats", t.holds); t.Stop == nil {
			t.Stop = stop
		}
		steps(&t.Stop,
			p.count(ctx, t.Offer, "after the release of all seats", &t.Released),
			func() (stop *Stop) {
				if t.Again, stop = p.Book.reserveAnyway(ctx, "reserve 1 of the released seats", t.Offer, 1); stop == nil && TurnedDown(t.Again) {
					t.AfterAgain, stop = p.Seats.seats(ctx, t.Offer, "after a released seat was refused")
				}
				return stop
			},
		)
	})
	story.Traits = *p.Book.traits
	return story
}

// TurnedDown reports whether a reserve was refused as it may be.
func TurnedDown(answer *probe.Answer) bool { return answer.OK(http.StatusBadRequest) }

// countable ends a story where there are no seats to count. Otherwise the offer
// becomes what the reading shows of it.
func countable(offer *discover.Offer, fresh *Reading) *Stop {
	if !fresh.Counted {
		stop := Missing("no slot that can be booked tells its vacancies")
		stop.Kind = Unsupported
		return stop
	}
	if fresh.Last.Left < 1 {
		return NotHere(takenMeanwhile)
	}
	offer.Slot = fresh.Last.Slot
	return nil
}

func (t *SellOut) askTooMany(ctx context.Context, p *Player) (stop *Stop) {
	more := t.Before.Last.Left + 1
	if t.TooMany, stop = p.Book.reserveAnyway(ctx, fmt.Sprintf("reserve %s where %d are left", model.SeatsWord(more), t.Before.Last.Left), t.Offer, more); stop != nil {
		return stop
	}
	t.AfterTooMany, stop = p.Seats.seats(ctx, t.Offer, "after too many were asked for")
	return stop
}

// fill reserves every seat, those too that other customers give back meanwhile.
func (t *SellOut) fill(ctx context.Context, p *Player) *Stop {
	left := t.AfterTooMany.Last.Left
	if left < 1 {
		return NotHere(takenMeanwhile)
	}
	for range mostFills {
		holds, stop := p.Book.take(ctx, t.Offer, left, "reserve the last %s")
		t.holds = append(t.holds, holds...)
		if stop != nil && !(stop.Kind == Refused && len(t.holds) > 0) { // refused, once others were quicker
			return stop
		}
		if t.Full, stop = p.Seats.seats(ctx, t.Offer, "after the last seat was reserved"); stop != nil {
			return stop
		}
		if left = t.Full.Last.Left; left < 1 || p.Book.traits.Holdless {
			break
		}
	}
	return nil
}

// ClosedSlot is a reserve of a slot that the partner itself shows as sold out or
// closed.
type ClosedSlot struct {
	Offer  discover.Offer
	Fresh  *Reading
	Answer *probe.Answer
	After  *Reading // where the reserve was not refused
	Stop   *Stop
}

// PlayClosedSlot returns the player of that story on a slot of a status; each attempt
// is on another as far as there are some.
func PlayClosedSlot(status partnerapi.SlotStatus) func(context.Context, *Player, int) *ClosedSlot {
	return func(ctx context.Context, p *Player, attempt int) *ClosedSlot {
		return played(p, "shut "+string(status), attempt, func(t *ClosedSlot) {
			closed := p.closedSlots(ctx, status)
			if len(closed) == 0 {
				t.Stop = Missing("no slot is %s", status)
				return
			}
			t.Offer = closed[attempt%len(closed)]
			steps(&t.Stop,
				p.count(ctx, t.Offer, "before reserve", &t.Fresh),
				func() (stop *Stop) {
					if t.Fresh.Last.Slot.Status != status {
						return NotHere("the slot that was %s is so no longer", status)
					}
					t.Answer, stop = p.Book.reserveAnyway(ctx, fmt.Sprintf("reserve 1 seat in a slot that is %s", status), t.Offer, 1)
					if stop == nil && !TurnedDown(t.Answer) {
						t.After, stop = p.Seats.seats(ctx, t.Offer, "after that")
					}
					return stop
				},
			)
		})
	}
}

// closedSlots lists the slots to come of that status, as the survey found them.
func (p *Player) closedSlots(ctx context.Context, status partnerapi.SlotStatus) (closed []discover.Offer) {
	for _, offer := range PlaySurvey(ctx, p, 0).Offers {
		if offer.Slot.Status == status && offer.Slot.ID != "" && offer.Slot.Start.After(p.Clock.Now()) && offer.Option.Lead() != "" {
			closed = append(closed, offer)
		}
	}
	return closed
}

var ClosedStatuses = []partnerapi.SlotStatus{partnerapi.StatusSoldOut, partnerapi.StatusClosed}
