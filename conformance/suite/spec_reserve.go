package suite

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func (s *session) describeReserve() {
	s.judge(rule.ReserveStatus, func(ctx context.Context, c *check) { c.held(ctx) })
	s.judge(rule.ReserveAccepts, func(ctx context.Context, c *check) { c.everyOptionAccepts(ctx) })
	for _, r := range []rule.Rule{rule.ReserveJSON, rule.ReserveCode, rule.ReserveExpiresAt} {
		s.judge(r, func(ctx context.Context, c *check) {
			c.held(ctx)
			c.clean()
		})
	}
	s.judge(rule.ReserveExpiresLater, func(ctx context.Context, c *check) {
		lives := c.holdLife(ctx)
		if lives <= 0 {
			c.fail("want a time in the future, got one %s ago", (-lives).Round(time.Second))
		}
		s.expireEarly(ctx, c.held(ctx))
	})
	s.judge(rule.ReserveExpiresWindow, func(ctx context.Context, c *check) {
		lives := c.holdLife(ctx)
		if s.holdless {
			c.notApplicable("the partner keeps no holds: expiresAt lies %s ahead", lives.Round(time.Minute))
		}
		// The clocks of two machines differ a little.
		const tolerance = time.Minute
		if lives < partnerapi.HoldAtLeast-tolerance || lives > partnerapi.HoldAtMost+tolerance {
			c.fail("want 15 to 30 minutes ahead, got %s", lives.Round(time.Second))
		}
	})
	s.judge(rule.ReserveCodeUnique, func(ctx context.Context, c *check) {
		s.playAll(ctx)
		c.distinct("reservationConfirmationCode", func(e ledger.Entry) string { return e.Code })
	})
	s.judge(rule.ReserveMinimal, func(ctx context.Context, c *check) {
		c.held(ctx)
		story := s.holding(ctx, 0)
		c.reached(story.hold != nil, story.stopped)
	})
	s.describeReserveSeats()
	s.describeReserveRefusals()
	s.describeReserveKeys()
}

func (s *session) describeReserveSeats() {
	s.judge(rule.ReserveVacanciesOne, func(ctx context.Context, c *check) {
		c.held(ctx)
		c.holdsCount(ctx)
		counted, o := c.seatsCounted(ctx, func(attempt int) change {
			b := s.booking(ctx, attempt)
			return change{before: b.before, after: b.scene.held, by: -1, stopped: b.stopped, between: b.reserveCall()}
		})
		c.visitsCount(ctx, counted, o, func(v *visit) change {
			return change{before: v.before, after: v.scene.held, by: -1, stopped: v.stopped, between: v.reserveCall()}
		})
	})
	s.judge(rule.ReserveVacanciesMany, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.several(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			h := s.holding(ctx, attempt)
			return change{before: h.before, after: h.scene.held, by: -h.guests, stopped: h.stopped, between: h.reserveCall()}
		})
	})
	s.judge(rule.ReserveVacanciesMixed, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		if p := s.party(ctx, 0); p.hold == nil && p.stopped != nil {
			if p.stopped.refused {
				c.notApplicable("the partner refuses such a party: %s", p.stopped.Message)
			}
			if p.stopped.Rule == nil && !p.stopped.bounded {
				c.notApplicable("no option has two guest types that take seats, and seats for both")
			}
		}
		c.seatsMove(ctx, func(attempt int) change {
			p := s.party(ctx, attempt)
			return change{before: p.before, after: p.scene.held, by: -2, stopped: p.stopped, between: p.reserveCall()}
		})
	})
}

func (s *session) describeReserveRefusals() {
	s.judge(rule.ReserveSoldOut, func(ctx context.Context, c *check) {
		tried := false
		for _, status := range []partnerapi.SlotStatus{partnerapi.StatusSoldOut, partnerapi.StatusClosed} {
			if t := s.shut(ctx, status, 0); t.fresh != nil {
				o := c.weigh(ctx, 1, func(attempt int) try { return s.shut(ctx, status, attempt).refusal() })
				tried = tried || o == nil
			}
		}
		if s.sellOut(ctx, 0).full == nil || s.holdless {
			if tried {
				return
			}
			if s.holdless {
				c.notApplicable("the partner keeps no holds, and shows no slot as sold out")
			}
		}
		if full := s.sellOut(ctx, 0).full; full != nil && full.Counted && full.Left > 0 {
			c.blockedIfBroken(rule.ReserveVacanciesOne, rule.ReserveVacanciesMany)
		}
		c.past(c.weigh(ctx, 1, func(attempt int) try { return s.sellOut(ctx, attempt).lastRefusal() }))
	})
	s.judge(rule.ReserveTooMany, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.past(c.weigh(ctx, 1, func(attempt int) try {
			t := s.sellOut(ctx, attempt)
			return reserveTry(t.before, t.tooMany, t.afterTooMany, t.stopped, http.StatusBadRequest)
		}))
	})
	s.judge(rule.ReserveRefusalMessage, func(ctx context.Context, c *check) {
		t := s.sellOut(ctx, 0)
		judged := 0
		for _, answer := range []*probe.Answer{t.tooMany, t.over, s.shut(ctx, partnerapi.StatusSoldOut, 0).answer, s.shut(ctx, partnerapi.StatusClosed, 0).answer} {
			if answer != nil && turnedDown(answer) {
				judged++
				c.expect(answer).To(fit(schemas.Refusal))
			}
		}
		c.reached(judged > 0, missing("no reserve was refused with 400"))
	})
	s.judge(rule.ReserveRefusalNoEffect, func(ctx context.Context, c *check) {
		c.holdsCount(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			t := s.sellOut(ctx, attempt)
			return change{before: t.before, after: t.afterTooMany, stopped: t.stopped, between: sent(t.tooMany)}
		})
	})
}

