package suite

import (
	"context"
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
)

const (
	// fewSeats is how many seats a slot is sold down to before a race for them.
	fewSeats = 2
	// moreCallers is how many callers there are for whom there is no seat.
	moreCallers = 4
	// swappers is how many callers reserve while a hold is released.
	swappers = 3
)

// bid is one reserve of a race.
type bid struct {
	answer *probe.Answer
	entry  *ledger.Entry
	code   string // of the hold that it won; "" where it won none
}

func (b bid) won() bool { return b.code != "" }

// bidsOf enters the answers to the bids, in their order.
func bidsOf(bids []bid, answers []*probe.Answer) []bid {
	for i := range bids {
		bids[i].answer = answers[i]
		if bids[i].entry.State == ledger.Held {
			bids[i].code = bids[i].entry.Code
		}
	}
	return bids
}

// lastSeatsStory is a race for the last seats of a slot, and then one for the seat
// of a hold that is released, twice at the same time.
type lastSeatsStory struct {
	offer  discover.Offer
	start  *reading
	others []*hold // that sell the slot down

	scarce  *reading // before the race
	bids    []bid
	full    *reading
	bidding bool // calm before and after

	releases []*probe.Answer // of the first hold that was won
	look     *reading        // at the same time
	swaps    []bid           // at the same time
	swapped  *reading
	swapping bool // calm before and after

	stopped *obstacle
}

// lastSeats plays the story on a slot with few seats; all attempts are on slots of
// one option.
func (s *session) lastSeats(ctx context.Context, attempt int) *lastSeatsStory {
	return play(s, "last seats", attempt, func(t *lastSeatsStory) {
		option := ""
		if attempt > 0 {
			option = s.lastSeats(ctx, 0).offer.OptionKey()
		}
		if t.offer, t.stopped = s.fewestSeats(ctx, option); t.stopped != nil {
			return
		}
		steps(&t.stopped,
			s.count(ctx, t.offer, "before reserve", &t.start),
			func() *obstacle { return countable(&t.offer, t.start) },
			func() *obstacle { return s.sellDown(ctx, t) },
			func() *obstacle { return s.bidForAll(ctx, t) },
			func() *obstacle { return s.swap(ctx, t) },
		)
		// Also where it was stopped: others wait for these seats.
		if o := s.leave(ctx, t); t.stopped == nil {
			t.stopped = o
		}
	})
}

// sellDown leaves few seats in the slot: so few that there are callers enough to
// ask for more.
func (s *session) sellDown(ctx context.Context, t *lastSeatsStory) (o *obstacle) {
	few := min(fewSeats, s.callers()-1)
	if t.start.Left > few {
		t.others, o = s.take(ctx, t.offer, t.start.Left-few, "reserve %s, to leave "+seatsWord(few))
	}
	return o
}

// bidForAll is the race for the last seats.
func (s *session) bidForAll(ctx context.Context, t *lastSeatsStory) (o *obstacle) {
	var before, after bool
	callers := s.callers()
	if t.scarce, before, o = s.settled(ctx, t.offer, "before the race", callers); o != nil {
		return o
	}
	if t.scarce.Left < 1 || t.scarce.Left >= callers {
		return notHere("other customers moved the seats of the slot with the fewest")
	}
	if o = s.mayRace(ctx, rule.ReserveLimit); o != nil {
		return o
	}
	calls, bids, o := s.bidding(ctx, t.offer, int(min(callers, t.scarce.Left+moreCallers)))
	if o != nil {
		return o
	}
	answers := atOnce(calls...)
	if o = answeredAll(answers); o != nil {
		return o
	}
	t.bids = bidsOf(bids, answers)
	if away := turnedAway(answers); int64(len(bids))-away <= t.scarce.Left {
		return tooFewMet(away, len(bids))
	}
	t.full, after, o = s.settled(ctx, t.offer, "after the race", 1)
	t.bidding = before && after
	return o
}

// bidding prepares reserves of one seat that are to be sent at the same time.
// Each is in the ledger before, and what came of it before anything else happens.
// They outlive an interrupt, as a single one does.
func (s *session) bidding(ctx context.Context, offer discover.Offer, callers int) ([]func() *probe.Answer, []bid, *obstacle) {
	calls, bids := make([]func() *probe.Answer, callers), make([]bid, callers)
	party := guests(offer.Option, 1)
	for i := range callers {
		purpose := fmt.Sprintf("reserve 1 seat, at the same time as others (%d of %d)", i+1, callers)
		entry, o := s.attempt(offer, party)
		if o != nil {
			for _, b := range bids[:i] { // they are not sent
				s.ledger.Record(b.entry, func(e *ledger.Entry) { recordReserve(e, nil) })
			}
			return nil, nil, o
		}
		send := s.racing(context.WithoutCancel(ctx), rule.ReserveLimit, reserveCall(purpose, entry, true, probe.GoodKey))
		bids[i].entry = entry
		calls[i] = func() *probe.Answer {
			answer := send()
			s.ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
			return answer
		}
	}
	return calls, bids, nil
}

// swap is the race for the seat of a hold that is released twice.
func (s *session) swap(ctx context.Context, t *lastSeatsStory) *obstacle {
	code := ""
	for _, b := range t.bids {
		if b.won() {
			code = b.code
			break
		}
	}
	if code == "" {
		return notHere("other customers got the last seats of the slot")
	}
	if o := s.mayRace(ctx, rule.ReserveLimit, rule.ReleaseLimit); o != nil {
		return o
	}
	release := s.racing(ctx, rule.ReleaseLimit, releaseCall("release a hold, at the same time as others", code, true, probe.GoodKey))
	question := questionAbout(t.offer)
	const when = "while others reserve and release"
	look := s.racing(ctx, rule.AvailabilityLimit, availabilityCall("seats left "+when, question.product, question.option, question.window, probe.GoodKey))
	calls, bids, o := s.bidding(ctx, t.offer, int(min(s.callers(), swappers)))
	if o != nil {
		return o
	}
	answers := atOnce(append(calls, release, release, look)...)
	if o := answeredAll(answers); o != nil {
		return o
	}
	t.swaps = bidsOf(bids, answers)
	if o := metAll(answers[len(bids):]); o != nil {
		return o
	}
	question.answer = answers[len(answers)-1]
	if t.look, o = s.readSeats(ctx, t.offer, when, question); o != nil {
		return o
	}
	t.releases = answers[len(bids) : len(bids)+2]
	t.swapped, t.swapping, o = s.settled(ctx, t.offer, "after it", 1)
	return o
}

// leave releases all that the story holds.
func (s *session) leave(ctx context.Context, t *lastSeatsStory) *obstacle {
	holds := t.others
	for _, b := range slices.Concat(t.bids, t.swaps) {
		if b.won() {
			holds = append(holds, &hold{entry: b.entry, answer: b.answer, code: b.code})
		}
	}
	for _, made := range holds {
		if _, o := s.releaseHold(ctx, "release it", made, true); o != nil {
			return o
		}
	}
	return nil
}
