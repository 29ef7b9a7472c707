package explore

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// Case is what the story of a case of the plan showed.
type Case struct {
	trace.Judgement            // of the step that failed; its Flaw is "" if none did
	Step            int        // its place in the story
	Effect          model.Kind // the call with another key than the partner's that the failure needs; "" if none
	Shown           []*report.Exchange
	Refused         bool          // the party was refused
	Doubtful        bool          // a step failed while other stories were played; play it alone
	Stop            *partner.Stop // why the story was not completed; nil if it was
}

// PlayCase plays the story of a case: a hold that is released and a booking that is cancelled, each with the calls
// that a marketplace might repeat or send too late, and with other calls in between. A breach that other customers may
// have caused counts if it is far likelier than that. If it loses the seats of the case's slot, the case moves to another one.
func PlayCase(ctx context.Context, p *scenario.Player, c *plan.Case, newJudge NewJudge) Case {
	s := &stage{Player: p, ctx: ctx, newJudge: newJudge, parties: caseParties(c), accepted: map[acceptedParty]bool{}, fresh: c.Fresh}
	steps := storyOf(c, p.Book.CanCancel(ctx), p.Depth.Repeats())
	first := s.play(steps, []discover.Offer{c.Offer})
	if first.refused && !first.broke() && c.IsSmall() && !c.Lead() {
		// A slot without vacancies must take the party if it holds as many other guests, again and again.
		leads := Step{Does: model.Reserve, Party: asManyLeads}
		steps = Lifecycle{leads, {Does: model.Release}, leads, {Does: model.Release, Hold: 1}, {Does: model.Reserve}}
		if fits := s.play(steps, []discover.Offer{c.Offer}); fits.broke() {
			first = fits
		}
	}
	if !first.broke() {
		return Case{Refused: first.refused, Stop: first.stop, Shown: first.shown}
	}
	if p.Calls.Interleaves() {
		return Case{Doubtful: true}
	}
	if first.at == nil {
		return first.broken("")
	}
	if s.isStable(first) {
		// Counted after each call, the seats show which one it was.
		exact := steps[:first.taken].counted()
		plain := exact.withGoodKeys()
		offers := func() []discover.Offer { return []discover.Offer{s.slotAlike(c, first.start[0])} }
		if a := s.repeat(offers, plain); a != nil {
			return a.broken("")
		}
		if effect := exact.lastWrongKey(); effect != "" {
			if a := s.repeat(offers, exact); a != nil {
				return a.broken(effect)
			}
		}
	}
	return Case{Stop: partner.NewStop("other customers may have changed the seats of the slot; the first result was: %s", first.unlawful.Flaw)}
}

// slotAlike returns the slot of a case. Once it has fewer seats left, which a breach may have lost, the case moves to another
// slot of its option that has as many.
func (e *stage) slotAlike(c *plan.Case, seats int64) discover.Offer {
	if e.Seats.LastLeft(c.Offer) < seats {
		c.Offer = e.OfferNear(e.ctx, c.Offer, discover.Want{Seats: seats, Fewest: true})
	}
	return c.Offer
}

// broken returns what a playing with a breach shows.
func (p *run) broken(effect model.Kind) Case {
	j := p.unlawful
	j.Flaw = p.does() + ": " + j.Flaw
	return Case{Judgement: j, Step: p.taken, Effect: effect, Shown: p.shown}
}

// Parties of a case's story, by their index.
const (
	caseParty = iota
	oneGuest
	allSeats
	tooManyGuests
	severalGuests
	asManyLeads
)

// farTooMany is the number of guests in excess of the seats in every second case that tries too many.
const farTooMany = 25

func caseParties(c *plan.Case) []party {
	more := int64(1)
	if c.Number%4 == 1 {
		more = farTooMany
	}
	mixed := len(c.Units) > 1
	return []party{
		caseParty: func(option discover.Option, _ model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
			if c.Lead() {
				return partner.Guests(option, c.Guests()), 0, c.IsSmall()
			}
			return c.Units, c.Infants, c.IsSmall() && option.Least == 0
		},
		oneGuest: func(option discover.Option, _ model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
			return partner.Guests(option, 1), 0, true
		},
		asManyLeads: leadParty(c.Guests()),
		allSeats: func(option discover.Option, left model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
			return partner.Guests(option, max(1, left.Least)), 0, left.Least <= 1
		},
		tooManyGuests: func(option discover.Option, left model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
			return moreThan(c, option, left.Least+left.More+more), 0, false
		},
		severalGuests: func(option discover.Option, left model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
			if mixed {
				return withCompanion(option, left)
			}
			return partner.Guests(option, 2), 0, false
		},
	}
}

// moreThan returns a party of that many guests. It has the case's guest types if at least one of them certainly takes
// a seat.
func moreThan(c *plan.Case, option discover.Option, guests int64) []partnerapi.UnitQuantity {
	if c.Guests() == c.Infants {
		return partner.Leads(option, max(guests, option.Least))
	}
	units, missing := slices.Clone(c.Units), guests-(c.Guests()-c.Infants)
	for i, unit := range units {
		if option.Unit(unit.ID).Type != partnerapi.Infant {
			units[i].Quantity = max(1, unit.Quantity+int(missing))
			break
		}
	}
	return units
}

