package scenario

import (
	"context"

	"partnerkit.dev/conformance/internal/probe"
)

// Act is one call of a story, and the seats that its slot had left afterwards.
type Act struct {
	Answer *probe.Answer
	After  *Reading // nil where they were not counted
}

// telling plays a story step by step. Once it is stopped, no further step is played.
type telling struct {
	*Player
	ctx   context.Context
	story *Opening
}

// begin opens a story with a hold.
func (p *Player) begin(ctx context.Context, story *Opening, want wanted) telling {
	*story = p.open(ctx, want)
	return p.tell(ctx, story)
}

// tell goes on with a story that has a slot.
func (p *Player) tell(ctx context.Context, story *Opening) telling {
	story.Traits = p.Book.traits
	return telling{p, ctx, story}
}

func (t telling) step(play func() *Stop) {
	if t.story.Stop == nil {
		t.story.Stop = play()
	}
}

func (t telling) count(when string, into **Reading) {
	t.step(func() (stop *Stop) {
		*into, stop = t.Seats.seats(t.ctx, t.story.Offer, when)
		return stop
	})
}

// act makes a call, and counts the seats then where when is not "".
func (t telling) act(into *Act, when string, call func() (*probe.Answer, *Stop)) {
	t.step(func() (stop *Stop) {
		into.Answer, stop = call()
		return stop
	})
	if when != "" {
		t.count(when, &into.After)
	}
}

// confirm confirms the hold's code, and takes any answer.
func (t telling) confirm(purpose string, key probe.Key, into *Act, when string) {
	t.act(into, when, func() (*probe.Answer, *Stop) { return t.Book.Confirm(t.ctx, purpose, t.story.Hold, true, key) })
}

// book turns the hold into a booking.
func (t telling) book(purpose string, full bool, into *Act, id *string, when string) {
	t.act(into, when, func() (answer *probe.Answer, stop *Stop) {
		answer, *id, stop = t.Book.book(t.ctx, purpose, t.story.Hold, full)
		return answer, stop
	})
}

// release releases the hold's code, and takes any answer.
func (t telling) release(purpose string, key probe.Key, into *Act, when string) {
	t.act(into, when, func() (*probe.Answer, *Stop) { return t.Book.Release(t.ctx, purpose, t.story.Hold.Code, key) })
}

// give releases the live hold.
func (t telling) give(purpose string, body bool, into *Act, when string) {
	t.act(into, when, func() (*probe.Answer, *Stop) { return t.Book.releaseHold(t.ctx, purpose, t.story.Hold, body) })
}

// cancel cancels a booking, and takes any answer.
func (t telling) cancel(purpose, id string, key probe.Key, into *Act, when string) {
	t.act(into, when, func() (*probe.Answer, *Stop) { return t.Book.Cancel(t.ctx, purpose, id, key) })
}

// undo cancels the live booking.
func (t telling) undo(purpose, id string, body bool, into *Act, when string) {
	t.act(into, when, func() (*probe.Answer, *Stop) { return t.Book.cancelBooking(t.ctx, purpose, t.story.Hold, id, body) })
}

// reserve reserves as many seats more, and takes any answer; a hold is released. The
// seats are counted where count wants it.
func (t telling) reserve(purpose string, seats int64, into *Act, when string, count func(*probe.Answer) bool) {
	t.act(into, "", func() (*probe.Answer, *Stop) { return t.Book.reserveAnyway(t.ctx, purpose, t.story.Offer, seats) })
	if t.story.Stop == nil && count(into.Answer) {
		t.count(when, &into.After)
	}
}
