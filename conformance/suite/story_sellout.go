package suite

import (
	"context"
	"fmt"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// mostReserves bounds the reserves that empty a slot, refusals included.
	mostReserves = 10
	// mostFills bounds how often a slot is filled up again where other customers
	// give seats back.
	mostFills = 3
)

// sellOutStory empties a slot to its last seat, asks for more than there is,
// and gives the seats back.
type sellOutStory struct {
	offer        discover.Offer
	before       *reading
	tooMany      *probe.Answer // reserve of one guest more than there are seats
	afterTooMany *reading
	full         *reading      // after the last seat was reserved
	over         *probe.Answer // reserve of one guest in the full slot
	released     *reading      // after everything was released
	again        *probe.Answer // reserve of one of the released seats
	afterOver    *reading      // where that in the full slot was not refused
	afterAgain   *reading      // where that of a released seat was refused
	holds        []*hold
	stopped      *obstacle
}

// fewestSeats takes the slot with the fewest seats, of that option or, where the
// key is empty, of any; in a story that is played again, one that others leave alone.
func (s *session) fewestSeats(ctx context.Context, optionKey string) (discover.Offer, *obstacle) {
	survey := s.surveyed(ctx)
	if survey.stopped != nil {
		return discover.Offer{}, survey.stopped
	}
	if s.again {
		s.glance(ctx, optionKey)
	}
	want := discover.Want{Now: s.now(), Seats: 1, Counted: true, Fewest: true, Used: s.used, Moved: s.moved, OptionKey: optionKey}
	candidates := discover.Pick(survey.offers, want)
	if len(candidates) == 0 {
		return discover.Offer{}, s.nothingToBook(want)
	}
	s.used[candidates[0].Key()] = true
	return candidates[0], nil
}

// sellOut plays the story on the slot with the fewest seats; all attempts are on
// slots of one option.
func (s *session) sellOut(ctx context.Context, attempt int) *sellOutStory {
	return play(s, "sell-out", attempt, func(t *sellOutStory) {
		option := ""
		if attempt > 0 {
			option = s.sellOut(ctx, 0).offer.OptionKey()
		}
		if t.offer, t.stopped = s.fewestSeats(ctx, option); t.stopped != nil {
			return
		}
		steps(&t.stopped,
			s.count(ctx, t.offer, "before reserve", &t.before),
			func() *obstacle { return countable(&t.offer, t.before) },
			func() *obstacle { return s.askTooMany(ctx, t) },
			func() *obstacle { return s.fill(ctx, t) },
			func() (o *obstacle) {
				if t.over, o = s.reserveAnyway(ctx, "reserve 1 seat in the full slot", t.offer, 1); o == nil && !turnedDown(t.over) {
					t.afterOver, o = s.seats(ctx, t.offer, "after a reserve in the full slot")
				}
				return o
			},
		)
		// Also where it was stopped: others wait for these seats.
		if o := s.empty(ctx, t); t.stopped == nil {
			t.stopped = o
		}
		steps(&t.stopped,
			s.count(ctx, t.offer, "after the release of all seats", &t.released),
			func() (o *obstacle) {
				if t.again, o = s.reserveAnyway(ctx, "reserve 1 of the released seats", t.offer, 1); o == nil && turnedDown(t.again) {
					t.afterAgain, o = s.seats(ctx, t.offer, "after a released seat was refused")
				}
				return o
			},
		)
	})
}

// turnedDown reports whether a reserve was refused as it may be.
func turnedDown(answer *probe.Answer) bool { return answer.OK(http.StatusBadRequest) }

// countable ends a story where there are no seats to count. Otherwise the offer
// becomes what the reading shows of it.
func countable(offer *discover.Offer, fresh *reading) *obstacle {
	if !fresh.Counted {
		return lacking("no slot that can be booked tells its vacancies")
	}
	if fresh.Left < 1 {
		return notHere(takenMeanwhile)
	}
	offer.Slot = fresh.slot
	return nil
}

// reserveAnyway reserves and takes any answer, a refusal too. A hold that was
// made is released at once.
func (s *session) reserveAnyway(ctx context.Context, purpose string, offer discover.Offer, n int64) (*probe.Answer, *obstacle) {
	answer, entry, o := s.sendReserve(ctx, purpose, offer, guests(offer.Option, n), true, probe.GoodKey)
	if o != nil || entry.State != ledger.Held {
		return answer, o
	}
	_, o = s.releaseHold(ctx, "release it", &hold{entry: entry, answer: answer, code: entry.Code}, true)
	return answer, o
}

