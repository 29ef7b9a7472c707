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
	Traits                Traits // of the partner, as known when this is read
	Confirm               *probe.Answer
	BookingID             string
	Confirmed             *Reading
	Repeat                *probe.Answer // confirm of the same code again
	Repeated              *Reading
	LateRelease           *probe.Answer // release of the confirmed code
	LateReleased          *Reading
	Cancel                *probe.Answer
	Cancelled             *Reading
	CancelAgain           *probe.Answer
	CancelledAgain        *Reading
	ConfirmCancelled      *probe.Answer // confirm of the cancelled booking's code
	AfterConfirmCancelled *Reading
	ReleaseCancelled      *probe.Answer // release of the cancelled booking's code
	AfterReleaseCancelled *Reading
}

func PlayBooking(ctx context.Context, p *Player, attempt int) *Booking {
	booking := played(p, "booking", attempt, func(b *Booking) {
		option := optionOf(attempt, func() discover.Offer { return PlayBooking(ctx, p, 0).Offer })
		b.Opening = p.open(ctx, seat("reserve 1 seat, to book it", option))
		steps(&b.Stop,
			func() (stop *Stop) {
				b.Confirm, b.BookingID, stop = p.Book.book(ctx, "confirm the hold", b.Hold, true)
				return stop
			},
			p.count(ctx, b.Offer, "after confirm", &b.Confirmed),
			p.confirms(ctx, "confirm the same code again", &b.Opening, probe.GoodKey, &b.Repeat),
			p.count(ctx, b.Offer, "after the second confirm", &b.Repeated),
			p.releases(ctx, "release the confirmed code", &b.Opening, probe.GoodKey, &b.LateRelease),
			p.count(ctx, b.Offer, "after the confirmed code was released", &b.LateReleased),
			func() (stop *Stop) {
				b.Cancel, stop = p.Book.cancelBooking(ctx, "cancel the booking", b.Hold, b.BookingID, true)
				return stop
			},
			p.count(ctx, b.Offer, "after the cancellation", &b.Cancelled),
			p.cancels(ctx, "cancel the booking again", &b.BookingID, probe.GoodKey, &b.CancelAgain),
			p.count(ctx, b.Offer, "after the second cancellation", &b.CancelledAgain),
			p.confirms(ctx, "confirm the cancelled booking's code", &b.Opening, probe.GoodKey, &b.ConfirmCancelled),
			p.count(ctx, b.Offer, "after the cancelled code was confirmed", &b.AfterConfirmCancelled),
			p.releases(ctx, "release the cancelled booking's code", &b.Opening, probe.GoodKey, &b.ReleaseCancelled),
			p.count(ctx, b.Offer, "after the cancelled code was released", &b.AfterReleaseCancelled),
		)
	})
	booking.Traits = *p.Book.traits
	return booking
}

// Holding is a hold for several guests that is released, twice, and then
// confirmed all the same.
type Holding struct {
	Opening
	Guests          int64
	Release         *probe.Answer
	Released        *Reading
	ReleaseAgain    *probe.Answer
	ReleasedAgain   *Reading
	ConfirmReleased *probe.Answer
	AfterConfirm    *Reading
}

// SeveralGuests is the size of the party of a Holding, where the seats suffice.
const SeveralGuests = 2

