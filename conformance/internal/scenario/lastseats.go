package scenario

import (
	"context"
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// fewSeats is how many seats a slot is sold down to before a race for them.
	fewSeats = 2
	// moreCallers is how many callers there are for whom there is no seat.
	moreCallers = 4
	// swappers is how many callers reserve while a hold is released.
	swappers = 3
)

// Attempts are reserves of one seat each, at the same time.
type Attempts []*Hold

// Won reports whether the attempt became a hold.
func (h *Hold) Won() bool { return h.Code != "" }

// Answers are the answers to the attempts.
func (all Attempts) Answers() []*probe.Answer {
	answers := make([]*probe.Answer, len(all))
	for i, a := range all {
		answers[i] = a.Answer
	}
	return answers
}

// LastSeats is a race for the last seats of a slot, and then one for the seat
// of a hold that is released, twice at the same time.
type LastSeats struct {
	Offer discover.Offer
	start *Reading
	sold  []*Hold // that sell the slot down

	Scarce   *Reading // before the race
	Attempts Attempts
	Full     *Reading
	Calm     bool // nobody else was seen before and after

	Releases  []*probe.Answer // of the first hold that was won
	Look      *Reading        // at the same time
	Swaps     Attempts        // at the same time
	Swapped   *Reading
	CalmSwaps bool

	Stop *Stop
}

// PlayLastSeats plays it on a slot with few seats; all attempts are on slots of
// one option.
func PlayLastSeats(ctx context.Context, p *Player, attempt int) *LastSeats {
	return played(p, "last seats", attempt, func(t *LastSeats) {
		option := optionOf(attempt, func() discover.Offer { return PlayLastSeats(ctx, p, 0).Offer })
		if t.Offer, t.Stop = p.fewestSeats(ctx, option); t.Stop != nil {
			return
		}
		steps(&t.Stop,
			p.count(ctx, t.Offer, "before reserve", &t.start),
			func() *Stop { return countable(&t.Offer, t.start) },
			func() *Stop { return p.sellDown(ctx, t) },
			func() *Stop { return p.raceForAll(ctx, t) },
			func() *Stop { return p.swap(ctx, t) },
		)
		// Also where it was stopped: others wait for these seats.
		holds := t.sold
		for _, a := range slices.Concat(t.Attempts, t.Swaps) {
			if a.Won() {
				holds = append(holds, a)
			}
		}
		if stop := p.giveAll(ctx, "release it", holds); t.Stop == nil {
			t.Stop = stop
		}
	})
}

// sellDown leaves few seats in the slot: so few that there are callers enough to
// ask for more.
func (p *Player) sellDown(ctx context.Context, t *LastSeats) (stop *Stop) {
	few := min(fewSeats, p.calls.callers()-1)
	if t.start.Last.Left > few {
		t.sold, stop = p.take(ctx, t.Offer, t.start.Last.Left-few, "reserve %s, to leave "+model.SeatsWord(few))
	}
	return stop
}

// raceForAll is the race for the last seats.
func (p *Player) raceForAll(ctx context.Context, t *LastSeats) (stop *Stop) {
	var before, after bool
	callers := p.calls.callers()
	if t.Scarce, before, stop = p.Seats.settled(ctx, t.Offer, "before the race", callers); stop != nil {
		return stop
	}
	left := t.Scarce.Last.Left
	if left < 1 || left >= callers {
		return NotHere("other customers moved the seats of the slot with the fewest")
	}
	if stop = p.calls.mayRace(ctx, partnerapi.Reserve); stop != nil {
		return stop
	}
	calls, attempts, stop := p.attempts(ctx, t.Offer, int(min(callers, left+moreCallers)))
	if stop != nil {
		return stop
	}
	answers := atOnce(calls...)
	if stop = answeredAll(answers); stop != nil {
		return stop
	}
	t.Attempts = attempts
	if away := turnedAway(answers); int64(len(attempts))-away <= left {
		return tooFewMet(away, len(attempts))
	}
	t.Full, after, stop = p.Seats.settled(ctx, t.Offer, "after the race", 1)
	t.Calm = before && after
	return stop
}

// attempts prepares reserves of one seat that are to be sent at the same time.
// Each is in the ledger before, and what came of it before anything else happens.
// They outlive an interrupt, as a single one does.
func (p *Player) attempts(ctx context.Context, offer discover.Offer, callers int) ([]func() *probe.Answer, Attempts, *Stop) {
	calls, attempts := make([]func() *probe.Answer, callers), make(Attempts, callers)
	party := Guests(offer.Option, 1)
	for i := range callers {
		purpose := fmt.Sprintf("reserve 1 seat, at the same time as others (%d of %d)", i+1, callers)
		entry, stop := p.Book.attempt(offer, party)
		if stop != nil {
			for _, a := range attempts[:i] { // they are not sent
				p.Book.ledger.Record(a.entry, func(e *ledger.Entry) { recordReserve(e, nil) })
			}
			return nil, nil, stop
		}
		send := p.calls.racing(context.WithoutCancel(ctx), reserveCall(purpose, entry, true, probe.GoodKey))
		attempt := &Hold{entry: entry}
		attempts[i] = attempt
		calls[i] = func() *probe.Answer {
			answer := send()
			p.Book.ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
			attempt.Answer = answer
			if attempt.Held() {
				attempt.Code = entry.Code
			}
			return answer
		}
	}
	return calls, attempts, nil
}

// swap is the race for the seat of a hold that is released twice.
func (p *Player) swap(ctx context.Context, t *LastSeats) *Stop {
	won := slices.IndexFunc(t.Attempts, (*Hold).Won)
	if won < 0 {
		return NotHere("other customers got the last seats of the slot")
	}
	if stop := p.calls.mayRace(ctx, partnerapi.Reserve, partnerapi.Release); stop != nil {
		return stop
	}
	release := p.calls.racing(ctx, releaseCall("release a hold, at the same time as others", t.Attempts[won].Code, true, probe.GoodKey))
	q := questionAbout(t.Offer)
	const when = "while others reserve and release"
	look := p.calls.racing(ctx, availabilityCall("seats left "+when, q, probe.GoodKey))
	calls, swaps, stop := p.attempts(ctx, t.Offer, int(min(p.calls.callers(), swappers)))
	if stop != nil {
		return stop
	}
	answers := atOnce(append(calls, release, release, look)...)
	if stop := answeredAll(answers); stop != nil {
		return stop
	}
	t.Swaps = swaps
	if stop := metAll(answers[len(swaps):]); stop != nil {
		return stop
	}
	slots, stop := p.read.readSlots(ctx, q, answers[len(answers)-1])
	if t.Look, stop = p.Seats.reading(t.Offer, when, slots, stop); stop != nil {
		return stop
	}
	t.Releases = answers[len(swaps) : len(swaps)+2]
	t.Swapped, t.CalmSwaps, stop = p.Seats.settled(ctx, t.Offer, "after it", 1)
	return stop
}
