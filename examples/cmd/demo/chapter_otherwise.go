package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"partnerkit.dev/marketplace/client"
	mock "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

func oneIsAbandoned(ctx context.Context, s *stage) error {
	held, err := s.market.book(ctx, s.market.offer.slots[0], "Ben Okafor")
	if err != nil {
		return err
	}
	if _, err := s.market.shop.Abandon(ctx, held.ID); err != nil {
		return err
	}
	return s.waitForRelease(ctx, held.ID, client.Abandoned)
}

// waitForRelease waits until a booking's hold was released for that reason and the partner has accepted
// the release.
func (s *stage) waitForRelease(ctx context.Context, booking string, why client.ReleaseReason, facts ...string) error {
	return s.comes(ctx, func(ctx context.Context) ([]string, error) {
		b, err := s.market.shop.Booking(ctx, booking)
		if err != nil {
			return nil, err
		}
		return append(facts, fmt.Sprintf("%s, %s; the partner has taken the release", b.Status, b.ReleaseReason)),
			errors.Join(want("the booking", client.Released, b.Status), want("the reason", why, b.ReleaseReason), want("the partner's release", client.Done, b.PartnerRelease))
	})
}

// holdFor is how long the partner holds seats in the step that waits for a hold to expire.
const holdFor = "2s"

func oneExpires(ctx context.Context, s *stage) error {
	if err := s.partner.shown.Play(ctx, "hold_for: "+holdFor); err != nil {
		return err
	}
	held, err := s.market.book(ctx, s.market.offer.slots[0], "Chloe Ito")
	if err != nil {
		return err
	}
	if err := s.partner.shown.Stop(ctx); err != nil { // restores the usual duration of holds
		return err
	}
	return s.waitForRelease(ctx, held.ID, client.Expired, fmt.Sprintf("the hold ended at %s", clock(held.ExpiresAt)))
}

func oneIsCancelled(ctx context.Context, s *stage) error {
	held, err := s.market.book(ctx, s.market.offer.slots[1], "Dario Lind")
	if err != nil {
		return err
	}
	paid, err := s.market.shop.Pay(ctx, held.ID, "demo-payment-2")
	if err != nil {
		return err
	}
	if err := want("the booking, once it is paid,", client.Confirmed, paid.Status); err != nil {
		return err
	}
	if _, err := s.market.shop.Cancel(ctx, paid.ID, "fell ill"); err != nil {
		return err
	}
	return s.comes(ctx, func(ctx context.Context) ([]string, error) {
		b, err := s.market.shop.Booking(ctx, paid.ID)
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf("%s; the partner has cancelled %s, too", b.Status, b.ExternalBookingID)},
			errors.Join(want("the booking", client.Cancelled, b.Status), want("the partner's cancellation", client.Done, b.PartnerCancellation))
	})
}

func slotSellsOut(ctx context.Context, s *stage) error {
	o, gone := s.market.offer, partnerapi.StatusSoldOut
	slot := o.slots[slotsWanted-1]
	if _, err := s.partner.shown.Slots.Set(ctx, o.product, o.variation.ExternalSync.ExternalOptionID, slot.AvailabilityID, mock.SlotChange{Status: &gone}); err != nil {
		return err
	}
	if err := s.webhookArrives(ctx, mock.Notify); err != nil {
		return err
	}
	shown, err := s.market.slotNow(ctx, slot)
	if err != nil {
		return err
	}
	_, refusal := s.market.book(ctx, slot, "Emil Sato")
	if err := errors.Join(want("the slot", partnerapi.StatusSoldOut, shown.Status), want("that it can be booked", false, shown.Bookable)); err != nil {
		return err
	}
	answer := (*client.Error)(nil)
	if !errors.As(refusal, &answer) || answer.Status != http.StatusConflict {
		return fmt.Errorf("expected the booking to fail with 409, received %v", refusal)
	}
	return s.holds(ctx, nil, fmt.Sprintf("the shop shows it %s", shown.Status), fmt.Sprintf("a customer who tries anyway reads: %q", answer.Message))
}
