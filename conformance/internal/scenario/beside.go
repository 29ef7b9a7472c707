package scenario

import (
	"context"
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/schemas/partnerapi"
)

// Beside is two holds of one slot, of two customers whose calls are made at the same time, and then the calls of each by
// itself: every code must work on its own hold. The parties differ in size where possible, so that the seats show which
// hold a call has reached. In every second round the holds are released at the same time; in the others they are booked.
type Beside struct {
	Offer discover.Offer
	Holds Attempts // the second is for two guests if the slot has seats for them
	Stop  *partner.Stop
	ActLog

	opened *Reading
	atOnce int   // how many of the calls are made at the same time
	second int64 // guests of the second hold
}

// OptionKey returns the key of the slot's option.
func (b *Beside) OptionKey() string { return b.Offer.OptionKey() }

// PlayedActs returns the calls and readings, and why not all were made.
func (b *Beside) PlayedActs() ([]PlayedAct, *partner.Stop) { return b.acts, b.Stop }

// booksBeside reports whether the two holds of a round are booked.
func booksBeside(round int) bool { return round%2 == 1 }

// PlayBeside plays a round of Beside.
func PlayBeside(ctx context.Context, p *Player, round int) *Beside {
	return playOnce(p, "beside", round, func(b *Beside, option string) {
		if b.Stop = p.checkTimeLeft(round); b.Stop == nil && p.Calls.Sparing {
			b.Stop = partner.NewStop("a quick run makes no calls of two customers at the same time")
		}
		if b.Stop == nil && booksBeside(round) && !p.Book.CanCancel(ctx) {
			b.Stop = partner.NewStop("no booking was made, because it could not be cancelled")
		}
		if b.Stop != nil {
			return
		}
		for b.second = 2; b.second > 0; b.second-- { // a partner may have no slot for three
			if b.Offer, b.Stop = p.offer(ctx, discover.Want{Seats: 1 + b.second, Counted: true, OptionKey: option, Suits: p.KeepsSeats}); b.Stop == nil {
				break
			}
		}
		b.atOnce = 2
		b.play(ctx, p, round)
	})
}

// InTurn plays the round again in the same slot, one call after the other: what is wrong then too is not about calls at the
// same time.
func (b *Beside) InTurn(ctx context.Context, p *Player, round int) *Beside {
	return playOnce(p, "beside, in turn", round, func(turn *Beside, _ string) {
		turn.Offer, turn.second, turn.atOnce = b.Offer, b.second, 1
		turn.play(ctx, p, round)
	})
}

func (b *Beside) play(ctx context.Context, p *Player, round int) {
	b.count(ctx, p, "before reserve")
	b.step(func() *partner.Stop { return b.reserve(ctx, p, 1, b.second) })
	b.count(ctx, p, "after two reserves at the same time")
	if booksBeside(round) {
		b.step(func() *partner.Stop { return b.confirm(ctx, p) })
		b.count(ctx, p, "after two confirms at the same time")
		for i := range b.Holds {
			b.step(func() *partner.Stop { return b.confirmAgain(ctx, p, i) })
		}
		for i, what := range []string{"first", "second"} {
			b.step(func() *partner.Stop { return b.cancel(ctx, p, i, what) })
			b.count(ctx, p, fmt.Sprintf("after the %s booking was cancelled", what))
		}
	} else {
		b.step(func() *partner.Stop { return b.release(ctx, p) })
		b.count(ctx, p, "after two releases at the same time")
	}
	// Also after a stop: other tests need these seats.
	if stop := p.Book.giveAll(ctx, "release it", b.Holds.WonHolds()); b.Stop == nil {
		b.Stop = stop
	}
}

func (b *Beside) step(do func() *partner.Stop) {
	if b.Stop == nil {
		b.Stop = do()
	}
}

func (b *Beside) count(ctx context.Context, p *Player, when string) {
	b.step(func() *partner.Stop {
		read, stop := p.Seats.seats(ctx, b.Offer, when)
		if stop == nil {
			if b.addReading(read); b.opened == nil {
				b.opened, stop = read, requireCount(&b.Offer, read)
			}
		}
		return stop
	})
}

