package scenario

import (
	"context"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// Booking is a booking from reserve to cancellation, with every call that
// the marketplace might repeat, or send too late, repeated or sent too late.
type Booking struct {
	Opening
	BookingID        string
	Confirm          Act
	Repeat           Act // confirm of the same code again
	LateRelease      Act // release of the confirmed code
	Cancel           Act
	CancelAgain      Act
	ConfirmCancelled Act // confirm of the cancelled booking's code
	ReleaseCancelled Act // release of the cancelled booking's code
}

func PlayBooking(ctx context.Context, p *Player, attempt int) *Booking {
	return played(p, "booking", attempt, func(b *Booking, option string) {
		t := p.begin(ctx, &b.Opening, seat("reserve 1 seat, to book it", option))
		t.book("confirm the hold", true, &b.Confirm, &b.BookingID, "after confirm")
		t.confirm("confirm the same code again", probe.GoodKey, &b.Repeat, "after the second confirm")
		t.release("release the confirmed code", probe.GoodKey, &b.LateRelease, "after the confirmed code was released")
		t.undo("cancel the booking", b.BookingID, true, &b.Cancel, "after the cancellation")
		t.cancel("cancel the booking again", b.BookingID, probe.GoodKey, &b.CancelAgain, "after the second cancellation")
		t.confirm("confirm the cancelled booking's code", probe.GoodKey, &b.ConfirmCancelled, "after the cancelled code was confirmed")
		t.release("release the cancelled booking's code", probe.GoodKey, &b.ReleaseCancelled, "after the cancelled code was released")
	})
}

// Holding is a hold for several guests that is released, twice, and then
// confirmed all the same.
type Holding struct {
	Opening
	Guests          int64
	Release         Act
	ReleaseAgain    Act
	ConfirmReleased Act
}

// SeveralGuests is the size of the party of a Holding, where the seats suffice.
const SeveralGuests = 2

// PlayHolding plays a hold, late in the window and at the catalog's end. A
// partner whose slots have a single seat is asked for one.
func PlayHolding(ctx context.Context, p *Player, attempt int) *Holding {
	return played(p, "hold", attempt, func(h *Holding, option string) {
		var t telling
		for h.Guests = SeveralGuests; h.Guests >= 1; h.Guests-- {
			t = p.begin(ctx, &h.Opening, wanted{
				purpose: "reserve " + model.SeatsWord(h.Guests) + ", to release them", party: leads(h.Guests),
				Want: discover.Want{Seats: h.Guests, Counted: true, Late: true, OptionKey: option},
			})
			if h.Hold != nil || h.Stop.isBreach() || h.Guests == 1 {
				break
			}
		}
		if h.Stop != nil && h.Stop.Kind == Refused {
			h.Stop.Message = "want a hold, as there is one with contact and resellerReference; " + h.Stop.Message
			h.Stop.Form, h.Stop.Elsewhere = Minimal, false
		}
		t.give("release the hold, without a body", false, &h.Release, "after release")
		t.release("release the same code again", probe.GoodKey, &h.ReleaseAgain, "after the second release")
		t.confirm("confirm the released code", probe.GoodKey, &h.ConfirmReleased, "after the released code was confirmed")
	})
}

// Visit is a short stop at one option: a hold for one guest, made and released.
type Visit struct {
	Opening
	Release Act
}

// PlayVisits returns the keys of the options to be visited.
func PlayVisits(ctx context.Context, p *Player) []string {
	all := PlaySurvey(ctx, p, 0).Offers
	return plan.Visits(discover.Pick(all, discover.Want{Now: p.Clock.Now(), Seats: 1}), all)
}

// PlayVisit plays the visit to one option; nil where there is no time for it.
func PlayVisit(ctx context.Context, p *Player, optionKey string, attempt int) *Visit {
	name := "visit " + optionKey
	if _, known := p.memory[name+"/0"]; !known && p.Time.LateForMore() {
		return nil
	}
	return played(p, name, attempt, func(v *Visit, _ string) {
		t := p.begin(ctx, &v.Opening, seat("reserve 1 seat, to release it", optionKey))
		t.give("release the hold", true, &v.Release, "after release")
	})
}

// Releases is every release of a live hold: of the visits and of the hold of several.
type Releases struct {
	Visits  []*Visit
	Holding *Holding
}

func PlayReleases(ctx context.Context, p *Player, _ int) (r Releases) {
	for _, key := range PlayVisits(ctx, p) {
		visit := PlayVisit(ctx, p, key, 0)
		if visit == nil {
			break
		}
		r.Visits = append(r.Visits, visit)
	}
	r.Holding = PlayHolding(ctx, p, 0)
	return r
}

// MixedParty is a hold for guests of two types.
type MixedParty struct {
	Opening
	Release Act
}

func PlayMixedParty(ctx context.Context, p *Player, attempt int) *MixedParty {
	return played(p, "party", attempt, func(m *MixedParty, option string) {
		t := p.begin(ctx, &m.Opening, wanted{
			purpose: "reserve 2 seats for guests of two types", full: true,
			Want: discover.Want{
				Seats: 2, Counted: true, OptionKey: option,
				Suits: func(o discover.Offer) bool {
					_, ok := o.Option.Companion()
					return ok
				},
			},
			party: func(option discover.Option) []partnerapi.UnitQuantity {
				companion, _ := option.Companion()
				return []partnerapi.UnitQuantity{{ID: option.Lead(), Quantity: 1}, {ID: companion, Quantity: 1}}
			},
		})
		t.give("release the hold", true, &m.Release, "after release")
	})
}

// SecondBooking is a second booking, confirmed with the code alone and cancelled
// without a body, after somebody without the key has tried to cancel it.
type SecondBooking struct {
	Opening
	BookingID string
	Confirm   Act
	WrongKey  Act
	NoKey     Act
	Cancel    Act
}

// PlaySecondBooking plays it late in the window and at the catalog's end. A
// partner that took no cancellation of the first is spared the tries.
func PlaySecondBooking(ctx context.Context, p *Player, attempt int) *SecondBooking {
	first := PlayBooking(ctx, p, 0)
	return played(p, "second booking", attempt, func(b *SecondBooking, option string) {
		want := seat("reserve 1 seat, to book it", option)
		want.Late = true
		t := p.begin(ctx, &b.Opening, want)
		t.book("confirm with the code alone", false, &b.Confirm, &b.BookingID, "after confirm")
		if p.Book.traits.NoCancel {
			t.step(func() *Stop { return first.Stop })
		}
		t.cancel("cancel the booking with a wrong key", b.BookingID, probe.WrongKey, &b.WrongKey, "")
		t.cancel("cancel the booking without a key", b.BookingID, probe.NoKey, &b.NoKey, "after the cancellations without a good key")
		body := first.Cancel.Answer == nil || !first.Cancel.Answer.OK(http.StatusOK)
		t.undo("cancel the booking, without a body", b.BookingID, body, &b.Cancel, "after the cancellation")
	})
}

// WrongKeys is somebody without the key at work on a hold.
type WrongKeys struct {
	Opening
	ReserveWrong Act
	ReserveNone  Act
	ConfirmWrong Act
	ConfirmNone  Act
	ReleaseWrong Act
	ReleaseNone  Act
	Release      Act // with the good key
}

func PlayWrongKeys(ctx context.Context, p *Player, attempt int) *WrongKeys {
	return played(p, "keys", attempt, func(k *WrongKeys, option string) {
		t := p.begin(ctx, &k.Opening, seat("reserve 1 seat", option))
		reserve := func(purpose string, key probe.Key, into *Act, when string) {
			t.act(into, when, func() (*probe.Answer, *Stop) {
				made, stop := p.Book.Reserve(ctx, purpose, k.Offer, Guests(k.Offer.Option, 1), true, key)
				if made == nil {
					return nil, stop
				}
				return made.Answer, stop
			})
		}
		reserve("reserve with a wrong key", probe.WrongKey, &k.ReserveWrong, "")
		reserve("reserve without a key", probe.NoKey, &k.ReserveNone, "after the reserves without a good key")
		t.confirm("confirm with a wrong key", probe.WrongKey, &k.ConfirmWrong, "")
		t.confirm("confirm without a key", probe.NoKey, &k.ConfirmNone, "")
		t.release("release with a wrong key", probe.WrongKey, &k.ReleaseWrong, "")
		t.release("release without a key", probe.NoKey, &k.ReleaseNone, "after the releases without a good key")
		t.give("release the hold", true, &k.Release, "after the release with the good key")
	})
}
