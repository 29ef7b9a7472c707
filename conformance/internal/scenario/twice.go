package scenario

import (
	"context"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/schemas/partnerapi"
)

// Twice is a booking that two calls at the same time make, and two others
// cancel.
type Twice struct {
	Opening
	Traits       Traits
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
	story := played(p, "twice", attempt, func(b *Twice) {
		option := optionOf(attempt, func() discover.Offer { return PlayTwice(ctx, p, 0).Offer })
		b.Opening = p.open(ctx, seat("reserve 1 seat, to confirm it twice at the same time", option))
		steps(&b.Stop,
			func() *Stop { return p.confirmTwice(ctx, b) },
			func() *Stop { return p.cancelTwice(ctx, b) },
		)
	})
	story.Traits = *p.Book.traits
	return story
}

func (p *Player) confirmTwice(ctx context.Context, b *Twice) (stop *Stop) {
	var before, after bool
	if b.Ready, before, stop = p.Seats.settled(ctx, b.Offer, "before the confirms", 2); stop != nil {
		return stop
	}
	if stop = p.calls.mayRace(ctx, partnerapi.Confirm); stop != nil {
		return stop
	}
	settle, stop := p.Book.confirming(b.Hold)
	if stop != nil {
		return stop
	}
	send := p.calls.racing(context.WithoutCancel(ctx), confirmCall("confirm the hold, twice at the same time", b.Hold, true, probe.GoodKey))
	answers := atOnce(send, send)
	settle(answers...)
	if stop = answeredAll(answers); stop != nil {
		return stop
	}
	if stop = metAll(answers); stop != nil {
		return stop
	}
	b.Confirms = answers
	b.Confirmed, after, stop = p.Seats.settled(ctx, b.Offer, "after the confirms", 1)
	b.CalmConfirms = before && after
	return stop
}

func (p *Player) cancelTwice(ctx context.Context, b *Twice) (stop *Stop) {
	id := b.Hold.BookingID()
	if id == "" {
		return Missing("neither of two confirms at the same time brought a booking")
	}
	if stop = p.calls.mayRace(ctx, partnerapi.Cancel); stop != nil {
		return stop
	}
	send := p.calls.racing(ctx, cancelCall("cancel the booking, twice at the same time", id, true, probe.GoodKey))
	answers := atOnce(send, send)
	if undo.Done(answers[0]) {
		p.Book.Settle(answers[1], b.Hold)
	}
	if stop = answeredAll(answers); stop != nil {
		return stop
	}
	if stop = metAll(answers); stop != nil {
		return stop
	}
	b.Cancels = answers
	b.Cancelled, b.CalmCancels, stop = p.Seats.settled(ctx, b.Offer, "after the cancellations", 1)
	return stop
}