// mostFilled is the maximum number of seats of a case's slot that are held to sell it out.
const mostFilled = 6

// story builds the steps of a case.
type story struct {
	*plan.Case
	steps Lifecycle
	holds int
}

func (s *story) add(steps ...Step) { s.steps = append(s.steps, steps...) }

// reserve adds a reserve, and returns the number of its hold.
func (s *story) reserve(step Step) int {
	step.Does = model.Reserve
	s.add(step)
	s.holds++
	return s.holds - 1
}

// about adds a call about a hold.
func (s *story) about(does model.Kind, hold int, step Step) {
	step.Does, step.Hold = does, hold
	s.add(step)
}

// wrongKey adds a call about a hold with a wrong key, or without a key in every second case. It is counted by the
// next call.
func (s *story) wrongKey(does model.Kind, hold int) {
	key := probe.WrongKey
	if s.Number%2 == 0 {
		key = probe.NoKey
	}
	s.about(does, hold, Step{Key: key, Blind: true})
}

// near adds a call about a code, or a booking id, that is similar to that of a hold. Each case has another form.
func (s *story) near(does model.Kind, hold int, step Step) {
	step.Near = s.Number
	s.about(does, hold, step)
}

// between adds the calls that come between two calls of the case.
func (s *story) between() {
	switch s.Between {
	case plan.SameSlot: // twice: some faults need two
		s.about(model.Release, s.reserve(Step{Party: oneGuest, Blind: true}), Step{Blind: true})
		s.about(model.Release, s.reserve(Step{Party: oneGuest, Blind: true}), Step{})
	case plan.CatalogPull:
		s.add(Step{Does: Pull}, Step{Does: model.Look})
	case plan.WholeWindow:
		s.add(Step{Does: WholeWindow})
	}
}

// storyOf returns the story of a case. The seats are counted after each call that changes them, and once after several
// that must not.
func storyOf(c *plan.Case, books bool, repeats int) Lifecycle {
	s := &story{Case: c}
	seats := c.Offer.Slot.Seats(c.Offer.Product)
	again := 1
	if c.Number%5 == 0 && !c.Brief {
		again = repeats
	}
	if seats.Counted && c.Number%2 == 1 && !c.Brief {
		s.reserve(Step{Party: tooManyGuests, Blind: true})
	}
	books = books && !c.HoldOnly
	if !books || !c.Brief {
		s.release(books, again)
	}
	if !books {
		return s.steps
	}
	hold := s.reserve(Step{Body: c.Body})
	s.near(ConfirmNear, hold, Step{Blind: true})
	s.wrongKey(model.Confirm, hold)
	s.between()
	s.about(model.Confirm, hold, Step{Body: c.Body})
	s.between()
	s.near(CancelNear, hold, Step{Blind: true})
	for n := range again {
		s.about(model.Confirm, hold, Step{Body: partner.Body(n % 2), Blind: true}) // the second without optional fields
	}
	s.about(model.Release, hold, Step{})
	s.wrongKey(model.Cancel, hold)
	s.about(model.Cancel, hold, Step{Body: c.Body})
	for range again {
		s.about(model.Cancel, hold, Step{Blind: true})
	}
	s.about(model.Confirm, hold, Step{Blind: true})
	s.about(model.Release, hold, Step{})
	return s.steps
}

// release adds a hold that is released, the calls that a marketplace might repeat or send too late, and a slot that is
// sold out: its seats are released, or booked and cancelled.
func (s *story) release(books bool, again int) {
	seats := s.Offer.Slot.Seats(s.Offer.Product)
	hold := s.reserve(Step{Body: s.Body, Blind: true})
	s.near(ReleaseNear, hold, Step{Blind: s.Brief})
	if !books {
		s.between()
	}
	s.wrongKey(model.Release, hold)
	s.about(model.Release, hold, Step{Body: s.Body})
	for range again {
		s.about(model.Release, hold, Step{Blind: true})
	}
	s.about(model.Confirm, hold, Step{})
	if seats.Counted && seats.Left <= mostFilled && s.Number%2 == 0 && !s.Brief {
		all := s.reserve(Step{Party: allSeats})
		over := oneGuest
		if len(s.Units) > 1 || s.Number%4 == 0 {
			over = severalGuests
		}
		s.reserve(Step{Party: over, Blind: true})
		if !books || s.Number%8 != 2 { // a partner minds a booking more than a hold, so few cases make another one
			s.about(model.Release, all, Step{})
			return
		}
		s.about(model.Confirm, all, Step{Blind: true})
		s.about(model.Cancel, all, Step{})
	}
}

// withGoodKeys returns the lifecycle without the calls with other keys than the partner's that make no hold.
func (s Lifecycle) withGoodKeys() Lifecycle {
	return slices.DeleteFunc(slices.Clone(s), func(step Step) bool { return step.Key != probe.GoodKey && step.Does != model.Reserve })
}

// counted returns the lifecycle with the seats counted after each call.
func (s Lifecycle) counted() Lifecycle {
	all := slices.Clone(s)
	for i := range all {
		all[i].Blind = false
	}
	return all
}

// lastWrongKey returns the last call with another key than the partner's.
func (s Lifecycle) lastWrongKey() model.Kind {
	for _, step := range slices.Backward(s) {
		if step.Key != probe.GoodKey {
			return step.Does
		}
	}
	return ""
}
