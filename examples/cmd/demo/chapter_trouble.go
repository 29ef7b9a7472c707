package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"partnerkit.dev/marketplace/client"
	mock "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// Faults of a scenario.
const (
	outage     = "{name: outage, match: {}, status: 503}"
	lostAnswer = "{name: lost-answer, match: {endpoint: confirm}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}"
	oneRefusal = "{name: one-refusal, match: {endpoint: confirm}, times: 1, status: 500, body: {message: the booking system is down for a moment}}"
)

// answerIsLost shows a confirm that the partner processes but whose answer is lost.
func answerIsLost(ctx context.Context, s *stage) error {
	held, err := s.bookAndPay(ctx, lostAnswer, "Gus Haddad", "demo-payment-3")
	if err != nil {
		return err
	}
	return s.comes(ctx, func(ctx context.Context) ([]string, error) {
		b, err := s.market.shop.Booking(ctx, held.ID)
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf("%s: asked again, and booked once, as %s", b.Status, b.ExternalBookingID)}, want("the booking", client.Confirmed, b.Status)
	})
}

// bookAndPay makes a paid booking while the partner has a fault.
func (s *stage) bookAndPay(ctx context.Context, fault, customer, payment string) (held client.Booking, err error) {
	if _, err = s.partner.shown.Faults.Arm(ctx, fault); err != nil {
		return held, err
	}
	if held, err = s.market.book(ctx, s.market.offer.slots[1], customer); err != nil {
		return held, err
	}
	_, err = s.market.shop.Pay(ctx, held.ID, payment)
	return held, err
}

// operatorSettles shows a paid booking that the partner refuses until it is asked again.
func operatorSettles(ctx context.Context, s *stage) error {
	held, err := s.bookAndPay(ctx, oneRefusal, "Hana Berg", "demo-payment-4")
	if err != nil {
		return err
	}
	needed, err := s.market.operator.Bookings(client.BookingQuery{Attention: true}).Page(ctx, 1, 20)
	if err != nil {
		return err
	}
	if err := want("bookings that need an operator", 1, len(needed.Entries)); err != nil {
		return err
	}
	found := needed.Entries[0]
	settled, err := s.market.operator.Confirm(ctx, found.ID)
	if err != nil {
		return err
	}
	if err := s.testify(ctx); err != nil {
		return err
	}
	if err := errors.Join(want("the booking that needs an operator", held.ID, found.ID), want("the booking", client.Paid, found.Status)); err != nil {
		return err
	}
	return s.holds(ctx, want("the booking", client.Confirmed, settled.Status),
		fmt.Sprintf("found: %s, %s: %q", found.Status, found.Attention.Reason, found.Attention.Message),
		fmt.Sprintf("%s after the operator has had it confirmed again", settled.Status))
}

// testify reports to the partner's judge that an operator repeated the last refused confirm. The
// marketplace must not repeat it by itself.
func (s *stage) testify(ctx context.Context) error {
	answered, err := s.partner.silent.Journal.Exchanges(ctx, mock.Filter{Endpoint: partnerapi.Confirm, Status: http.StatusInternalServerError})
	if err != nil {
		return err
	}
	if err := want("confirms that the partner has refused", 1, len(answered)); err != nil {
		return err
	}
	var asked partnerapi.ConfirmRequest
	if err := json.Unmarshal(answered[0].Request.Body, &asked); err != nil {
		return fmt.Errorf("read the confirm that was refused: %w", err)
	}
	_, err = s.partner.shown.Journal.Testify(ctx, mock.Testimony{ByHand: asked.ReservationConfirmationCode})
	return err
}

// refused is the number of failed bookings after which a partner is degraded.
const refused = 3

func partnerBreaks(ctx context.Context, s *stage) error {
	s.partner.probes = true
	if _, err := s.partner.shown.Faults.Arm(ctx, outage); err != nil {
		return err
	}
	answer := (*client.Error)(nil)
	for range refused {
		_, err := s.market.book(ctx, s.market.offer.slots[1], "Faye Moreau")
		if !errors.As(err, &answer) || answer.Status != http.StatusBadGateway {
			return fmt.Errorf("expected the booking to fail with 502, received %v", err)
		}
	}
	return s.comes(ctx, func(ctx context.Context) ([]string, error) {
		health, err := s.health(ctx, partnerapi.Degraded)
		return append(health, fmt.Sprintf("customers read: %q", answer.Message)), err
	})
}

func partnerHeals(ctx context.Context, s *stage) error {
	if err := s.partner.shown.Faults.Disarm(ctx, "outage"); err != nil {
		return err
	}
	err := s.comes(ctx, func(ctx context.Context) ([]string, error) { return s.health(ctx, partnerapi.Healthy) })
	s.partner.probes = false
	return err
}

// health describes the partner's health if it is the expected one.
func (s *stage) health(ctx context.Context, wanted partnerapi.Health) ([]string, error) {
	integration, err := s.market.partner.Integration(ctx, s.market.integration.IntegrationID)
	if err != nil {
		return nil, err
	}
	h := integration.Health
	fact := fmt.Sprintf("%s; %d calls have failed so far", h.State, h.FailureCount)
	if len(h.Changes) > 0 {
		fact = fmt.Sprintf("%s since %s; %d calls have failed so far", h.State, clock(h.Changes[0].At), h.FailureCount)
	}
	return []string{fact}, want("the partner", wanted, h.State)
}
