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

// What goes wrong, as faults of a scenario.
const (
	outage     = "{name: outage, match: {}, status: 503}"
	lostAnswer = "{name: lost-answer, match: {endpoint: confirm}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}"
	oneRefusal = "{name: one-refusal, match: {endpoint: confirm}, times: 1, status: 500, body: {message: the booking system is down for a moment}}"
)

func theTrouble() chapter {
	return chapter{"Trouble", []step{
		answerIsLost(),
		operatorSettles(),
		partnerBreaks(),
		partnerHeals(),
	}}
}

// answerIsLost is a confirm that the partner has acted on, and whose answer never came.
func answerIsLost() step {
	var held client.Booking
	return step{
		title: "The answer to a confirm is lost: nobody pays for nothing",
		does: func(ctx context.Context, s *stage) (err error) {
			if _, err = s.partner.told.Faults.Arm(ctx, lostAnswer); err != nil {
				return err
			}
			if held, err = s.market.book(ctx, s.market.offer.slots[1], "Gus Haddad"); err != nil {
				return err
			}
			_, err = s.market.shop.Pay(ctx, held.ID, "demo-payment-3")
			return err
		},
		comes: true,
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			b, err := s.market.shop.Booking(ctx, held.ID)
			if err != nil {
				return nil, err
			}
			return []string{fmt.Sprintf("%s: asked again, and booked once, as %s", b.Status, b.ExternalBookingID)}, want("the booking", client.Confirmed, b.Status)
		},
	}
}

// operatorSettles is a payment whose booking the partner refuses, until it is asked again.
func operatorSettles() step {
	var held, found, settled client.Booking
	return step{
		title: "A confirm is refused: an operator finds the payment, and settles it",
		does: func(ctx context.Context, s *stage) (err error) {
			m := &s.market
			if _, err = s.partner.told.Faults.Arm(ctx, oneRefusal); err != nil {
				return err
			}
			if held, err = m.book(ctx, m.offer.slots[1], "Hana Berg"); err != nil {
				return err
			}
			if _, err = m.shop.Pay(ctx, held.ID, "demo-payment-4"); err != nil {
				return err
			}
			needed, err := m.operator.Bookings(client.BookingQuery{Attention: true}).Page(ctx, 1, 20)
			if err != nil {
				return err
			}
			if err := want("bookings that need an operator", 1, len(needed.Entries)); err != nil {
				return err
			}
			found = needed.Entries[0]
			if settled, err = m.operator.Confirm(ctx, found.ID); err != nil {
				return err
			}
			return s.testify(ctx)
		},
		holds: func(context.Context, *stage) ([]string, error) {
			if err := errors.Join(want("the booking that needs an operator", held.ID, found.ID), want("the booking", client.Paid, found.Status)); err != nil {
				return nil, err
			}
			return []string{
				fmt.Sprintf("found: %s, %s: %q", found.Status, found.Attention.Reason, found.Attention.Message),
				fmt.Sprintf("%s after the operator has had it confirmed again", settled.Status),
			}, want("the booking", client.Confirmed, settled.Status)
		},
	}
}

// testify tells the partner, who judges the marketplace in the end, that the last confirm
// that it has refused was sent again by hand: by itself the marketplace may not do so.
func (s *stage) testify(ctx context.Context) error {
	answered, err := s.partner.untold.Journal.Exchanges(ctx, mock.Filter{Endpoint: partnerapi.Confirm, Status: http.StatusInternalServerError})
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
	_, err = s.partner.told.Journal.Testify(ctx, mock.Testimony{ByHand: asked.ReservationConfirmationCode})
	return err
}

// refused is how many customers are turned away before a partner counts as degraded.
const refused = 3

func partnerBreaks() step {
	var met []error
	return step{
		title: "The partner's platform breaks",
		does: func(ctx context.Context, s *stage) error {
			s.partner.probes = true
			if _, err := s.partner.told.Faults.Arm(ctx, outage); err != nil {
				return err
			}
			for range refused {
				_, err := s.market.book(ctx, s.market.offer.slots[1], "Faye Moreau")
				met = append(met, err)
			}
			return nil
		},
		comes: true,
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			said := (*client.Error)(nil)
			for _, err := range met {
				if !errors.As(err, &said) || said.Status != http.StatusBadGateway {
					return nil, fmt.Errorf("want a customer told with 502, got %v", err)
				}
			}
			health, err := s.health(ctx, partnerapi.Degraded)
			return append(health, fmt.Sprintf("customers read: %q", said.Message)), err
		},
	}
}

func partnerHeals() step {
	return step{
		title: "It is mended: the marketplace finds out by itself",
		does:  func(ctx context.Context, s *stage) error { return s.partner.told.Faults.Disarm(ctx, "outage") },
		comes: true,
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			facts, err := s.health(ctx, partnerapi.Healthy)
			if err == nil {
				s.partner.probes = false
			}
			return facts, err
		},
	}
}

// health tells how the partner fares, where that is as it is wanted.
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
