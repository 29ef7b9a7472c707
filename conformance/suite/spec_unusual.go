package suite

import (
	"context"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// The bookings that are unusual, and lawful.
var (
	foreignGuest = unusual{
		name: "for a guest whose name is of many alphabets", dress: foreign,
		reserve: rule.ReserveAnyAlphabet, confirm: rule.ConfirmAnyAlphabet,
	}
	unnamedFields = unusual{
		name: "with fields that the contract does not name", dress: withUnnamed,
		reserve: rule.ReserveUnknownFields, confirm: rule.ConfirmUnknownFields, cancel: &rule.CancelUnknownFields,
	}
)

// describeUnusual judges calls that are lawful, and not what is tried first.
func (s *session) describeUnusual() {
	s.judge(rule.AvailabilityUnknownFields, func(ctx context.Context, c *check) {
		offer := c.countedOffer(ctx)
		question := questionAbout(offer)
		call := availabilityCall("slots of a day, with fields that the contract does not name", question.product, question.option, question.window, probe.GoodKey)
		call.Body = withUnnamed(call.Body)
		question.answer, question.stopped = s.call(ctx, rule.AvailabilityLimit, call, true)
		_, o := s.readSlots(ctx, question)
		c.past(o.as(rule.AvailabilityUnknownFields))
	})
	for _, u := range []unusual{foreignGuest, unnamedFields} {
		s.judge(u.reserve, func(ctx context.Context, c *check) {
			c.held(ctx)
			b := s.unusualBooking(ctx, u)
			c.reached(b.hold != nil, b.stopped)
		})
		s.judge(u.confirm, func(ctx context.Context, c *check) {
			c.cancelled(ctx)
			b := s.unusualBooking(ctx, u)
			c.reached(b.confirmed, b.stopped)
		})
	}
	s.judge(rule.ReleaseUnknownFields, func(ctx context.Context, c *check) {
		c.held(ctx)
		r := s.openRelease(ctx)
		c.reached(r.release != nil, r.stopped)
		c.expect(r.release).To(haveStatus(http.StatusOK))
		c.expect(r.release).To(succeed())
	})
	s.judge(rule.CancelUnknownFields, func(ctx context.Context, c *check) {
		c.cancelled(ctx)
		b := s.unusualBooking(ctx, unnamedFields)
		c.reached(b.cancel != nil, b.stopped)
		c.expect(b.cancel).To(haveStatus(http.StatusOK))
		c.expect(b.cancel).To(succeed())
	})
}

// availabilityRequest is the question about an offer's day.
func availabilityRequest(offer discover.Offer) partnerapi.AvailabilityRequest {
	day := questionAbout(offer).window
	return partnerapi.AvailabilityRequest{
		ProductID: offer.Product.ID, OptionID: offer.Option.ID, LocalDateStart: day.From, LocalDateEnd: day.To, Units: guests(offer.Option, 1),
	}
}
