package scenario

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// mostFills is how often a slot is filled up when other customers return seats.
const mostFills = 3

// SellOut reserves a slot down to its last seat, requests more seats than there are, and releases
// all of them.
type SellOut struct {
	Opening
	TooMany  Act      // reserve of more guests than seats
	Taken    int64    // seats that the holds of the story took before a seat was refused
	Full     *Reading // after the last seat was reserved
	Refused  *Stop    // of a seat, although Full shows one left
	Over     Act      // reserve of one or two guests in the full slot; counted if it was not refused
	Released *Reading // after everything was released
	Again    Act      // reserve of one of the released seats; counted if it was refused

	holds []*Hold
}

// beginWithFewest begins a story on the slot with the fewest seats: of that option, or of any if
// optionKey is empty. A repeated story avoids slots that other customers use.
func (p *Player) beginWithFewest(ctx context.Context, story *Opening, optionKey string) storyPlayer {
	if story.Case = p.on; p.on != nil {
		story.Offer = p.on.Offer
		p.Seats.Use(story.Offer)
	} else {
		story.Offer, story.Stop = p.offer(ctx, discover.Want{Seats: 1, Counted: true, Fewest: true, OptionKey: optionKey})
	}
	t := p.continueStory(ctx, story)
	t.count("before reserve", &story.Before)
	t.step(func() *Stop { return countable(&story.Offer, story.Before) })
	return t
}

// PlaySellOut plays it on the slot with the fewest seats. All attempts use slots of one option.
func PlaySellOut(ctx context.Context, p *Player, attempt int) *SellOut {
	return played(p, p.named("sell-out"), attempt, func(s *SellOut, option string) {
		t := p.beginWithFewest(ctx, &s.Opening, option)
		if s.Stop == nil {
			left := s.Before.Last.Left
			t.reserve(fmt.Sprintf("reserve more than the %s that are left", model.SeatsWord(left)), p.tooMany(s.Offer, left), &s.TooMany, "after too many seats were requested", always)
			if p.on != nil && left > mostFilled {
				t.step(func() *Stop { return NotHere("the slot has too many seats to be sold out") })
			}
		}
		t.step(func() *Stop { return s.fill(ctx, p) })
		guests := int64(1)
		if p.on != nil {
			guests += int64(p.on.Number % 2)
		}
		t.reserve(fmt.Sprintf("reserve %s in the full slot", model.SeatsWord(guests)), Guests(s.Offer.Option, guests), &s.Over, "after a reserve in the full slot", notTurnedDown)
		// Also after a stop: other tests need these seats.
		if stop := p.Book.giveAll(ctx, "release the last seats", s.holds); s.Stop == nil {
			s.Stop = stop
		}
		t.count("after the release of all seats", &s.Released)
		t.reserve("reserve 1 of the released seats", Guests(s.Offer.Option, 1), &s.Again, "after a released seat was refused", TurnedDown)
	})
}

// mostFilled is the maximum number of seats of a case's slot that are reserved to sell it out.
const mostFilled = 6

// farTooMany is the number of guests in excess of the seats in every second case.
const farTooMany = 25

// tooMany returns a party with more guests than seats: one more, or many more in every second case.
// It uses the case's guest types if at least one of them certainly takes a seat.
func (p *Player) tooMany(offer discover.Offer, left int64) []partnerapi.UnitQuantity {
	guests := left + 1
	if p.on != nil && p.on.Number%2 == 0 {
		guests = left + farTooMany
	}
	if p.on == nil || p.on.Guests() == p.on.Infants {
		return Guests(offer.Option, guests)
	}
	party, missing := slices.Clone(p.on.Units), guests-(p.on.Guests()-p.on.Infants)
	for i, unit := range party {
		if offer.Option.Unit(unit.ID).Type != partnerapi.Infant {
			party[i].Quantity = max(1, unit.Quantity+int(missing))
			break
		}
	}
	return party
}

