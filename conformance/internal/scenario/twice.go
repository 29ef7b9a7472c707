package scenario

import (
	"context"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/schemas/partnerapi"
)

// Twice is a hold with two concurrent calls about it, and then two concurrent calls about its
// booking.
type Twice struct {
	Opening
	Confirms  []*probe.Answer
	Release   *probe.Answer // at the same time; nil if there was a second confirm instead
	Confirmed *Reading

	Cancels   []*probe.Answer
	Again     *probe.Answer // a confirm of the code, at the same time; nil if there was none
	Guests    Attempts      // reserves at the same time
	Cancelled *Reading
}

// PlayTwice plays a round of Twice. It makes a booking, so the partner must accept cancellations.
func PlayTwice(ctx context.Context, p *Player, round int) *Twice {
	return playOnce(p, "twice", round, func(b *Twice, option string) {
		if b.Stop = p.checkTimeLeft(round); b.Stop != nil {
			return
		}
		site := "twice"
		if key, _ := p.sites.otherOption(PlaySurvey(ctx, p, 0), round, discover.Want{Now: p.Clock.Now(), Seats: 1, Counted: true}); key != "" {
			site, option = site+" "+key, key
		}
		want := seat("reserve, for calls about the hold at the same time", option)
		if pairs(round) {
			site, want.Seats, want.party = site+" for 2", 2, leads(2)
			if families(round) {
				want.party = twoTypes
			}
		}
		suspect, is := p.sites.suspect(round)
		open := func() Opening {
			if is {
				return p.tryOpen(ctx, want, suspect)
			}
			if known, ok := p.sites.siteOf(site); ok {
				return p.tryOpen(ctx, want, known)
			}
			return p.open(ctx, want)
		}
		b.Opening = open()
		if b.Stop != nil && b.Stop.Kind == partner.Refused && families(round) { // a partner may refuse such parties
			want.party = leads(2)
			b.Opening = open()
		}
		switch {
		case is:
		case b.Stop == nil:
			p.sites.known[site] = b.Offer
		default:
			delete(p.sites.known, site)
		}
		t := p.continueLifecycle(ctx, &b.Opening)
		t.step(func() *partner.Stop { return b.confirm(ctx, p, round) })
		t.step(func() *partner.Stop { return b.cancel(ctx, p, round) })
		if stop := p.Book.giveAll(ctx, "release it", b.Guests.WonHolds()); b.Stop == nil {
			b.Stop = stop
		}
	})
}

func (b *Twice) confirm(ctx context.Context, p *Player, round int) *partner.Stop {
	if stop := p.Calls.MaySend(ctx, partnerapi.Confirm); stop != nil {
		return stop
	}
	if stop := p.Book.MayBook(ctx); stop != nil {
		return stop
	}
	settle, stop := p.Account.beginConfirm(b.Hold)
	if stop != nil {
		return stop
	}
	var calls []probe.Call
	if unlike4(round) {
		calls = []probe.Call{
			partner.Confirm("confirm the hold, while it is released", b.Hold.Code, b.Hold.entry, true, probe.GoodKey),
			partner.Release("release the hold, while it is confirmed", b.Hold.Code, true, probe.GoodKey),
		}
	} else {
		confirm := partner.Confirm("confirm the hold, twice at the same time", b.Hold.Code, b.Hold.entry, true, probe.GoodKey)
		calls = []probe.Call{confirm, confirm}
	}
	answers := p.Calls.SendTogether(ctx, calls, func(int, *probe.Answer) {})
	confirms := answers
	if unlike4(round) {
		confirms, b.Release = answers[:1], answers[1]
	}
	settle(confirms...)
	if b.Release != nil {
		p.Account.Settle(b.Release, b.Hold)
	}
	if stop = partner.MetAll(answers, answers); stop != nil {
		return stop
	}
	b.Confirmed, stop = p.Seats.seats(ctx, b.Offer, "after these")
	b.Confirms = confirms
	return stop
}

func (b *Twice) cancel(ctx context.Context, p *Player, round int) (stop *partner.Stop) {
	id := b.Hold.BookingID()
	switch {
	case id == "" && b.Release != nil:
		return nil // the release came first
	case id == "":
		return partner.NewStop("neither of two confirms at the same time brought a booking")
	}
	if stop = p.Calls.MaySend(ctx, partnerapi.Cancel); stop != nil {
		return stop
	}
	cancel := partner.Cancel("cancel the booking, twice at the same time", id, true, probe.GoodKey)
	others := []probe.Call{cancel, cancel}
	settle := func(...*probe.Answer) {}
	if withRead(round) {
		if settle, stop = p.Account.beginConfirm(b.Hold); stop != nil {
			return stop
		}
		others = append(others, partner.Confirm("confirm the booked code again, while the booking is cancelled", b.Hold.Code, b.Hold.entry, true, probe.GoodKey))
	}
	guests := 0
	if withGuest(round) && p.Calls.MaySend(ctx, partnerapi.Reserve) == nil {
		guests = 1
	}
	attempts, answers, stop := p.Book.attempts(ctx, b.Offer, partner.Guests(b.Offer.Option, 1), guests, others...)
	if stop != nil {
		return stop
	}
	b.Guests = attempts
	cancels := answers[guests : guests+2]
	if withRead(round) {
		again := answers[guests+2]
		settle(again)
		b.Again = again
	}
	if undo.Done(cancels[0]) {
		p.Account.Settle(cancels[1], b.Hold)
	}
	if stop = partner.MetAll(answers, answers); stop != nil {
		return stop
	}
	if b.Cancelled, stop = p.Seats.seats(ctx, b.Offer, "after the cancellations"); stop == nil && p.refusesAlone(ctx, b.Guests) {
		b.Cancelled, stop = nil, partner.NotHere("the slot refuses such a party alone too")
	}
	b.Cancels = cancels
	return stop
}
