package suite

import (
	"context"
	"crypto/rand"
	"net/http"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

func (s *session) describeConfirm() {
	for _, r := range []rule.Rule{rule.ConfirmStatus, rule.ConfirmJSON, rule.ConfirmBookingID, rule.ConfirmStatusField, rule.ConfirmOptional} {
		s.judge(r, func(ctx context.Context, c *check) {
			c.booked(ctx)
			c.clean()
		})
	}
	s.describeTickets()
	s.judge(rule.ConfirmFields, func(ctx context.Context, c *check) {
		c.booked(ctx)
		c.clean()
	})
	s.judge(rule.ConfirmConfirmed, func(ctx context.Context, c *check) {
		b := c.booked(ctx)
		if status := readObject(b.confirm.Raw).text("status"); status != partnerapi.StatusConfirmed {
			c.show(b.confirm.Exchange)
			c.fail("want status %q, got %q", partnerapi.StatusConfirmed, status)
		}
	})
	s.judge(rule.ConfirmEcho, func(ctx context.Context, c *check) {
		b := c.booked(ctx)
		answer := readObject(b.confirm.Raw)
		for name, want := range map[string]string{
			"productId": b.offer.Product.ID, "optionId": b.offer.Option.ID, "availabilityId": b.offer.Slot.ID,
		} {
			if got := answer.text(name); got != "" && got != want {
				c.show(b.hold.answer.Exchange, b.confirm.Exchange)
				c.fail("%s: want that of the hold, %q, got %q", name, want, got)
			}
		}
	})
	s.judge(rule.ConfirmIDUnique, func(ctx context.Context, c *check) {
		s.playAll(ctx)
		c.distinct("externalBookingId", func(e ledger.Entry) string { return e.BookingID })
	})
	s.judge(rule.ConfirmMinimal, func(ctx context.Context, c *check) {
		c.booked(ctx)
		b := s.second(ctx, 0)
		c.reached(b.bookingID != "", b.stopped)
	})
	s.judge(rule.ConfirmVacancies, func(ctx context.Context, c *check) {
		c.seatsMove(ctx, func(attempt int) change {
			b := s.booking(ctx, attempt)
			return confirmedChange(b.scene, b.confirm, b.confirmed)
		})
		if b := s.second(ctx, 0); b.confirmed != nil {
			_, o := c.seatsCounted(ctx, func(attempt int) change {
				b := s.second(ctx, attempt)
				return confirmedChange(b.scene, b.confirm, b.confirmed)
			})
			c.past(o)
		}
	})
	s.describeConfirmAgain()
	s.describeConfirmRefusals()
	s.describeConfirmKeys()
}

func (s *session) describeTickets() {
	s.judge(rule.ConfirmTickets, func(ctx context.Context, c *check) {
		c.booked(ctx)
		c.clean()
		if !s.config.HandlesTicketDelivery {
			c.notApplicable("the partner is not registered as delivering its own tickets (--handles-ticket-delivery)")
		}
	})
	for _, r := range []rule.Rule{rule.TicketRedemption, rule.TicketOptions, rule.TicketFormat, rule.TicketMethod, rule.TicketValue} {
		s.judge(r, func(ctx context.Context, c *check) {
			b := c.booked(ctx)
			c.clean()
			if tickets, _ := readObject(b.confirm.Raw)["tickets"].([]any); len(tickets) == 0 {
				c.blockedIfBroken(rule.ConfirmTickets)
				c.notApplicable("the booking has no tickets")
			}
		})
	}
}

func (s *session) describeConfirmAgain() {
	s.judge(rule.ConfirmRepeatBooking, func(ctx context.Context, c *check) {
		b := s.booking(ctx, 0)
		c.reached(b.repeat != nil, b.stopped)
		id := readObject(b.repeat.Raw).text("externalBookingId")
		if b.repeat.Failure == nil && b.repeat.Response.Status/100 == 2 && id != b.bookingID {
			c.show(b.confirm.Exchange, b.repeat.Exchange)
			c.fail("want the same booking, %q, or a refusal, got booking %q", b.bookingID, id)
		}
	})
	s.judge(rule.ConfirmRepeatVacancies, func(ctx context.Context, c *check) {
		c.seatsMove(ctx, func(attempt int) change {
			b := s.booking(ctx, attempt)
			return change{before: b.before, via: []*reading{b.scene.held, b.confirmed}, after: b.repeated, by: -1,
				stopped: b.stopped, between: append(b.reserveCall(), sent(b.confirm, b.repeat)...)}
		})
	})
	s.judge(rule.ConfirmRepeatStatus, func(ctx context.Context, c *check) {
		b := s.booking(ctx, 0)
		c.reached(b.repeat != nil, b.stopped)
		if b.repeat.Failure != nil || b.repeat.Response.Status != http.StatusOK && b.repeat.Response.Status/100 != 4 {
			c.show(b.confirm.Exchange, b.repeat.Exchange)
			c.fail("want 200 or 4xx, got %s", got(b.repeat))
		}
	})
}

func (s *session) describeConfirmRefusals() {
	refusal := haveStatus(http.StatusBadRequest)
	s.judge(rule.ConfirmUnknown, func(ctx context.Context, c *check) {
		c.expect(c.confirmUnknown(ctx)).To(refusal)
	})
	s.judge(rule.ConfirmReleased, func(ctx context.Context, c *check) {
		h := s.holding(ctx, 0)
		c.reached(h.confirmReleased != nil, h.stopped)
		c.show(h.release.Exchange)
		c.expect(h.confirmReleased).To(refusal)
	})
	s.judge(rule.ConfirmReleasedNoEffect, func(ctx context.Context, c *check) {
		c.seatsMove(ctx, func(attempt int) change {
			h := s.holding(ctx, attempt)
			return change{before: h.releasedAgain, after: h.afterConfirm, stopped: h.stopped, between: sent(h.confirmReleased)}
		})
	})
	s.judge(rule.ConfirmCancelled, func(ctx context.Context, c *check) {
		b := s.booking(ctx, 0)
		c.cancellable(ctx)
		c.reached(b.confirmCancelled != nil, b.stopped)
		c.show(b.cancel.Exchange)
		c.expect(b.confirmCancelled).To(refusal)
	})
	s.judge(rule.ConfirmCancelledNoEffect, func(ctx context.Context, c *check) {
		c.cancellable(ctx)
		c.seatsMove(ctx, func(attempt int) change {
			b := s.booking(ctx, attempt)
			return change{before: b.cancelledAgain, after: b.afterConfirmCancelled, stopped: b.stopped, between: sent(b.confirmCancelled)}
		})
	})
}

func (s *session) describeConfirmKeys() {
	s.judge(rule.ConfirmWrongKey, func(ctx context.Context, c *check) {
		k := s.keys(ctx, 0)
		c.reached(k.confirmWrong != nil, k.stopped)
		c.expect(k.confirmWrong).To(haveStatus(http.StatusUnauthorized))
	})
	s.judge(rule.ConfirmMissingKey, func(ctx context.Context, c *check) {
		k := s.keys(ctx, 0)
		c.reached(k.confirmNone != nil, k.stopped)
		c.expect(k.confirmNone).To(haveStatus(http.StatusUnauthorized))
	})
	s.judge(rule.ConfirmAuthEffect, func(ctx context.Context, c *check) {
		c.seatsMove(ctx, func(attempt int) change {
			k := s.keys(ctx, attempt)
			m := change{before: k.afterReserve, via: []*reading{k.afterRelease}, after: k.released, by: 1, stopped: k.stopped, between: sent(k.confirmWrong, k.confirmNone)}
			if s.holdless {
				m.by = 0 // the hold took no seat that could be back
			}
			return m
		})
	})
}

// confirmedChange is what a hold for one guest and its confirm come to.
func confirmedChange(s scene, confirm *probe.Answer, confirmed *reading) change {
	return change{before: s.before, via: []*reading{s.held}, after: confirmed, by: -1, stopped: s.stopped, between: append(s.reserveCall(), sent(confirm)...)}
}

// booked ends the judging where no booking could be made.
func (c *check) booked(ctx context.Context) *bookingStory {
	b := c.booking(ctx, 0)
	c.reached(b.bookingID != "", b.stopped)
	return b
}

// unknownCode returns a code that no partner can know.
func (s *session) unknownCode() string { return "unknown-" + s.nonce + "-" + rand.Text() }

// confirmUnknown confirms a code that no partner can know.
func (c *check) confirmUnknown(ctx context.Context) *probe.Answer {
	return c.once("confirm unknown", func() (*probe.Answer, *obstacle) {
		return c.sendConfirm(ctx, "confirm an unknown code", &hold{entry: c.phantom(), code: c.unknownCode()}, true, probe.GoodKey)
	})
}

// phantom is the entry of a hold that does not exist: should the partner book
// it all the same, the booking is cancelled like any other.
func (s *session) phantom() *ledger.Entry {
	return s.ledger.Add(ledger.SlotOf(s.anyOffer()), nil)
}