// TurnedDown reports whether a reserve was refused with the status that the contract provides.
func TurnedDown(answer *probe.Answer) bool { return answer.OK(http.StatusBadRequest) }

func notTurnedDown(answer *probe.Answer) bool { return !TurnedDown(answer) }

func always(*probe.Answer) bool { return true }

// countable returns a stop if there are no seats to count. Otherwise it updates the offer's slot
// from the reading.
func countable(offer *discover.Offer, fresh *Reading) *Stop {
	if !fresh.Counted {
		stop := Missing("no bookable slot states its vacancies")
		stop.Kind = Unsupported
		return stop
	}
	if fresh.Last.Left < 1 {
		return NotHere(takenMeanwhile)
	}
	offer.Slot = fresh.Last.Slot
	return nil
}

// fill reserves every seat, including seats that other customers return meanwhile.
func (t *SellOut) fill(ctx context.Context, p *Player) *Stop {
	left := t.TooMany.After.Last.Left
	if left < 1 {
		return NotHere(takenMeanwhile)
	}
	for range mostFills {
		holds, stop := p.Book.take(ctx, t.Offer, left, "reserve the last %s")
		t.holds = append(t.holds, holds...)
		if stop != nil && !(stop.Kind == Refused && len(t.holds) > 0) { // a refusal means that others were quicker
			return stop
		}
		if t.Refused = stop; stop == nil {
			t.Taken += left
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

// ClosedSlot is a reserve of a slot that the partner shows as sold out or closed.
type ClosedSlot struct {
	Opening
	Act // counted if the reserve was not refused
}

// PlayClosedSlot returns a function that plays ClosedSlot on a slot with that status. Each attempt
// uses another slot while there are any.
func PlayClosedSlot(status partnerapi.SlotStatus) func(context.Context, *Player, int) *ClosedSlot {
	return func(ctx context.Context, p *Player, attempt int) *ClosedSlot {
		return played(p, "shut "+string(status), attempt, func(s *ClosedSlot, _ string) {
			closed := p.closedSlots(ctx, status)
			if len(closed) == 0 {
				s.Stop = Missing("no slot has the status %s", status)
				return
			}
			s.Offer = closed[attempt%len(closed)]
			t := p.continueStory(ctx, &s.Opening)
			t.count("before reserve", &s.Before)
			t.step(func() *Stop {
				if s.Before.Last.Slot.Status != status {
					return NotHere("the slot is no longer %s", status)
				}
				return nil
			})
			guests := 1 + int64(attempt%2)
			t.reserve(fmt.Sprintf("reserve %s in a slot that is %s", model.SeatsWord(guests), status), Guests(s.Offer.Option, guests), &s.Act, "after that", notTurnedDown)
		})
	}
}

// closedSlots returns the slots with a status: one slot of each option, then a second of each, and
// so on. Alternating the first, last and middle slots covers many days with a few slots.
func (p *Player) closedSlots(ctx context.Context, status partnerapi.SlotStatus) (all []discover.Offer) {
	var options [][]discover.Offer
	known := map[string]int{}
	for _, offer := range PlaySurvey(ctx, p, 0).Offers {
		if offer.Slot.Status != status || offer.Slot.ID == "" || !offer.Slot.Start.After(p.Clock.Now()) || offer.Option.Lead() == "" {
			continue
		}
		i, seen := known[offer.OptionKey()]
		if !seen {
			i = len(options)
			known[offer.OptionKey()], options = i, append(options, nil)
		}
		options[i] = append(options[i], offer)
	}
	for i := range options {
		options[i] = plan.EndsFirst(options[i], i)
	}
	for round, more := 0, true; more; round++ {
		more = false
		for _, slots := range options {
			if round < len(slots) {
				all, more = append(all, slots[round]), true
			}
		}
	}
	return all
}

var ClosedStatuses = []partnerapi.SlotStatus{partnerapi.StatusSoldOut, partnerapi.StatusClosed}
