package suite

import (
	"context"
	"fmt"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// mostCandidates bounds the slots that a story tries before it gives up.
const mostCandidates = 5

// play returns the story of that name and attempt, which the first caller plays.
// Attempt 0 is the story itself; further ones play it again on other slots.
func play[T any](s *session, name string, attempt int, perform func(*T)) *T {
	key := fmt.Sprintf("%s/%d", name, attempt)
	if known, ok := s.played[key]; ok {
		return known.(*T)
	}
	story := new(T)
	s.played[key] = story
	perform(story)
	return story
}

// once returns the answer to a call that several rules judge, which the first of
// them sends. The judging ends where an obstacle stands in the way.
func (c *check) once(name string, send func() (*probe.Answer, *obstacle)) *probe.Answer {
	type asked struct {
		answer  *probe.Answer
		stopped *obstacle
	}
	call := play(c.session, name, 0, func(a *asked) { a.answer, a.stopped = send() })
	c.past(call.stopped)
	return call.answer
}

// scene is how every story begins: a slot, its seats, and a hold on it.
type scene struct {
	offer   discover.Offer
	before  *reading
	hold    *hold
	held    *reading // after reserve
	stopped *obstacle
}

// casting says what a story's hold has to be.
type casting struct {
	purpose string
	want    discover.Want
	party   func(discover.Option) []partnerapi.UnitQuantity
	full    bool  // with contact and reference
	dress   dress // nil: as the marketplace sends it
}

// onSameOption keeps the further attempts of a story on the option of the first:
// what is broken for one option must be seen again there.
func onSameOption(want discover.Want, attempt int, first func() scene) discover.Want {
	if attempt > 0 {
		want.OptionKey = first().offer.OptionKey()
	}
	return want
}

// open begins a story: it finds a slot, counts its seats, reserves, and counts
// again. A slot that is refused is passed over for another.
func (s *session) open(ctx context.Context, c casting) scene {
	survey := s.surveyed(ctx)
	if survey.stopped != nil {
		return scene{stopped: survey.stopped}
	}
	if s.again {
		s.glance(ctx, c.want.OptionKey)
	}
	c.want.Now, c.want.Used, c.want.Moved, c.want.Room = s.now(), s.used, s.moved, 2*c.want.Seats+1
	candidates := varied(discover.Pick(survey.offers, c.want), mostCandidates)
	if len(candidates) == 0 {
		return scene{stopped: s.nothingToBook(c.want)}
	}
	var refusals []*probe.Exchange
	var last scene
	for _, offer := range candidates {
		opened := s.tryOpen(ctx, c, offer)
		if opened.stopped == nil || !opened.stopped.tryAnother {
			return opened
		}
		last = opened
		refusals = append(refusals, opened.stopped.Exchanges...)
	}
	if len(refusals) > 0 {
		last.stopped.Exchanges = refusals
	}
	if len(refusals) > 0 && !s.reserved {
		o := breach(rule.ReserveAccepts, nil, "want a hold for a slot that can be booked: %s", last.stopped.Message)
		o.Exchanges = refusals
		last.stopped = o
	}
	return last
}

// tryOpen tries one slot.
func (s *session) tryOpen(ctx context.Context, c casting, offer discover.Offer) scene {
	s.used[offer.Key()] = true
	opened := scene{offer: offer}
	if opened.before, opened.stopped = s.seats(ctx, offer, "before reserve"); opened.stopped != nil {
		return opened
	}
	if fresh := opened.before; !fresh.slot.Status.Bookable() || fresh.Counted && fresh.Left < max(1, c.want.Seats) {
		opened.stopped = notHere(takenMeanwhile)
		return opened
	}
	// Checkout reserves the fresh id, too.
	opened.offer.Slot = opened.before.slot
	if c.dress == nil {
		opened.hold, opened.stopped = s.reserve(ctx, c.purpose, opened.offer, c.party(offer.Option), c.full)
	} else {
		opened.hold, opened.stopped = s.reserveIn(ctx, c.dress, c.purpose, opened.offer, c.party(offer.Option))
	}
	if opened.stopped != nil {
		s.excuse(ctx, &opened, max(1, c.want.Seats))
		return opened
	}
	s.reserved = true
	opened.held, opened.stopped = s.seats(ctx, opened.offer, "after reserve")
	return opened
}

const takenMeanwhile = "the slots that could be booked were taken meanwhile"

// excuse excuses a refusal where the slot has no seats for the party any more.
func (s *session) excuse(ctx context.Context, opened *scene, party int64) {
	if !opened.stopped.refused {
		return
	}
	fresh, o := s.look(ctx, opened.offer, "after the refusal")
	if o == nil && (!fresh.slot.Status.Bookable() || fresh.Counted && fresh.Left < party) {
		opened.stopped = notHere(takenMeanwhile)
	}
}

// nothingToBook says what was not found.
func (s *session) nothingToBook(want discover.Want) *obstacle {
	switch {
	case s.outside != "" && len(s.survey.offers) == 0:
		return missing("%s", s.outside)
	case s.survey.slotsStopped != nil && len(s.survey.offers) == 0:
		return s.survey.slotsStopped
	case want.Seats <= 1 && want.Suits == nil && want.OptionKey == "":
		s.noOffer = true
		return missing("no slot of the next 60 days can be booked")
	case want.Seats > 1:
		return missing("no slot has %s left", seatsWord(want.Seats))
	default:
		return missing("no slot is fit for this test")
	}
}

// varied returns at most n of the candidates, of as many options as it can: an
// option that refuses one slot may refuse them all.
func varied(candidates []discover.Offer, n int) []discover.Offer {
	var chosen, rest []discover.Offer
	seen := map[string]bool{}
	for _, offer := range candidates {
		if seen[offer.OptionKey()] {
			rest = append(rest, offer)
			continue
		}
		seen[offer.OptionKey()] = true
		chosen = append(chosen, offer)
	}
	chosen = append(chosen, rest...)
	return chosen[:min(n, len(chosen))]
}

// leads returns a party of n guests of an option's lead unit.
func leads(n int64) func(discover.Option) []partnerapi.UnitQuantity {
	return func(option discover.Option) []partnerapi.UnitQuantity { return guests(option, n) }
}

// steps runs the steps of a story one after another, until one is stopped.
func steps(stopped **obstacle, step ...func() *obstacle) {
	for _, next := range step {
		if *stopped != nil {
			return
		}
		*stopped = next()
	}
}

// count is the step that counts a slot's seats.
func (s *session) count(ctx context.Context, offer discover.Offer, when string, into **reading) func() *obstacle {
	return func() (o *obstacle) {
		*into, o = s.seats(ctx, offer, when)
		return o
	}
}