// took records a call about one of the holds.
func (b *Beside) took(does model.Kind, hold int, answer *probe.Answer, w wish) {
	b.add(PlayedAct{Act: trace.Act{
		Does: does, Offer: b.Offer, Hold: hold, Units: w.party, Party: model.Party{Guests: discover.GuestsIn(w.party)}, Life: b.Holds[hold].Life, Answer: answer,
	}})
}

func (b *Beside) reserve(ctx context.Context, p *Player, sizes ...int64) (stop *partner.Stop) {
	if stop = p.Calls.MaySend(ctx, partnerapi.Reserve); stop != nil {
		return stop
	}
	var wishes []wish
	for _, guests := range sizes {
		wishes = append(wishes, wish{b.Offer, partner.Guests(b.Offer.Option, guests)})
	}
	var answers []*probe.Answer
	for some := range slices.Chunk(wishes, b.atOnce) {
		holds, answered, stop := p.Book.reserveTogether(ctx, some)
		if b.Holds, answers = append(b.Holds, holds...), append(answers, answered...); stop != nil {
			return stop
		}
	}
	if stop = partner.MetAll(answers, answers); stop != nil {
		return stop
	}
	if slices.ContainsFunc(b.Holds, func(h *Hold) bool { return !h.WasWon() }) {
		return partner.NotHere("one of two reserves at the same time was refused") // a partner may refuse a party
	}
	for i, answer := range answers {
		b.took(model.Reserve, i, answer, wishes[i])
	}
	return nil
}

func (b *Beside) confirm(ctx context.Context, p *Player) *partner.Stop {
	if stop := p.Calls.MaySend(ctx, partnerapi.Confirm); stop != nil {
		return stop
	}
	if stop := p.Book.MayBook(ctx); stop != nil {
		return stop
	}
	var calls []probe.Call
	var settle []func(...*probe.Answer)
	for _, h := range b.Holds {
		done, stop := p.Account.beginConfirm(h)
		if stop != nil {
			for _, undo := range settle {
				undo() // it is not sent
			}
			return stop
		}
		settle = append(settle, done)
		calls = append(calls, partner.Confirm(b.purpose("confirm a hold"), h.Code, h.entry, true, probe.GoodKey))
	}
	answers := b.send(ctx, p, calls, func(int, *probe.Answer) {})
	for i, answer := range answers {
		settle[i](answer) // one after the other: they count the run's bookings
		b.took(model.Confirm, i, answer, wish{})
	}
	return partner.MetAll(answers, answers)
}

// send sends the calls about both holds.
func (b *Beside) send(ctx context.Context, p *Player, calls []probe.Call, settle func(int, *probe.Answer)) (answers []*probe.Answer) {
	for some := range slices.Chunk(calls, b.atOnce) {
		before := len(answers)
		answers = append(answers, p.Calls.SendTogether(ctx, some, func(i int, answer *probe.Answer) { settle(before+i, answer) })...)
	}
	return answers
}

// purpose says what a call is for.
func (b *Beside) purpose(does string) string {
	if b.atOnce == 1 {
		return does + ", alone"
	}
	return does + ", at the same time as another customer's"
}

func (b *Beside) confirmAgain(ctx context.Context, p *Player, i int) *partner.Stop {
	answer, stop := p.Book.Confirm(ctx, "confirm one of the two codes again, by itself", b.Holds[i], true, probe.GoodKey)
	if stop == nil {
		b.took(model.Confirm, i, answer, wish{})
	}
	return stop
}

func (b *Beside) cancel(ctx context.Context, p *Player, i int, what string) *partner.Stop {
	answer, stop := p.Book.cancelBooking(ctx, fmt.Sprintf("cancel the %s booking, by itself", what), b.Holds[i], b.Holds[i].BookingID(), true)
	if answer != nil {
		b.took(model.Cancel, i, answer, wish{})
	}
	return stop
}

func (b *Beside) release(ctx context.Context, p *Player) *partner.Stop {
	if stop := p.Calls.MaySend(ctx, partnerapi.Release); stop != nil {
		return stop
	}
	var calls []probe.Call
	for _, h := range b.Holds {
		calls = append(calls, partner.Release(b.purpose("release a hold"), h.Code, true, probe.GoodKey))
	}
	answers := b.send(ctx, p, calls, func(i int, answer *probe.Answer) { p.Account.Settle(answer, b.Holds[i]) })
	for i, answer := range answers {
		b.took(model.Release, i, answer, wish{})
	}
	return partner.MetAll(answers, answers)
}
