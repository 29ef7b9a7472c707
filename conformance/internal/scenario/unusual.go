package scenario

import (
	"context"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
)

// UnusualBooking is a booking whose requests are lawful but unusual.
type UnusualBooking struct {
	Opening
	Confirm   *probe.Answer
	Confirmed bool
	Cancel    *probe.Answer
}

// PlayUnusual returns a function that books with such a body.
func PlayUnusual(body partner.Body) func(context.Context, *Player, int) *UnusualBooking {
	return func(ctx context.Context, p *Player, _ int) *UnusualBooking { return p.unusualBooking(ctx, body) }
}

// A run may make so many holds and bookings for each product of PlayProducts, so that few of them, about
// seven and six, are for that product.
const productHolds, productBookings = 120, 30

// PlayProducts returns the key of an option of each product, in which codes near live ones are tried as well.
func PlayProducts(ctx context.Context, p *Player) []string {
	bookable, all := p.bookableOffers(ctx)
	return plan.BookableProducts(bookable, all, min(p.Depth.Products(), p.Bounds.MaxHolds/productHolds, p.Bounds.MaxBookings/productBookings))
}

// PlayManyProducts returns the key of an option of each product, which are asked for once more.
func PlayManyProducts(ctx context.Context, p *Player) []string {
	bookable, all := p.bookableOffers(ctx)
	return plan.BookableProducts(bookable, all, p.Depth.OpenQuestions())
}

// unusualBooking plays an unusual booking. A partner without cancel gets a hold instead.
func (p *Player) unusualBooking(ctx context.Context, body partner.Body) *UnusualBooking {
	first := PlayBooking(ctx, p, 0)
	return playOnce(p, "booking "+body.String(), 0, func(b *UnusualBooking, _ string) {
		want := seat("reserve 1 seat, "+body.String(), "")
		want.body = body
		t := p.begin(ctx, &b.Opening, want)
		if p.Book.traits.NoCancel {
			t.give("release the hold", true, "")
			t.step(func() *partner.Stop { return first.Stop })
		}
		t.step(func() *partner.Stop { return p.Book.MayBook(ctx) })
		t.step(func() (stop *partner.Stop) {
			b.Confirm, stop = t.unlessGone(func() (*probe.Answer, *partner.Stop) {
				answer, stop := p.Book.ConfirmWith(ctx, "confirm the hold, "+body.String(), b.Hold, body, probe.GoodKey)
				if stop == nil && !(answer.HasStatus(http.StatusOK) && b.Hold.entry.State == ledger.Booked) {
					stop = partner.StopAt(partner.WrongStatus, answer, "Expected 200 and a booking, received %s", answer.Words()).WithForm(partner.Unusual)
				}
				return answer, stop
			})
			b.Confirmed = stop == nil
			return stop
		})
		t.step(func() (stop *partner.Stop) {
			if body != partner.UnnamedFields {
				_, stop = p.Book.cancelBooking(ctx, "cancel the booking", b.Hold, b.Hold.BookingID(), true)
				return stop
			}
			b.Cancel, stop = p.Book.undoAs(ctx, b.Hold, body.Of(partner.Cancel("cancel the booking, "+body.String(), b.Hold.BookingID(), true, probe.GoodKey)))
			return stop
		})
	})
}

// undoAs sends a call that undoes a hold or its booking.
func (b *Booker) undoAs(ctx context.Context, h *Hold, call probe.Call) (*probe.Answer, *partner.Stop) {
	answer, stop := b.calls.Call(ctx, call, true)
	if stop == nil {
		b.account.Settle(answer, h)
	}
	return answer, stop
}

// OpenRelease is a hold that is released with additional fields in the body.
type OpenRelease struct {
	Opening
	Release *probe.Answer
}

// PlayOpenRelease makes a hold and releases it with fields that the contract does not name.
func PlayOpenRelease(ctx context.Context, p *Player, _ int) *OpenRelease {
	return playOnce(p, "open release", 0, func(r *OpenRelease, _ string) {
		t := p.begin(ctx, &r.Opening, seat("reserve 1 seat, to release it", ""))
		r.Release = t.act("", func() (*probe.Answer, *partner.Stop) {
			return p.Book.undoAs(ctx, r.Hold, partner.UnnamedFields.Of(partner.Release("release the hold, "+partner.UnnamedFields.String(), r.Hold.Code, true, probe.GoodKey)))
		})
	})
}

// OpenQuestion is a question about slots with additional fields in the body.
type OpenQuestion struct {
	Stop *partner.Stop // nil if the answer can be read
}

// PlayOpenQuestion requests slots with fields that the contract does not name.
func PlayOpenQuestion(ctx context.Context, p *Player, _ int) OpenQuestion {
	offer, stop := p.offer(ctx, discover.Want{Seats: 1, Counted: true})
	if stop != nil {
		return OpenQuestion{stop}
	}
	return OpenQuestion{p.askOpenly(ctx, questionAbout(offer))}
}

// PlayOpenQuestionIn plays such a question about an option. It returns nil when there is no time for it, or
// no slot, and if the usual question fails too.
func PlayOpenQuestionIn(ctx context.Context, p *Player, optionKey string, _ int) *OpenQuestion {
	offer, stop := p.offer(ctx, discover.Want{Seats: 1, Counted: true, OptionKey: optionKey})
	if stop != nil || p.Time.LateForMore() {
		return nil
	}
	q := questionAbout(offer)
	open := &OpenQuestion{p.askOpenly(ctx, q)}
	if open.Stop == nil {
		return open
	}
	if _, stop = p.read.askFor(ctx, "slots of a day", q); stop != nil {
		return nil
	}
	return open
}

func (p *Player) askOpenly(ctx context.Context, q Question) *partner.Stop {
	call := partner.UnnamedFields.Of(partner.Availability("slots of a day, with fields that the contract does not name", q.request(), probe.GoodKey))
	answer, stop := p.Calls.Call(ctx, call, true)
	_, stop = p.read.readAsked(ctx, q, answer, stop)
	return stop
}