// PlayHolding plays a hold, late in the window and at the catalog's end. A
// partner whose slots have a single seat is asked for one.
func PlayHolding(ctx context.Context, p *Player, attempt int) *Holding {
	return played(p, "hold", attempt, func(h *Holding) {
		for h.Guests = SeveralGuests; h.Guests >= 1; h.Guests-- {
			option := optionOf(attempt, func() discover.Offer { return PlayHolding(ctx, p, 0).Offer })
			h.Opening = p.open(ctx, wanted{
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
		steps(&h.Stop,
			p.gives(ctx, "release the hold, without a body", &h.Opening, false, &h.Release),
			p.count(ctx, h.Offer, "after release", &h.Released),
			p.releases(ctx, "release the same code again", &h.Opening, probe.GoodKey, &h.ReleaseAgain),
			p.count(ctx, h.Offer, "after the second release", &h.ReleasedAgain),
			p.confirms(ctx, "confirm the released code", &h.Opening, probe.GoodKey, &h.ConfirmReleased),
			p.count(ctx, h.Offer, "after the released code was confirmed", &h.AfterConfirm),
		)
	})
}

type Visit struct {
	Opening
	Release  *probe.Answer
	Released *Reading
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
	return played(p, name, attempt, func(v *Visit) {
		v.Opening = p.open(ctx, seat("reserve 1 seat, to release it", optionKey))
		steps(&v.Stop,
			p.gives(ctx, "release the hold", &v.Opening, true, &v.Release),
			p.count(ctx, v.Offer, "after release", &v.Released),
		)
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
	Released *Reading
}

func PlayMixedParty(ctx context.Context, p *Player, attempt int) *MixedParty {
	return played(p, "party", attempt, func(m *MixedParty) {
		m.Opening = p.open(ctx, wanted{
			purpose: "reserve 2 seats for guests of two types", full: true,
			Want: discover.Want{
				Seats: 2, Counted: true, OptionKey: optionOf(attempt, func() discover.Offer { return PlayMixedParty(ctx, p, 0).Offer }),
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
		var release *probe.Answer
		steps(&m.Stop,
			p.gives(ctx, "release the hold", &m.Opening, true, &release),
			p.count(ctx, m.Offer, "after release", &m.Released),
		)
	})
}

// SecondBooking is a second booking, confirmed with the code alone and cancelled
// without a body, after somebody without the key has tried to cancel it.
type SecondBooking struct {
	Opening
	Confirm    *probe.Answer
	BookingID  string
	Confirmed  *Reading
	WrongKey   *probe.Answer
	NoKey      *probe.Answer
	AfterNoKey *Reading
	Cancel     *probe.Answer
	Cancelled  *Reading
}

// PlaySecondBooking plays it late in the window and at the catalog's end. A
// partner that took no cancellation of the first is spared the tries.
func PlaySecondBooking(ctx context.Context, p *Player, attempt int) *SecondBooking {
	first := PlayBooking(ctx, p, 0)
	return played(p, "second booking", attempt, func(b *SecondBooking) {
		want := seat("reserve 1 seat, to book it", optionOf(attempt, func() discover.Offer { return PlaySecondBooking(ctx, p, 0).Offer }))
		want.Late = true
		b.Opening = p.open(ctx, want)
		steps(&b.Stop,
			func() (stop *Stop) {
				b.Confirm, b.BookingID, stop = p.Book.book(ctx, "confirm with the code alone", b.Hold, false)
				return stop
			},
			p.count(ctx, b.Offer, "after confirm", &b.Confirmed),
			func() *Stop {
				if p.Book.traits.NoCancel {
					return first.Stop
				}
				return nil
			},
			p.cancels(ctx, "cancel the booking with a wrong key", &b.BookingID, probe.WrongKey, &b.WrongKey),
			p.cancels(ctx, "cancel the booking without a key", &b.BookingID, probe.NoKey, &b.NoKey),
			p.count(ctx, b.Offer, "after the cancellations without a good key", &b.AfterNoKey),
			func() (stop *Stop) {
				body := first.Cancel == nil || !first.Cancel.OK(http.StatusOK)
				b.Cancel, stop = p.Book.cancelBooking(ctx, "cancel the booking, without a body", b.Hold, b.BookingID, body)
				return stop
			},
			p.count(ctx, b.Offer, "after the cancellation", &b.Cancelled),
		)
	})
}

// WrongKeys is somebody without the key at work on a hold.
type WrongKeys struct {
	Opening
	Traits       Traits
	ReserveWrong *probe.Answer
	ReserveNone  *probe.Answer
	AfterReserve *Reading
	ConfirmWrong *probe.Answer
	ConfirmNone  *probe.Answer
	ReleaseWrong *probe.Answer
	ReleaseNone  *probe.Answer
	AfterRelease *Reading
	Released     *Reading // after the release with the good key
}

func PlayWrongKeys(ctx context.Context, p *Player, attempt int) *WrongKeys {
	keys := played(p, "keys", attempt, func(k *WrongKeys) {
		k.Opening = p.open(ctx, seat("reserve 1 seat", optionOf(attempt, func() discover.Offer { return PlayWrongKeys(ctx, p, 0).Offer })))
		reserve := func(purpose string, key probe.Key, into **probe.Answer) func() *Stop {
			return func() *Stop {
				made, stop := p.Book.Reserve(ctx, purpose, k.Offer, Guests(k.Offer.Option, 1), true, key)
				if made != nil {
					*into = made.Answer
				}
				return stop
			}
		}
		var release *probe.Answer
		steps(&k.Stop,
			reserve("reserve with a wrong key", probe.WrongKey, &k.ReserveWrong),
			reserve("reserve without a key", probe.NoKey, &k.ReserveNone),
			p.count(ctx, k.Offer, "after the reserves without a good key", &k.AfterReserve),
			p.confirms(ctx, "confirm with a wrong key", &k.Opening, probe.WrongKey, &k.ConfirmWrong),
			p.confirms(ctx, "confirm without a key", &k.Opening, probe.NoKey, &k.ConfirmNone),
			p.releases(ctx, "release with a wrong key", &k.Opening, probe.WrongKey, &k.ReleaseWrong),
			p.releases(ctx, "release without a key", &k.Opening, probe.NoKey, &k.ReleaseNone),
			p.count(ctx, k.Offer, "after the releases without a good key", &k.AfterRelease),
			p.gives(ctx, "release the hold", &k.Opening, true, &release),
			p.count(ctx, k.Offer, "after the release with the good key", &k.Released),
		)
	})
	keys.Traits = *p.Book.traits
	return keys
}