func (s *session) askTooMany(ctx context.Context, t *sellOutStory) (o *obstacle) {
	more := t.before.Left + 1
	if t.tooMany, o = s.reserveAnyway(ctx, fmt.Sprintf("reserve %s where %d are left", seatsWord(more), t.before.Left), t.offer, more); o != nil {
		return o
	}
	t.afterTooMany, o = s.seats(ctx, t.offer, "after too many were asked for")
	return o
}

// fill reserves every seat, those too that other customers give back meanwhile.
func (s *session) fill(ctx context.Context, t *sellOutStory) *obstacle {
	left := t.afterTooMany.Left
	if left < 1 {
		return notHere(takenMeanwhile)
	}
	for range mostFills {
		holds, o := s.take(ctx, t.offer, left, "reserve the last %s")
		t.holds = append(t.holds, holds...)
		if o != nil && !(o.refused && len(t.holds) > 0) { // refused, once others were quicker
			return o
		}
		if t.full, o = s.seats(ctx, t.offer, "after the last seat was reserved"); o != nil {
			return o
		}
		if left = t.full.Left; left < 1 || s.holdless {
			break
		}
	}
	return nil
}

// take reserves so many seats, in one hold or, where the partner limits its
// parties, in several of half the size, and so on. The purpose has a place for
// the seats in words. Holds are returned also where there is an obstacle.
func (s *session) take(ctx context.Context, offer discover.Offer, seats int64, purpose string) ([]*hold, *obstacle) {
	var holds []*hold
	party := seats
	for range mostReserves {
		if seats == 0 {
			return holds, nil
		}
		party = min(party, seats)
		made, o := s.reserve(ctx, fmt.Sprintf(purpose, seatsWord(party)), offer, guests(offer.Option, party), true)
		switch {
		case o == nil:
			holds = append(holds, made)
			seats -= party
		case o.refused && party > 1:
			party /= 2
		default:
			return holds, o
		}
	}
	if seats == 0 {
		return holds, nil
	}
	return holds, missing("no slot has few enough seats to be sold out by %d reserves", mostReserves)
}

// empty releases what fill reserved.
func (s *session) empty(ctx context.Context, t *sellOutStory) *obstacle {
	for _, made := range t.holds {
		if _, o := s.releaseHold(ctx, "release the last seats", made, true); o != nil {
			return o
		}
	}
	return nil
}

// shutStory is a reserve of a slot that the partner itself shows as sold out or
// closed.
type shutStory struct {
	offer   discover.Offer
	fresh   *reading
	answer  *probe.Answer
	after   *reading // where the reserve was not refused
	stopped *obstacle
}

// shut plays the story on a slot of that status, and each attempt on another as far
// as there are some.
func (s *session) shut(ctx context.Context, status partnerapi.SlotStatus, attempt int) *shutStory {
	return play(s, "shut "+string(status), attempt, func(t *shutStory) {
		shut := s.shutSlots(ctx, status)
		if len(shut) == 0 {
			t.stopped = missing("no slot is %s", status)
			return
		}
		t.offer = shut[attempt%len(shut)]
		steps(&t.stopped,
			s.count(ctx, t.offer, "before reserve", &t.fresh),
			func() (o *obstacle) {
				if t.fresh.slot.Status != status {
					return notHere("the slot that was %s is so no longer", status)
				}
				t.answer, o = s.reserveAnyway(ctx, fmt.Sprintf("reserve 1 seat in a slot that is %s", status), t.offer, 1)
				if o == nil && !turnedDown(t.answer) {
					t.after, o = s.seats(ctx, t.offer, "after that")
				}
				return o
			},
		)
	})
}

// shutSlots lists the slots to come of that status, as the survey found them.
func (s *session) shutSlots(ctx context.Context, status partnerapi.SlotStatus) (shut []discover.Offer) {
	for _, offer := range s.surveyed(ctx).offers {
		if offer.Slot.Status == status && offer.Slot.ID != "" && offer.Slot.Start.After(s.now()) && offer.Option.Lead() != "" {
			shut = append(shut, offer)
		}
	}
	return shut
}
