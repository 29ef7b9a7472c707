package scenario

import (
	"context"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
)

// Booking is a booking from reserve to cancellation. It includes every call that the marketplace
// might repeat or send too late.
type Booking struct {
	Opening
	Confirm *probe.Answer
	Cancel  *probe.Answer
}

// PlayBooking plays a booking from reserve to cancel, and the calls that follow it.
func PlayBooking(ctx context.Context, p *Player, attempt int) *Booking {
	return playOnce(p, "booking", attempt, func(b *Booking, option string) {
		t := p.begin(ctx, &b.Opening, seat("reserve 1 seat, to book it", option))
		b.Confirm = t.book("confirm the hold", true, "after confirm")
		t.repeat(func(nth int) { t.confirmAgain("confirm the same code again", nth != 1, "after another confirm") })
		t.releaseEnded("release the confirmed code", "after the confirmed code was released")
		b.Cancel = t.undo("cancel the booking", true, "after the cancellation")
		t.repeat(func(int) { t.cancel("cancel the booking again", probe.GoodKey, "after another cancellation") })
		t.confirmEnded("confirm the cancelled booking's code", "after the cancelled code was confirmed")
		t.releaseEnded("release the cancelled booking's code", "after the cancelled code was released")
	})
}

// Holding is a hold for several guests that is released twice and then confirmed.
type Holding struct {
	Opening
	Release *probe.Answer
}

// SeveralGuests is the party size of a Holding, if there are enough seats.
const SeveralGuests = 2

// PlayHolding plays a hold late in the window and at the end of the catalog. If slots have a single
// seat, the hold is for one guest.
func PlayHolding(ctx context.Context, p *Player, attempt int) *Holding {
	return playOnce(p, "hold", attempt, func(h *Holding, option string) {
		var t lifecyclePlayer
		for guests := int64(SeveralGuests); guests >= 1; guests-- {
			t = p.begin(ctx, &h.Opening, wanted{
				purpose: "reserve " + model.SeatsWord(guests) + ", to release them", party: leads(guests), body: partner.BareBody,
				Want: discover.Want{Seats: guests, Counted: true, Late: true, OptionKey: option},
			})
			if h.Hold != nil || h.Stop.IsBreach() {
				break
			}
		}
		if h.Stop != nil && h.Stop.Kind == partner.Refused {
			h.Stop.Message = "A hold is made only with contact and resellerReference: " + h.Stop.Message
			h.Stop.Form, h.Stop.Elsewhere = partner.Minimal, false
		}
		h.Release = t.give("release the hold, without a body", false, "after release")
		t.repeat(func(nth int) {
			bare := nth > 0 && nth == t.Depth.Repeats()/2
			t.actWith(!bare, "after another release", func() (*probe.Answer, *partner.Stop) {
				return p.Book.ReleaseWith(ctx, "release the same code again", h.Hold.Code, bodyOf(!bare), probe.GoodKey)
			})
		})
		t.confirmEnded("confirm the released code", "after the released code was confirmed")
	})
}

// MixedParty is a hold for guests of two types.
type MixedParty struct{ Opening }

// PlayMixedParty makes and releases a hold for guests of two types.
func PlayMixedParty(ctx context.Context, p *Player, attempt int) *MixedParty {
	return playOnce(p, "party", attempt, func(m *MixedParty, option string) {
		t := p.begin(ctx, &m.Opening, wanted{
			purpose: "reserve 2 seats for guests of two types",
			Want: discover.Want{
				Seats: 2, Counted: true, OptionKey: option,
				Suits: func(o discover.Offer) bool {
					_, ok := o.Option.Companion()
					return ok
				},
			},
			party: twoTypes,
		})
		t.give("release the hold", true, "after release")
	})
}

// SecondBooking is a second booking. It is confirmed with the code alone and cancelled without a
// body, after cancellations with a wrong key and without a key.
type SecondBooking struct {
	Opening
	Cancel *probe.Answer
}

// PlaySecondBooking plays it late in the window and at the end of the catalog. If the first booking
// could not be cancelled, only whether this one can be is tried: cancel is optional for a partner,
// not for a booking (CAN-6).
func PlaySecondBooking(ctx context.Context, p *Player, attempt int) *SecondBooking {
	first := PlayBooking(ctx, p, 0)
	return playOnce(p, "second booking", attempt, func(b *SecondBooking, option string) {
		want := seat("reserve 1 seat, to book it", option)
		want.Late = true
		t := p.begin(ctx, &b.Opening, want)
		b.body = partner.BareBody
		t.book("confirm with only the code", false, "after confirm")
		if p.Book.traits.NoCancel {
			b.Cancel = t.undo("cancel the booking, as another could not be cancelled", true, "")
			if p.Book.traits.Cancels && first.Cancel != nil {
				first.Stop = partner.StopAt(partner.WrongStatus, first.Cancel,
					"product %q, slot %q: Expected 200 for a live booking, as bookings in other slots can be cancelled, received %s",
					first.Offer.Product.ID, first.Offer.Slot.ID, first.Cancel.Words())
			}
			t.step(func() *partner.Stop { return first.Stop })
		}
		t.cancel("cancel the booking with a wrong key", probe.WrongKey, "")
		t.cancel("cancel the booking without a key", probe.NoKey, "after the cancellations without a good key")
		body := first.Cancel == nil || !first.Cancel.HasStatus(http.StatusOK)
		b.Cancel = t.undo("cancel the booking, without a body", body, "after the cancellation")
	})
}

// WrongKeys is a hold, and calls about it with a wrong key and without a key.
type WrongKeys struct{ Opening }

// PlayWrongKeys reserves, confirms and releases with a wrong key and without a key.
func PlayWrongKeys(ctx context.Context, p *Player, attempt int) *WrongKeys {
	return playOnce(p, "keys", attempt, func(k *WrongKeys, option string) {
		t := p.begin(ctx, &k.Opening, seat("reserve 1 seat", option))
		reserve := func(purpose string, key probe.Key, when string) {
			t.act(when, func() (*probe.Answer, *partner.Stop) {
				made, stop := p.Book.Reserve(ctx, purpose, k.Offer, partner.Guests(k.Offer.Option, 1), true, key)
				if made == nil {
					return nil, stop
				}
				return made.Answer, stop
			})
		}
		reserve("reserve with a wrong key", probe.WrongKey, "")
		reserve("reserve without a key", probe.NoKey, "after the reserves without a good key")
		t.confirm("confirm with a wrong key", probe.WrongKey, "")
		t.confirm("confirm without a key", probe.NoKey, "")
		t.release("release with a wrong key", probe.WrongKey, "")
		t.release("release without a key", probe.NoKey, "after the releases without a good key")
		t.give("release the hold", true, "after the release with the good key")
	})
}
