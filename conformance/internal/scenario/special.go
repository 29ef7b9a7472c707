package scenario

import (
	"context"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// MixedParty is a hold for guests of two types.
type MixedParty struct {
	Opening
	Released *Reading
}

// PlayMixedParty plays it.
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

// PlayWrongKeys plays it.
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
