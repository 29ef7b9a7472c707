package suite

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// describeBadInput judges what comes of calls that the marketplace never sends.
func (s *session) describeBadInput() {
	s.judge(rule.ProductsBadInput, func(ctx context.Context, c *check) {
		c.catalog(ctx)
		queries, pulls := strangeQueries(), []nonsense(nil)
		for _, what := range slices.Sorted(maps.Keys(queries)) {
			pulls = append(pulls, nonsense{what: what})
		}
		c.bears(c.sendAll(ctx, rule.ProductsLimit, pulls, func(n nonsense) probe.Call {
			call := n.call(partnerapi.Products, http.MethodGet, partnerapi.ProductsPath)
			call.Query = queries[n.what]
			return call
		}))
	})
	s.judge(rule.AvailabilityBadInput, func(ctx context.Context, c *check) {
		offer := c.countedOffer(ctx)
		valid := availabilityRequest(offer)
		all := append(nonsenseOf(valid, "productId"), windowNonsense(valid, offer.Option.Lead())...)
		c.bears(c.sendAll(ctx, rule.AvailabilityLimit, all, func(n nonsense) probe.Call {
			return n.call(partnerapi.Availability, http.MethodPost, partnerapi.AvailabilityPath)
		}))
	})
	s.describeBadReserves()
	s.judge(rule.ConfirmBadInput, func(ctx context.Context, c *check) {
		valid := partnerapi.ConfirmRequest{ReservationConfirmationCode: s.unknownCode(), Contact: &contact}
		all := append(nonsenseOf(valid, "reservationConfirmationCode"), contactNonsense(valid)...)
		c.bears(c.sendAll(ctx, rule.ConfirmLimit, all, func(n nonsense) probe.Call {
			return n.call(partnerapi.Confirm, http.MethodPost, partnerapi.ConfirmPath)
		}))
	})
	s.judge(rule.ReleaseBadInput, func(ctx context.Context, c *check) {
		c.bears(c.sendAll(ctx, rule.ReleaseLimit, strangeSegments("reservationConfirmationCode"), func(n nonsense) probe.Call {
			return n.call(partnerapi.Release, http.MethodDelete, partnerapi.ReleasePath(s.unknownCode()+n.what))
		}))
	})
	s.judge(rule.CancelBadInput, func(ctx context.Context, c *check) {
		c.cancellable(ctx)
		c.bears(c.sendAll(ctx, rule.CancelLimit, strangeSegments("externalBookingId"), func(n nonsense) probe.Call {
			return n.call(partnerapi.Cancel, http.MethodPost, partnerapi.CancelPath(s.unknownCode()+n.what))
		}))
	})
}

// describeBadReserves judges what comes of reserves that make no sense.
func (s *session) describeBadReserves() {
	s.judge(rule.ReserveBadInput, func(ctx context.Context, c *check) {
		b := s.badReserves(ctx, 0)
		c.bears(append(slices.Clone(b.bodies), b.parties...))
		c.reached(b.parties != nil, b.stopped)
	})
	s.judge(rule.ReserveNobody, func(ctx context.Context, c *check) {
		b := s.badReserves(ctx, 0)
		for _, t := range b.parties {
			if t.held {
				c.wrong(t.answer, "%s: want it refused, got a hold", t.what)
			}
		}
		if t := c.tried(change{before: b.before, after: b.after}); len(c.problems) > 0 && t.flaw != "" {
			c.problems = append(c.problems, t.flaw)
			c.show(t.shown...)
		}
		c.failIfWrong()
		c.reached(b.parties != nil, b.stopped)
	})
	s.judge(rule.ReserveBadInputEffect, func(ctx context.Context, c *check) {
		if known := s.verdicts.get(rule.ReserveNobody.ID); known != nil && known.Outcome == broken(rule.ReserveNobody) {
			c.blocked(rule.ReserveNobody.ID)
		}
		c.seatsMove(ctx, func(attempt int) change {
			b := s.badReserves(ctx, attempt)
			return change{before: b.before, after: b.after, stopped: b.stopped, between: sentAll(append(slices.Clone(b.parties), b.bodies...))}
		})
	})
}

// countedOffer is a slot to call about, preferably one whose seats are counted.
func (c *check) countedOffer(ctx context.Context) discover.Offer {
	offer, o := c.someOffer(ctx, discover.Want{Seats: 1, Counted: true})
	c.past(o)
	return offer
}

// sendAll sends nonsense to an endpoint.
func (c *check) sendAll(ctx context.Context, limit rule.Rule, all []nonsense, call func(nonsense) probe.Call) []odd {
	sent, o := c.tryAll(all, func(n nonsense) (odd, *obstacle) {
		answer, o := c.sendOdd(ctx, limit, call(n))
		return odd{nonsense: n, answer: answer}, o
	})
	c.past(o)
	return sent
}

// bears judges that every piece of nonsense was refused or ignored: no answer is a
// 5xx, and none is missing. One that is larger than what is read is an answer.
func (c *check) bears(all []odd) {
	for _, t := range all {
		failed := t.answer.Failure != nil && t.answer.Failure.Kind != probe.TooLarge
		if failed || t.answer.Response.Status >= http.StatusInternalServerError {
			c.wrong(t.answer, "%s: want a 4xx, or nothing done, got %s", t.what, got(t.answer))
		}
	}
	c.failIfWrong()
}

// sentAll are the exchanges of nonsense that was sent.
func sentAll(all []odd) []*probe.Exchange {
	exchanges := make([]*probe.Exchange, len(all))
	for i, t := range all {
		exchanges[i] = t.answer.Exchange
	}
	return exchanges
}

// wrong notes a problem, with the exchange that shows it.
func (c *check) wrong(answer *probe.Answer, format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
	c.show(answer.Exchange)
}

// failIfWrong ends the judging where problems were noted.
func (c *check) failIfWrong() {
	if len(c.problems) > 0 {
		c.fail("%s", c.problems[0])
	}
}
