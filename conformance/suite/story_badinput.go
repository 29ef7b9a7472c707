package suite

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// odd is a piece of nonsense that was sent.
type odd struct {
	nonsense
	answer *probe.Answer // never nil
	held   bool          // a hold came of it, which was released
}

// badReserveStory is reserves that make no sense, for a slot whose seats are
// counted before and after.
type badReserveStory struct {
	offer   discover.Offer
	before  *reading
	bodies  []odd
	parties []odd
	after   *reading
	stopped *obstacle
}

// badReserves plays the story; all attempts are on slots of one option.
func (s *session) badReserves(ctx context.Context, attempt int) *badReserveStory {
	return play(s, "bad reserves", attempt, func(b *badReserveStory) {
		want := discover.Want{Seats: 1, Counted: true}
		if attempt > 0 {
			want.OptionKey = s.badReserves(ctx, 0).offer.OptionKey()
		}
		if b.offer, b.stopped = s.someOffer(ctx, want); b.stopped != nil {
			return
		}
		valid := reserveRequest(b.offer)
		bodies := append(nonsenseOf(valid, "availabilityId"), contactNonsense(valid)...)
		bodies = append(bodies, with(encode(valid), "1,000 units", "units", slices.Repeat(quantity(b.offer.Option.Lead(), "1"), manyUnits)))
		var parties []nonsense
		strange := strangeParties(b.offer.Option)
		for _, what := range slices.Sorted(maps.Keys(strange)) {
			parties = append(parties, with(encode(valid), what, "units", strange[what]))
		}
		steps(&b.stopped,
			s.count(ctx, b.offer, "before reserves that make no sense", &b.before),
			func() (o *obstacle) { b.bodies, o = s.reserveAll(ctx, b.offer, bodies); return o },
			func() (o *obstacle) { b.parties, o = s.reserveAll(ctx, b.offer, parties); return o },
			s.count(ctx, b.offer, "after reserves that make no sense", &b.after),
		)
	})
}

// someOffer is a slot to call about, which no story was played on, if there is one.
func (s *session) someOffer(ctx context.Context, want discover.Want) (discover.Offer, *obstacle) {
	survey := s.surveyed(ctx)
	if survey.stopped != nil {
		return discover.Offer{}, survey.stopped
	}
	if s.again {
		s.glance(ctx, want.OptionKey)
	}
	want.Now, want.Used, want.Moved = s.now(), s.used, s.moved
	offers := discover.Pick(survey.offers, want)
	if len(offers) == 0 {
		return discover.Offer{}, s.nothingToBook(want)
	}
	s.used[offers[0].Key()] = true
	return offers[0], nil
}

func reserveRequest(offer discover.Offer) partnerapi.ReserveRequest {
	return partnerapi.ReserveRequest{
		ProductID: offer.Product.ID, OptionID: offer.Option.ID, AvailabilityID: offer.Slot.ID, Units: guests(offer.Option, 1),
	}
}

// reserveAll sends reserves that should make no hold, until one is not answered. A
// hold that comes of one all the same is in the ledger, and released at once.
func (s *session) reserveAll(ctx context.Context, offer discover.Offer, all []nonsense) (sent []odd, o *obstacle) {
	return s.tryAll(all, func(n nonsense) (odd, *obstacle) {
		entry, o := s.attempt(offer, nil)
		if o != nil {
			return odd{}, o
		}
		answer, o := s.sendOdd(context.WithoutCancel(ctx), rule.ReserveLimit, n.call(partnerapi.Reserve, http.MethodPost, partnerapi.ReservePath))
		s.ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
		t := odd{nonsense: n, answer: answer, held: entry.State == ledger.Held}
		if o == nil && t.held {
			_, o = s.releaseHold(ctx, "release it", &hold{entry: entry, answer: answer, code: entry.Code}, true)
		}
		if o == nil && ctx.Err() != nil {
			o = s.outOfTime()
		}
		return t, o
	})
}

// tryAll sends nonsense, a few pieces at a time where calls may be sent at the same
// time. After one that is not answered in time the rest is left: that is enough of a
// finding, and waiting for all would take the run's time.
func (s *session) tryAll(all []nonsense, send func(nonsense) (odd, *obstacle)) (sent []odd, o *obstacle) {
	together := askers
	if s.config.NoRaces {
		together = 1
	}
	for few := range slices.Chunk(all, together) {
		came, obstacles := make([]odd, len(few)), make([]*obstacle, len(few))
		var running sync.WaitGroup
		for i, n := range few {
			running.Go(func() { came[i], obstacles[i] = send(n) })
		}
		running.Wait()
		if i := slices.IndexFunc(obstacles, func(o *obstacle) bool { return o != nil }); i >= 0 {
			return sent, obstacles[i]
		}
		if sent = append(sent, came...); slices.ContainsFunc(came, odd.isLate) {
			break
		}
	}
	return sent, nil
}

func (t odd) isLate() bool { return t.answer.Failure != nil && t.answer.Failure.Kind == probe.Timeout }

// call is the call with this body.
func (n nonsense) call(endpoint partnerapi.Endpoint, method, path string) probe.Call {
	return probe.Call{Endpoint: endpoint, Purpose: n.what, Method: method, Path: path, Body: n.body, BodyType: n.bodyType, Key: probe.GoodKey}
}

// sendOdd sends a call that the marketplace never sends, once. The contract sets it
// no limit: it is given the time that the endpoint has, and lateness is not judged.
func (s *session) sendOdd(ctx context.Context, limit rule.Rule, call probe.Call) (*probe.Answer, *obstacle) {
	if s.config.Bounds.ReadOnly && writes(call.Endpoint) {
		return nil, outOfBounds(readOnly)
	}
	if broken := s.paces[limit.ID].broken(); broken != nil {
		return nil, broken
	}
	if ctx.Err() != nil {
		return nil, s.outOfTime()
	}
	call = s.timed(limit, call)
	call.Limit = 0
	answer := s.client.Do(ctx, call)
	if answer.Failure != nil && answer.Failure.Kind == probe.Stopped {
		return nil, s.outOfTime()
	}
	return answer, nil
}
