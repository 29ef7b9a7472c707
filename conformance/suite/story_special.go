package suite

import (
	"context"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// partyStory is a hold for guests of two types.
type partyStory struct {
	scene
	released *reading
}

// party plays the party story.
func (s *session) party(ctx context.Context, attempt int) *partyStory {
	return play(s, "party", attempt, func(p *partyStory) {
		want := onSameOption(discover.Want{Seats: 2, Counted: true, Suits: func(o discover.Offer) bool {
			_, ok := o.Option.Companion()
			return ok
		}}, attempt, func() scene { return s.party(ctx, 0).scene })
		p.scene = s.open(ctx, casting{
			purpose: "reserve 2 seats for guests of two types", want: want, full: true,
			party: func(option discover.Option) []partnerapi.UnitQuantity {
				companion, _ := option.Companion()
				return []partnerapi.UnitQuantity{{ID: option.Lead(), Quantity: 1}, {ID: companion, Quantity: 1}}
			},
		})
		steps(&p.stopped,
			func() *obstacle { _, o := s.releaseHold(ctx, "release the hold", p.hold, true); return o },
			s.count(ctx, p.offer, "after release", &p.released),
		)
	})
}

// secondStory is a second booking, confirmed with the code alone and cancelled
// without a body, after somebody without the key has tried to cancel it.
type secondStory struct {
	scene
	confirm    *probe.Answer
	bookingID  string
	confirmed  *reading
	wrongKey   *probe.Answer
	noKey      *probe.Answer
	afterNoKey *reading
	cancel     *probe.Answer
	cancelled  *reading
}

// second plays the second booking, late in the window and at the catalog's end. A
// partner that took no cancellation of the first is spared the tries.
func (s *session) second(ctx context.Context, attempt int) *secondStory {
	first := s.booking(ctx, 0)
	return play(s, "second booking", attempt, func(b *secondStory) {
		want := onSameOption(discover.Want{Seats: 1, Counted: true, Late: true}, attempt, func() scene { return s.second(ctx, 0).scene })
		b.scene = s.open(ctx, casting{purpose: "reserve 1 seat, to book it", want: want, party: leads(1), full: true})
		steps(&b.stopped,
			func() (o *obstacle) {
				b.confirm, b.bookingID, o = s.confirm(ctx, "confirm with the code alone", b.hold, false)
				return o
			},
			s.count(ctx, b.offer, "after confirm", &b.confirmed),
			func() *obstacle {
				if s.noCancel {
					return first.stopped
				}
				return nil
			},
			func() (o *obstacle) {
				b.wrongKey, o = s.cancel(ctx, "cancel the booking with a wrong key", b.bookingID, true, probe.WrongKey)
				return o
			},
			func() (o *obstacle) {
				b.noKey, o = s.cancel(ctx, "cancel the booking without a key", b.bookingID, true, probe.NoKey)
				return o
			},
			s.count(ctx, b.offer, "after the cancellations without a good key", &b.afterNoKey),
			func() (o *obstacle) {
				body := first.cancel == nil || !first.cancel.OK(http.StatusOK)
				b.cancel, o = s.cancelBooking(ctx, "cancel the booking, without a body", b.hold, b.bookingID, body)
				return o
			},
			s.count(ctx, b.offer, "after the cancellation", &b.cancelled),
		)
	})
}

// keysStory is somebody without the key at work on a hold.
type keysStory struct {
	scene
	reserveWrong *probe.Answer
	reserveNone  *probe.Answer
	afterReserve *reading
	confirmWrong *probe.Answer
	confirmNone  *probe.Answer
	releaseWrong *probe.Answer
	releaseNone  *probe.Answer
	afterRelease *reading
	released     *reading // after the release with the good key
}

// keys plays the story of the keys.
func (s *session) keys(ctx context.Context, attempt int) *keysStory {
	return play(s, "keys", attempt, func(k *keysStory) {
		want := onSameOption(discover.Want{Seats: 1, Counted: true}, attempt, func() scene { return s.keys(ctx, 0).scene })
		k.scene = s.open(ctx, casting{purpose: "reserve 1 seat", want: want, party: leads(1), full: true})
		reserve := func(purpose string, key probe.Key, into **probe.Answer) func() *obstacle {
			return func() (o *obstacle) {
				*into, _, o = s.sendReserve(ctx, purpose, k.offer, guests(k.offer.Option, 1), true, key)
				return o
			}
		}
		confirm := func(purpose string, key probe.Key, into **probe.Answer) func() *obstacle {
			return func() (o *obstacle) {
				*into, o = s.sendConfirm(ctx, purpose, k.hold, true, key)
				return o
			}
		}
		release := func(purpose string, key probe.Key, into **probe.Answer) func() *obstacle {
			return func() (o *obstacle) {
				*into, o = s.release(ctx, purpose, k.hold.code, true, key)
				return o
			}
		}
		steps(&k.stopped,
			reserve("reserve with a wrong key", probe.WrongKey, &k.reserveWrong),
			reserve("reserve without a key", probe.NoKey, &k.reserveNone),
			s.count(ctx, k.offer, "after the reserves without a good key", &k.afterReserve),
			confirm("confirm with a wrong key", probe.WrongKey, &k.confirmWrong),
			confirm("confirm without a key", probe.NoKey, &k.confirmNone),
			release("release with a wrong key", probe.WrongKey, &k.releaseWrong),
			release("release without a key", probe.NoKey, &k.releaseNone),
			s.count(ctx, k.offer, "after the releases without a good key", &k.afterRelease),
			func() *obstacle { _, o := s.releaseHold(ctx, "release the hold", k.hold, true); return o },
			s.count(ctx, k.offer, "after the release with the good key", &k.released),
		)
	})
}
