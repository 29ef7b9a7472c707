package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"partnerkit.dev/marketplace/client"
	mock "partnerkit.dev/mockpartner/client"
)

// testPartner is the mock's sandbox in which a guest's name decides the outcome of a booking.
const testPartner = "test-partner"

// testModeIsSetUp registers a test partner in addition to the live one, and creates a test token
// for the reseller.
func testModeIsSetUp(ctx context.Context, s *stage) error {
	m, key := &s.market, rand.Text()
	box, err := s.partner.shown.CreateSandbox(ctx, mock.Spec{Name: testPartner, AuthKey: key, Variants: []string{testPartner}})
	if err != nil {
		return err
	}
	known, err := m.partner.Register(ctx, client.Registration{
		Name: "Test partner", Mode: "test", BaseURL: box.BaseURL, AuthKey: client.Secret(key), HandlesTicketDelivery: true,
	})
	if err != nil {
		return err
	}
	if _, err := m.operator.Sync(ctx, known.IntegrationID, client.Full); err != nil {
		return err
	}
	token, err := m.operator.CreateAPIToken(ctx, m.shopID, "demo, test mode", "test")
	if err != nil {
		return err
	}
	s.test = market{url: m.url, operator: m.operator, token: token.Token}
	if s.test.shop, err = client.NewReseller(m.url, client.APIToken(token.Token), s.clientOptions()); err != nil {
		return err
	}
	return s.comes(ctx, func(ctx context.Context) ([]string, error) {
		page, err := s.test.shop.Activities(client.ActivityQuery{}).Page(ctx, 1, 100)
		if err != nil {
			return nil, err
		}
		s.test.listed = page.Entries
		for _, one := range page.Entries {
			if err := want("the partner of what a test token sees", "Test partner", one.PartnerDetails.Name); err != nil {
				return nil, err
			}
		}
		return []string{fmt.Sprintf("a test token sees %d activities, all of them the test partner's", len(page.Entries))},
			errors.Join(want("activities in test mode", box.Products, len(page.Entries)), s.test.findOffer(ctx))
	})
}

// namesDecide makes a test booking for each special name of the test partner.
func namesDecide(ctx context.Context, s *stage) error {
	m := &s.test
	var late string // the booking whose confirmation comes late
	refused := func(guest, code string) (string, error) {
		_, err := m.book(ctx, m.offer.slots[0], guest)
		var answer *client.Error
		if !errors.As(err, &answer) {
			return "", fmt.Errorf("expected the booking to be refused, received %w", err)
		}
		return fmt.Sprintf("refused with %d %s", answer.Status, answer.Code), want("the error code", code, answer.Code)
	}
	paid := func(guest string) (client.Booking, error) {
		held, err := m.book(ctx, m.offer.slots[0], guest)
		if err != nil {
			return held, err
		}
		return m.shop.Pay(ctx, held.ID, "test-payment-"+held.ID)
	}
	for _, one := range []struct {
		guest string
		makes func(guest string) (string, error)
	}{
		{"Sold Out", func(guest string) (string, error) { return refused(guest, "reserve_refused") }},
		{"Reserve Fails", func(guest string) (string, error) { return refused(guest, "partner_error") }},
		{"Expires Soon", func(guest string) (string, error) {
			b, err := m.book(ctx, m.offer.slots[0], guest)
			left := time.Until(b.ExpiresAt)
			if err == nil && left > time.Minute {
				err = fmt.Errorf("expected a hold of a minute, received one of %s", left)
			}
			return string(b.Status) + " until " + clock(b.ExpiresAt), err
		}},
		{"Stays Paid", func(guest string) (string, error) {
			b, err := paid(guest)
			return string(b.Status) + ", the partner has refused", errors.Join(err, want("the booking", client.Paid, b.Status))
		}},
		{"Confirms Late", func(guest string) (string, error) {
			b, err := paid(guest)
			late = b.ID
			return string(b.Status) + " at first", errors.Join(err, want("the booking", client.Paid, b.Status))
		}},
	} {
		fact, err := one.makes(one.guest)
		if err := s.holds(ctx, err, fmt.Sprintf("%-14s  %s", one.guest, fact)); err != nil {
			return fmt.Errorf("%s: %w", one.guest, err)
		}
	}
	return s.comes(ctx, func(ctx context.Context) ([]string, error) {
		b, err := m.shop.Booking(ctx, late)
		return []string{"a little later, the booking of Confirms Late is CONFIRMED"}, errors.Join(err, want("the booking", client.Confirmed, b.Status))
	})
}
