package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/mockpartner"
	mock "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

func otherEnds() chapter {
	return chapter{"Other ends", []step{
		oneIsAbandoned(),
		oneExpires(),
		oneIsCancelled(),
		slotSellsOut(),
	}}
}

func oneIsAbandoned() step {
	var held client.Booking
	return step{
		title: "A customer walks away: the seats go back",
		does: func(ctx context.Context, s *stage) (err error) {
			if held, err = s.market.book(ctx, s.market.offer.slots[0], "Ben Okafor"); err != nil {
				return err
			}
			_, err = s.market.shop.Abandon(ctx, held.ID)
			return err
		},
		comes: true,
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			return s.released(ctx, held.ID, client.Abandoned)
		},
	}
}

// released tells of a booking whose hold was given back for the reason, and taken by the
// partner.
func (s *stage) released(ctx context.Context, booking string, why client.ReleaseReason) ([]string, error) {
	b, err := s.market.shop.Booking(ctx, booking)
	if err != nil {
		return nil, err
	}
	err = errors.Join(want("the booking", client.Released, b.Status), want("the reason", why, b.ReleaseReason), want("the partner's release", client.Done, b.PartnerRelease))
	return []string{fmt.Sprintf("%s, %s; the partner has taken the release", b.Status, b.ReleaseReason)}, err
}

// holdFor is how long the partner holds seats in the step that waits for the end of it.
const holdFor = "2s"

func oneExpires() step {
	var held client.Booking
	return step{
		title: "Another does not pay in time: the clock ends the hold",
		does: func(ctx context.Context, s *stage) (err error) {
			if err := s.partner.told.Play(ctx, "hold_for: "+holdFor); err != nil {
				return err
			}
			if held, err = s.market.book(ctx, s.market.offer.slots[0], "Chloe Ito"); err != nil {
				return err
			}
			return s.partner.told.Stop(ctx) // holds live as long as before again
		},
		comes: true,
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			facts, err := s.released(ctx, held.ID, client.Expired)
			return append([]string{fmt.Sprintf("the hold ended at %s", clock(held.ExpiresAt))}, facts...), err
		},
	}
}

func oneIsCancelled() step {
	var paid client.Booking
	return step{
		title: "A third pays, and calls it off later",
		does: func(ctx context.Context, s *stage) error {
			held, err := s.market.book(ctx, s.market.offer.slots[1], "Dario Lind")
			if err != nil {
				return err
			}
			if paid, err = s.market.shop.Pay(ctx, held.ID, "demo-payment-2"); err != nil {
				return err
			}
			if err := want("the booking, once it is paid,", client.Confirmed, paid.Status); err != nil {
				return err
			}
			_, err = s.market.shop.Cancel(ctx, paid.ID, "fell ill")
			return err
		},
		comes: true,
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			b, err := s.market.shop.Booking(ctx, paid.ID)
			if err != nil {
				return nil, err
			}
			err = errors.Join(want("the booking", client.Cancelled, b.Status), want("the partner's cancellation", client.Done, b.PartnerCancellation))
			return []string{fmt.Sprintf("%s; the partner has cancelled %s, too", b.Status, b.ExternalBookingID)}, err
		},
	}
}

func slotSellsOut() step {
	var shown client.Slot
	var refusal error
	return step{
		title: "A slot sells out elsewhere: a webhook says so",
		does: func(ctx context.Context, s *stage) (err error) {
			o := s.market.offer
			slot := o.slots[slotsWanted-1]
			gone := partnerapi.StatusSoldOut
			if _, err := s.partner.told.Slots.Set(ctx, o.product, o.variation.ExternalSync.ExternalOptionID, slot.AvailabilityID, mock.SlotChange{Status: &gone}); err != nil {
				return err
			}
			if err := s.webhookArrives(ctx, mockpartner.Notify); err != nil {
				return err
			}
			if shown, err = s.market.slotNow(ctx, slot); err != nil {
				return err
			}
			_, refusal = s.market.book(ctx, slot, "Emil Sato")
			return nil
		},
		holds: func(context.Context, *stage) ([]string, error) {
			if err := errors.Join(want("the slot", partnerapi.StatusSoldOut, shown.Status), want("that it can be booked", false, shown.Bookable)); err != nil {
				return nil, err
			}
			said := (*client.Error)(nil)
			if !errors.As(refusal, &said) || said.Status != http.StatusConflict {
				return nil, fmt.Errorf("want a customer refused with 409, got %v", refusal)
			}
			return []string{fmt.Sprintf("the shop shows it %s", shown.Status), fmt.Sprintf("who wants it all the same reads: %q", said.Message)}, nil
		},
	}
}