// refusal is what the reserve of a slot that cannot be booked says of its rule.
func (t *shutStory) refusal() try {
	return reserveTry(t.fresh, t.answer, t.after, t.stopped, http.StatusBadRequest)
}

// lastRefusal is what the reserve in the full slot says of its rule.
func (t *sellOutStory) lastRefusal() try {
	if t.full != nil && t.full.Counted && t.full.Left > 0 {
		return unplayed(notHere("the slot was not full any more: other customers moved its seats"))
	}
	return reserveTry(t.full, t.over, t.afterOver, t.stopped, http.StatusBadRequest)
}

// reserveTry is what a reserve between two readings says of its rule, which wants
// one of these answers. That another customer took or gave back the seat that it
// was about can explain a hold or a refusal, and no other answer. After is nil
// where the answer was as it should be.
func reserveTry(before *reading, answer *probe.Answer, after *reading, stopped *obstacle, wanted ...int) try {
	if answer == nil {
		return unplayed(stopped)
	}
	t := try{shown: []*probe.Exchange{before.exchange, answer.Exchange}}
	if answer.OK(wanted...) {
		return t
	}
	t.flaw = "want " + anyStatus(wanted) + ", got " + got(answer)
	t.sure = after == nil || !answer.OK(http.StatusOK, http.StatusCreated, http.StatusBadRequest)
	if after != nil {
		t.at, t.took = after, middle(answer.Exchange).Sub(middle(before.exchange))
	}
	return t
}

func (s *session) describeReserveKeys() {
	s.judge(rule.ReserveWrongKey, func(ctx context.Context, c *check) {
		k := s.keys(ctx, 0)
		c.reached(k.reserveWrong != nil, k.stopped)
		c.expect(k.reserveWrong).To(haveStatus(http.StatusUnauthorized))
	})
	s.judge(rule.ReserveMissingKey, func(ctx context.Context, c *check) {
		k := s.keys(ctx, 0)
		c.reached(k.reserveNone != nil, k.stopped)
		c.expect(k.reserveNone).To(haveStatus(http.StatusUnauthorized))
	})
	s.judge(rule.ReserveAuthEffect, func(ctx context.Context, c *check) {
		c.seatsMove(ctx, func(attempt int) change {
			k := s.keys(ctx, attempt)
			return change{before: k.scene.held, after: k.afterReserve, stopped: k.stopped, between: sent(k.reserveWrong, k.reserveNone)}
		})
	})
}

// held ends the judging where no hold could be made.
func (c *check) held(ctx context.Context) *hold {
	b := c.booking(ctx, 0)
	c.reached(b.hold != nil, b.stopped)
	return b.hold
}

// reached ends the judging where a story was stopped before the fact in question.
func (c *check) reached(fact bool, stopped *obstacle) {
	if fact {
		return
	}
	if stopped == nil {
		stopped = missing("the story of this rule was not played to its end")
	}
	c.past(stopped)
}

// holdsCount ends the judging where holds take no seats.
func (c *check) holdsCount(ctx context.Context) {
	c.held(ctx)
	if c.holdless {
		c.notApplicable("the partner keeps no holds: expiresAt lies more than %s ahead", partnerapi.HoldlessAfter)
	}
}

// several ends the judging where no slot has seats for a party.
func (c *check) several(ctx context.Context) {
	if h := c.holding(ctx, 0); h.hold != nil && h.guests < severalGuests {
		c.inconclusive("no slot has %s left", seatsWord(severalGuests))
	}
}

// holdLife is how long the first hold lives from its answer on.
func (c *check) holdLife(ctx context.Context) time.Duration {
	h := c.held(ctx)
	c.show(h.answer.Exchange)
	if h.expires.IsZero() {
		c.blocked(rule.ReserveExpiresAt.ID)
	}
	return h.life
}

