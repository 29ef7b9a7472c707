package suite

import (
	"context"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/undo"
)

// twiceStory is a booking that two calls at the same time make, and two others
// cancel.
type twiceStory struct {
	scene
	ready      *reading // before the confirms
	confirms   []*probe.Answer
	confirmed  *reading
	confirming bool // calm before and after
	cancels    []*probe.Answer
	cancelled  *reading
	cancelling bool // calm before and after
}

// twice plays the story. It makes a booking: the partner has to take its
// cancellation.
func (s *session) twice(ctx context.Context, attempt int) *twiceStory {
	return play(s, "twice", attempt, func(b *twiceStory) {
		want := onSameOption(discover.Want{Seats: 1, Counted: true}, attempt, func() scene { return s.twice(ctx, 0).scene })
		b.scene = s.open(ctx, casting{purpose: "reserve 1 seat, to confirm it twice at the same time", want: want, party: leads(1), full: true})
		steps(&b.stopped,
			func() *obstacle { return s.confirmTwice(ctx, b) },
			func() *obstacle { return s.cancelTwice(ctx, b) },
		)
	})
}

func (s *session) confirmTwice(ctx context.Context, b *twiceStory) (o *obstacle) {
	var before, after bool
	if b.ready, before, o = s.settled(ctx, b.offer, "before the confirms", 2); o != nil {
		return o
	}
	if o = s.mayRace(ctx, rule.ConfirmLimit); o != nil {
		return o
	}
	settle, o := s.confirming(b.hold)
	if o != nil {
		return o
	}
	send := s.racing(context.WithoutCancel(ctx), rule.ConfirmLimit, confirmCall("confirm the hold, twice at the same time", b.hold, true, probe.GoodKey))
	answers := atOnce(send, send)
	settle(answers...)
	if o = answeredAll(answers); o != nil {
		return o
	}
	if o = metAll(answers); o != nil {
		return o
	}
	b.confirms = answers
	b.confirmed, after, o = s.settled(ctx, b.offer, "after the confirms", 1)
	b.confirming = before && after
	return o
}

func (s *session) cancelTwice(ctx context.Context, b *twiceStory) (o *obstacle) {
	id := b.hold.entry.BookingID
	if id == "" {
		return missing("neither of two confirms at the same time brought a booking")
	}
	if o = s.mayRace(ctx, rule.CancelLimit); o != nil {
		return o
	}
	send := s.racing(ctx, rule.CancelLimit, cancelCall("cancel the booking, twice at the same time", id, true, probe.GoodKey))
	answers := atOnce(send, send)
	if undo.Done(answers[0]) && undo.Done(answers[1]) {
		s.ledger.Record(b.hold.entry, func(e *ledger.Entry) { e.State = ledger.Undone })
	}
	if o = answeredAll(answers); o != nil {
		return o
	}
	if o = metAll(answers); o != nil {
		return o
	}
	b.cancels = answers
	b.cancelled, b.cancelling, o = s.settled(ctx, b.offer, "after the cancellations", 1)
	return o
}
