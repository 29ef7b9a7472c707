package suite

import (
	"context"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
)

// bookingStory is a booking from reserve to cancellation, with every call that
// the marketplace might repeat, or send too late, repeated or sent too late.
type bookingStory struct {
	scene
	confirm               *probe.Answer
	bookingID             string
	confirmed             *reading
	repeat                *probe.Answer // confirm of the same code again
	repeated              *reading
	lateRelease           *probe.Answer // release of the confirmed code
	lateReleased          *reading
	cancel                *probe.Answer
	cancelled             *reading
	cancelAgain           *probe.Answer
	cancelledAgain        *reading
	confirmCancelled      *probe.Answer // confirm of the cancelled booking's code
	afterConfirmCancelled *reading
	releaseCancelled      *probe.Answer // release of the cancelled booking's code
	afterReleaseCancelled *reading
}

// booking plays the booking story.
func (s *session) booking(ctx context.Context, attempt int) *bookingStory {
	return play(s, "booking", attempt, func(b *bookingStory) {
		want := onSameOption(discover.Want{Seats: 1, Counted: true}, attempt, func() scene { return s.booking(ctx, 0).scene })
		b.scene = s.open(ctx, casting{purpose: "reserve 1 seat, to book it", want: want, party: leads(1), full: true})
		steps(&b.stopped,
			func() (o *obstacle) {
				b.confirm, b.bookingID, o = s.confirm(ctx, "confirm the hold", b.hold, true)
				return o
			},
			s.count(ctx, b.offer, "after confirm", &b.confirmed),
			func() (o *obstacle) {
				b.repeat, o = s.sendConfirm(ctx, "confirm the same code again", b.hold, true, probe.GoodKey)
				return o
			},
			s.count(ctx, b.offer, "after the second confirm", &b.repeated),
			func() (o *obstacle) {
				b.lateRelease, o = s.release(ctx, "release the confirmed code", b.hold.code, true, probe.GoodKey)
				return o
			},
			s.count(ctx, b.offer, "after the confirmed code was released", &b.lateReleased),
			func() (o *obstacle) {
				b.cancel, o = s.cancelBooking(ctx, "cancel the booking", b.hold, b.bookingID, true)
				return o
			},
			s.count(ctx, b.offer, "after the cancellation", &b.cancelled),
			func() (o *obstacle) {
				b.cancelAgain, o = s.cancel(ctx, "cancel the booking again", b.bookingID, true, probe.GoodKey)
				return o
			},
			s.count(ctx, b.offer, "after the second cancellation", &b.cancelledAgain),
			func() (o *obstacle) {
				b.confirmCancelled, o = s.sendConfirm(ctx, "confirm the cancelled booking's code", b.hold, true, probe.GoodKey)
				return o
			},
			s.count(ctx, b.offer, "after the cancelled code was confirmed", &b.afterConfirmCancelled),
			func() (o *obstacle) {
				b.releaseCancelled, o = s.release(ctx, "release the cancelled booking's code", b.hold.code, true, probe.GoodKey)
				return o
			},
			s.count(ctx, b.offer, "after the cancelled code was released", &b.afterReleaseCancelled),
		)
	})
}

// holdStory is a hold for several guests that is released, twice, and then
// confirmed all the same.
type holdStory struct {
	scene
	guests          int64
	release         *probe.Answer
	released        *reading
	releaseAgain    *probe.Answer
	releasedAgain   *reading
	confirmReleased *probe.Answer
	afterConfirm    *reading
}

// severalGuests is the size of the party of the hold story, where the seats suffice.
const severalGuests = 2

// holding plays the hold story, late in the window and at the catalog's end. A
// partner whose slots have a single seat is asked for one.
func (s *session) holding(ctx context.Context, attempt int) *holdStory {
	return play(s, "hold", attempt, func(h *holdStory) {
		for h.guests = severalGuests; h.guests >= 1; h.guests-- {
			want := onSameOption(discover.Want{Seats: h.guests, Counted: true, Late: true}, attempt, func() scene { return s.holding(ctx, 0).scene })
			h.scene = s.open(ctx, casting{purpose: "reserve " + seatsWord(h.guests) + ", to release them", want: want, party: leads(h.guests)})
			if h.hold != nil || h.stopped.Rule != nil || h.guests == 1 {
				break
			}
		}
		if h.stopped != nil && h.stopped.refused {
			refusals := h.stopped.Exchanges
			h.stopped = breach(rule.ReserveMinimal, nil, "want a hold, as there is one with contact and resellerReference; %s", h.stopped.Message)
			h.stopped.Exchanges = refusals
		}
		steps(&h.stopped,
			func() (o *obstacle) {
				h.release, o = s.releaseHold(ctx, "release the hold, without a body", h.hold, false)
				return o
			},
			s.count(ctx, h.offer, "after release", &h.released),
			func() (o *obstacle) {
				h.releaseAgain, o = s.release(ctx, "release the same code again", h.hold.code, true, probe.GoodKey)
				return o
			},
			s.count(ctx, h.offer, "after the second release", &h.releasedAgain),
			func() (o *obstacle) {
				h.confirmReleased, o = s.sendConfirm(ctx, "confirm the released code", h.hold, true, probe.GoodKey)
				return o
			},
			s.count(ctx, h.offer, "after the released code was confirmed", &h.afterConfirm),
		)
	})
}

// visit is a short stop at one option: a hold for one guest, made and released.
type visit struct {
	scene
	release  *probe.Answer
	released *reading
}

const (
	mostVisits = 6   // options that are visited
	extraShare = 0.5 // of the run's time may be gone before a further visit, or round of a race
)

// visited returns the keys of the options to be visited, the last of the catalog
// among them.
func (s *session) visited(ctx context.Context) []string {
	var keys []string
	seen := map[string]bool{}
	for _, offer := range discover.Pick(s.surveyed(ctx).offers, discover.Want{Now: s.now(), Seats: 1}) {
		if key := offer.OptionKey(); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return spread(inCatalogOrder(keys, s.survey.offers), mostVisits)
}

// inCatalogOrder sorts option keys as the offers are sorted.
func inCatalogOrder(keys []string, offers []discover.Offer) []string {
	wanted := map[string]bool{}
	for _, key := range keys {
		wanted[key] = true
	}
	var sorted []string
	for _, offer := range offers {
		if key := offer.OptionKey(); wanted[key] {
			delete(wanted, key)
			sorted = append(sorted, key)
		}
	}
	return sorted
}

// visit plays the visit to one option.
func (s *session) visit(ctx context.Context, optionKey string, attempt int) *visit {
	return play(s, "visit "+optionKey, attempt, func(v *visit) {
		v.scene = s.open(ctx, casting{
			purpose: "reserve 1 seat, to release it",
			want:    discover.Want{Seats: 1, Counted: true, OptionKey: optionKey},
			party:   leads(1), full: true,
		})
		steps(&v.stopped,
			func() (o *obstacle) {
				v.release, o = s.releaseHold(ctx, "release the hold", v.hold, true)
				return o
			},
			s.count(ctx, v.offer, "after release", &v.released),
		)
	})
}

// lateForMore reports whether too much of the run's time is gone for what a rule
// can be judged without.
func (s *session) lateForMore() bool { return s.spentShare() > extraShare }
