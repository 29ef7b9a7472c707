package suite

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/conformance/discover"
	"partnerkit.dev/conformance/probe"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// describeBadInput judges what comes of calls that the marketplace never sends.
func (s *session) describeBadInput() {
	s.judge(rule.AvailabilityBadInput, func(ctx context.Context, c *check) {
		offer := c.someOffer(ctx)
		call := questionAbout(offer)
		valid := partnerapi.AvailabilityRequest{
			ProductID: offer.Product.ID, OptionID: offer.Option.ID, LocalDateStart: call.window.From, LocalDateEnd: call.window.To,
			Units: guests(offer.Option, 1),
		}
		c.bearsAll(nonsenseOf(valid, "productId"), func(n nonsense) (*probe.Answer, *obstacle) {
			return s.call(ctx, rule.AvailabilityLimit, probe.Call{
				Endpoint: partnerapi.Availability, Purpose: n.what, Method: http.MethodPost, Path: partnerapi.AvailabilityPath, Body: n.body, Key: probe.GoodKey,
			}, true)
		})
	})
	s.judge(rule.ReserveBadInput, func(ctx context.Context, c *check) {
		offer := c.someOffer(ctx)
		c.bearsAll(nonsenseOf(reserveRequest(offer), "availabilityId"), func(n nonsense) (*probe.Answer, *obstacle) {
			answer, _, o := s.sendNonsense(ctx, n.what, offer, n.body)
			return answer, o
		})
	})
	s.judge(rule.ReserveNobody, func(ctx context.Context, c *check) {
		offer, parties := c.someOffer(ctx), []nonsense(nil)
		whole := encode(reserveRequest(offer))
		strange := strangeParties(offer.Option)
		for _, what := range slices.Sorted(maps.Keys(strange)) {
			parties = append(parties, nonsense{what, edited(whole, func(body map[string]any) { body["units"] = strange[what] })})
		}
		c.holdsNobody(ctx, offer, parties)
	})
	s.judge(rule.ConfirmBadInput, func(ctx context.Context, c *check) {
		valid := partnerapi.ConfirmRequest{ReservationConfirmationCode: s.unknownCode(), Contact: &contact}
		c.bearsAll(nonsenseOf(valid, "reservationConfirmationCode"), func(n nonsense) (*probe.Answer, *obstacle) {
			return s.call(ctx, rule.ConfirmLimit, probe.Call{
				Endpoint: partnerapi.Confirm, Purpose: n.what, Method: http.MethodPost, Path: partnerapi.ConfirmPath, Body: n.body, Key: probe.GoodKey,
			}, true)
		})
	})
	s.judge(rule.ReleaseBadInput, func(ctx context.Context, c *check) {
		c.bearsAll(strangeSegments(), func(n nonsense) (*probe.Answer, *obstacle) {
			call := releaseCall(n.what, s.unknownCode()+n.what, false, probe.GoodKey)
			call.Body = n.body
			return s.call(ctx, rule.ReleaseLimit, call, true)
		})
	})
	s.judge(rule.CancelBadInput, func(ctx context.Context, c *check) {
		c.cancellable(ctx)
		c.bearsAll(strangeSegments(), func(n nonsense) (*probe.Answer, *obstacle) {
			call := cancelCall(n.what, s.unknownCode()+n.what, false, probe.GoodKey)
			call.Body = n.body
			return s.call(ctx, rule.CancelLimit, call, true)
		})
	})
}

func reserveRequest(offer discover.Offer) partnerapi.ReserveRequest {
	return partnerapi.ReserveRequest{
		ProductID: offer.Product.ID, OptionID: offer.Option.ID, AvailabilityID: offer.Slot.ID, Units: guests(offer.Option, 1),
	}
}

// strangeSegments are bodies for codes and ids that no partner can know; what a
// body is is part of the code.
func strangeSegments() []nonsense {
	return []nonsense{
		{"half a body", []byte(`{"reason":`)},
		{"a list in place of a body", []byte("[1,2,3]")},
		{"Größe 東京 '; -- %2F ../", []byte("{}")},
		{strings.Repeat("x", 1_000), nil},
	}
}

// someOffer is a slot to call about, preferably one whose seats are counted.
func (c *check) someOffer(ctx context.Context) discover.Offer {
	survey := c.surveyed(ctx)
	c.past(survey.stopped)
	offers := discover.Pick(survey.offers, discover.Want{Now: c.now(), Seats: 1, Counted: true})
	if len(offers) == 0 {
		c.past(c.nothingToBook(discover.Want{Seats: 1}))
	}
	return offers[0]
}

// bearsAll judges that every piece of nonsense is refused or ignored: no answer is
// a 5xx, and none is missing.
func (c *check) bearsAll(all []nonsense, send func(nonsense) (*probe.Answer, *obstacle)) {
	for _, n := range all {
		answer, o := send(n)
		c.past(o)
		if answer != nil && (answer.Failure != nil || answer.Response.Status >= http.StatusInternalServerError) {
			c.wrong(answer, "%s: want a 4xx, or nothing done, got %s", n.what, got(answer))
		}
	}
	c.failIfWrong()
}

// holdsNobody judges that no hold comes of strange parties, and no seat moves.
func (c *check) holdsNobody(ctx context.Context, offer discover.Offer, parties []nonsense) {
	before, o := c.seats(ctx, offer, "before strange parties")
	c.past(o)
	for _, n := range parties {
		answer, held, o := c.sendNonsense(ctx, "reserve for "+n.what, offer, n.body)
		c.past(o)
		if held {
			c.wrong(answer, "%s: want it refused, got a hold", n.what)
		}
	}
	after, o := c.seats(ctx, offer, "after strange parties")
	c.past(o)
	if len(c.problems) > 0 && before.Counted && after.Counted && before.Left != after.Left {
		c.problems = append(c.problems, fmt.Sprintf("and the slot has %s left, where there were %d", seatsWord(after.Left), before.Left))
		c.show(before.exchange, after.exchange)
	}
	c.failIfWrong()
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