// everyOptionAccepts fails where an option refuses to be reserved though its
// slots are shown as bookable.
func (c *check) everyOptionAccepts(ctx context.Context) {
	c.held(ctx)
	c.eachVisit(ctx, func(key string) {
		v := c.visit(ctx, key, 0)
		if v.stopped != nil && v.stopped.refused {
			c.show(v.before.exchange)
			c.show(v.stopped.Exchanges...)
			c.fail("product %q, option %q: want a hold, %s", v.offer.Product.ID, v.offer.Option.ID, v.stopped.Message)
		}
		if v.hold == nil && v.stopped != nil && v.stopped.Rule != nil {
			c.past(v.stopped)
		}
	})
}

// eachVisit calls judge for the options to be visited, while there is time.
func (c *check) eachVisit(ctx context.Context, judge func(optionKey string)) {
	for _, key := range c.visited(ctx) {
		if _, known := c.played["visit "+key+"/0"]; !known && c.lateForMore() {
			return
		}
		judge(key)
	}
}

// visitsCount judges an expectation about the seats of every option that is
// visited. The rule is not applicable where neither they nor, as counted says,
// another story has any to count; it is left open where one of these leaves it open.
func (c *check) visitsCount(ctx context.Context, counted bool, open *obstacle, measure func(*visit) change) {
	if open != nil && open.Rule != nil {
		c.past(open)
	}
	c.eachVisit(ctx, func(key string) {
		if o := c.visit(ctx, key, 0).stopped; o != nil && o.Rule == nil {
			return // nothing to be seen here; the others are
		}
		seen, o := c.seatsCounted(ctx, func(attempt int) change { return measure(c.visit(ctx, key, attempt)) })
		counted = counted || seen
		if o != nil && o.Rule != nil {
			c.past(o)
		}
		open = cmp.Or(open, o)
	})
	c.past(open)
	if !counted {
		c.notApplicable("no slot tells its vacancies")
	}
}

// distinct fails where two entries of the ledger share an id.
func (c *check) distinct(field string, id func(ledger.Entry) string) {
	first := map[string]bool{}
	for _, entry := range c.ledger.Entries() {
		value := id(entry)
		if value != "" && first[value] {
			for _, exchange := range c.client.Exchanges() {
				if exchange.Response != nil && exchange.Response.Body.Mentions(value) {
					c.show(exchange)
				}
			}
			c.fail("want a %s of its own for each, got %q twice", field, value)
		}
		first[value] = true
	}
	if len(first) < 2 {
		c.inconclusive("fewer than two could be made")
	}
}

// reserveCall is the exchange of the scene's reserve.
func (s scene) reserveCall() []*probe.Exchange {
	if s.hold == nil {
		return nil
	}
	return []*probe.Exchange{s.hold.answer.Exchange}
}

// sent returns the exchanges of the answers that came.
func sent(answers ...*probe.Answer) []*probe.Exchange {
	var exchanges []*probe.Exchange
	for _, answer := range answers {
		if answer != nil {
			exchanges = append(exchanges, answer.Exchange)
		}
	}
	return exchanges
}

// playAll plays every story, for rules that are judged over all of them.
func (s *session) playAll(ctx context.Context) {
	if s.surveyed(ctx).stopped != nil {
		return
	}
	s.booking(ctx, 0)
	s.holding(ctx, 0)
	s.party(ctx, 0)
	s.keys(ctx, 0)
	s.second(ctx, 0)
	s.sellOut(ctx, 0)
	for _, status := range []partnerapi.SlotStatus{partnerapi.StatusSoldOut, partnerapi.StatusClosed} {
		s.shut(ctx, status, 0)
	}
}

// describeContentType judges the content type of every JSON answer of an
// endpoint, once all calls are made.
func (s *session) describeContentType(r rule.Rule) {
	s.judge(r, func(_ context.Context, c *check) {
		if r.Endpoint == partnerapi.Cancel {
			c.ifCancellable()
		}
		judged := 0
		for _, exchange := range s.client.Exchanges() {
			if exchange.Endpoint != r.Endpoint || exchange.Failure != nil || exchange.Response.Status/100 != 2 || exchange.Response.Body.Size == 0 {
				continue
			}
			judged++
			if declared := exchange.Response.Header.Get("Content-Type"); !isJSONType(declared) {
				c.show(exchange)
				c.problems = append(c.problems, fmt.Sprintf("want Content-Type: application/json, got %q", declared))
			}
		}
		if len(c.problems) > 0 {
			c.problems = c.problems[:1]
			c.fail("%s", c.problems[0])
		}
		c.reached(judged > 0, missing("no answer of this endpoint had a body"))
	})
}
