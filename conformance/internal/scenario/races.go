package scenario

import (
	"context"
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
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

func (h *Hold) Won() bool { return h.Code != "" }

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
	Opening
	sold []*Hold // that sell the slot down

	Scarce   *Reading // before the race
	Attempts Attempts
	Full     *Reading
	Calm     bool // nobody else was seen before and after

	Releases  []*probe.Answer // of the first hold that was won
	Look      *Reading        // at the same time
	Swaps     Attempts        // at the same time
	Swapped   *Reading
	CalmSwaps bool
}

// PlayLastSeats plays it on a slot with few seats; all attempts are on slots of
// one option.
func PlayLastSeats(ctx context.Context, p *Player, attempt int) *LastSeats {
	return played(p, "last seats", attempt, func(t *LastSeats, option string) {
		story := p.beginWithFewest(ctx, &t.Opening, option)
		story.step(func() *Stop { return t.sellDown(ctx, p) })
		story.step(func() *Stop { return t.raceForAll(ctx, p) })
		story.step(func() *Stop { return t.swap(ctx, p) })
		// Also where it was stopped: others wait for these seats.
		holds := t.sold
		for _, a := range slices.Concat(t.Attempts, t.Swaps) {
			if a.Won() {
				holds = append(holds, a)
			}
		}
		if stop := p.Book.giveAll(ctx, "release it", holds); t.Stop == nil {
			t.Stop = stop
		}
	})
}

// sellDown leaves few seats in the slot: so few that there are callers enough to
// ask for more.
func (t *LastSeats) sellDown(ctx context.Context, p *Player) (stop *Stop) {
	few := min(fewSeats, p.calls.callers()-1)
	if t.Before.Last.Left > few {
		t.sold, stop = p.Book.take(ctx, t.Offer, t.Before.Last.Left-few, "reserve %s, to leave "+model.SeatsWord(few))
	}
	return stop
}

func (t *LastSeats) raceForAll(ctx context.Context, p *Player) (stop *Stop) {
	var before, after bool
	callers := p.calls.callers()
	if t.Scarce, before, stop = p.Seats.settled(ctx, t.Offer, "before the race", callers); stop != nil {
		return stop
	}
	left := t.Scarce.Last.Left
	if left < 1 || left >= callers {
		return NotHere("other customers moved the seats of the slot with the fewest")
	}
	if stop = p.calls.maySend(ctx, partnerapi.Reserve); stop != nil {
		return stop
	}
	calls, attempts, stop := p.Book.attempts(ctx, t.Offer, int(min(callers, left+moreCallers)))
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
func (b *Booker) attempts(ctx context.Context, offer discover.Offer, callers int) ([]func() *probe.Answer, Attempts, *Stop) {
	calls, attempts := make([]func() *probe.Answer, callers), make(Attempts, callers)
	party := Guests(offer.Option, 1)
	for i := range callers {
		purpose := fmt.Sprintf("reserve 1 seat, at the same time as others (%d of %d)", i+1, callers)
		entry, stop := b.attempt(offer, party)
		if stop != nil {
			for _, a := range attempts[:i] { // they are not sent
				b.calls.Ledger.Record(a.entry, func(e *ledger.Entry) { recordReserve(e, nil) })
			}
			return nil, nil, stop
		}
		send := b.calls.racing(context.WithoutCancel(ctx), reserveCall(purpose, entry, true, probe.GoodKey))
		attempt := &Hold{entry: entry}
		attempts[i] = attempt
		calls[i] = func() *probe.Answer {
			answer := send()
			b.calls.Ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
			attempt.Answer = answer
			if attempt.Held() {
				attempt.Code = entry.Code
			}
			return answer
		}
	}
	return calls, attempts, nil
}

func (t *LastSeats) swap(ctx context.Context, p *Player) *Stop {
	won := slices.IndexFunc(t.Attempts, (*Hold).Won)
	if won < 0 {
		return NotHere("other customers got the last seats of the slot")
	}
	if stop := p.calls.maySend(ctx, partnerapi.Reserve, partnerapi.Release); stop != nil {
		return stop
	}
	release := p.calls.racing(ctx, releaseCall("release a hold, at the same time as others", t.Attempts[won].Code, true, probe.GoodKey))
	q := questionAbout(t.Offer)
	const when = "while others reserve and release"
	look := p.calls.racing(ctx, availabilityCall("seats left "+when, q, probe.GoodKey))
	calls, swaps, stop := p.Book.attempts(ctx, t.Offer, int(min(p.calls.callers(), swappers)))
	if stop != nil {
		return stop
	}
	answers := atOnce(append(calls, release, release, look)...)
	if stop := answeredAll(answers); stop != nil {
		return stop
	}
	t.Swaps = swaps
	if stop := metAll(nil, answers[len(swaps):]); stop != nil {
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

// Twice is a booking that two calls at the same time make, and two others
// cancel.
type Twice struct {
	Opening
	Ready        *Reading // before the confirms
	Confirms     []*probe.Answer
	Confirmed    *Reading
	CalmConfirms bool // nobody else was seen before and after
	Cancels      []*probe.Answer
	Cancelled    *Reading
	CalmCancels  bool
}

// PlayTwice plays it. It makes a booking: the partner has to take its
// cancellation.
func PlayTwice(ctx context.Context, p *Player, attempt int) *Twice {
	return played(p, "twice", attempt, func(b *Twice, option string) {
		t := p.begin(ctx, &b.Opening, seat("reserve 1 seat, to confirm it twice at the same time", option))
		t.step(func() *Stop { return b.confirm(ctx, p) })
		t.step(func() *Stop { return b.cancel(ctx, p) })
	})
}

func (b *Twice) confirm(ctx context.Context, p *Player) (stop *Stop) {
	var before, after bool
	if b.Ready, before, stop = p.Seats.settled(ctx, b.Offer, "before the confirms", 2); stop != nil {
		return stop
	}
	if stop = p.calls.maySend(ctx, partnerapi.Confirm); stop != nil {
		return stop
	}
	settle, stop := p.Book.confirming(b.Hold)
	if stop != nil {
		return stop
	}
	send := p.calls.racing(context.WithoutCancel(ctx), confirmCall("confirm the hold, twice at the same time", b.Hold, true, probe.GoodKey))
	answers := atOnce(send, send)
	settle(answers...)
	if stop = metAll(answers, answers); stop != nil {
		return stop
	}
	b.Confirms = answers
	b.Confirmed, after, stop = p.Seats.settled(ctx, b.Offer, "after the confirms", 1)
	b.CalmConfirms = before && after
	return stop
}

func (b *Twice) cancel(ctx context.Context, p *Player) (stop *Stop) {
	id := b.Hold.BookingID()
	if id == "" {
		return Missing("neither of two confirms at the same time brought a booking")
	}
	if stop = p.calls.maySend(ctx, partnerapi.Cancel); stop != nil {
		return stop
	}
	send := p.calls.racing(ctx, cancelCall("cancel the booking, twice at the same time", id, true, probe.GoodKey))
	answers := atOnce(send, send)
	if undo.Done(answers[0]) {
		p.Book.Settle(answers[1], b.Hold)
	}
	if stop = metAll(answers, answers); stop != nil {
		return stop
	}
	b.Cancels = answers
	b.Cancelled, b.CalmCancels, stop = p.Seats.settled(ctx, b.Offer, "after the cancellations", 1)
	return stop
}
