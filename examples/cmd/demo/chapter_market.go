package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/marketplace/client"
	mockclient "partnerkit.dev/mockpartner/client"
)

func marketStarts(ctx context.Context, s *stage, often paces) error {
	if err := s.startMarket(ctx, often); err != nil {
		return err
	}
	rates, err := s.market.operator.Rates(ctx)
	return s.holds(ctx, err, s.market.url+" serves", fmt.Sprintf("it knows the rates of %d currencies to the %s", len(rates.Rates), rates.Base))
}

func accountsAreMade(ctx context.Context, s *stage) error {
	if err := s.openAccounts(ctx); err != nil {
		return err
	}
	page, err := s.market.shop.Activities(client.ActivityQuery{}).Page(ctx, 1, 1)
	return s.holds(ctx, errors.Join(err, want("activities", 0, page.Pagination.TotalCount)), "the shop's API token works; there is nothing to sell yet")
}

func partnerRegisters(ctx context.Context, s *stage) (err error) {
	s.market.integration, err = s.market.partner.Register(ctx, client.Registration{
		Name: "Mock partner", BaseURL: s.partner.url, AuthKey: client.Secret(s.partner.key), HandlesTicketDelivery: true,
	})
	if err != nil {
		return err
	}
	known := s.market.integration
	err = s.partner.shown.Webhooks.Set(ctx, fmt.Sprintf("{url: %q, secret: %q, on: [staff]}",
		s.market.url+"/api/v1/partner-integrations/"+known.IntegrationID, string(known.WebhookSecret)))
	return s.holds(ctx, errors.Join(err, want("letters of the webhook secret", 64, len(known.WebhookSecret))),
		"integration "+shortenIDs(known.IntegrationID)+", and a webhook secret that is shown this once")
}

func catalogIsPulled(ctx context.Context, s *stage) error {
	s.partner.printCalls = true
	if _, err := s.partner.shown.Webhooks.SendTrigger(ctx); err != nil {
		return err
	}
	if err := s.webhookArrives(ctx, mockclient.Trigger); err != nil {
		return err
	}
	return s.comes(ctx, func(ctx context.Context) ([]string, error) {
		box, err := s.partner.silent.Describe(ctx)
		if err != nil {
			return nil, err
		}
		integration, err := s.market.partner.Integration(ctx, s.market.integration.IntegrationID)
		switch {
		case err != nil:
			return nil, err
		case integration.LastSync == nil:
			return nil, errors.New("expected a sync, received none")
		}
		return []string{fmt.Sprintf("%d products stored; the slots of %d options are known for 60 days", integration.LastSync.Synced, integration.Slots.Pulled)},
			errors.Join(want("products synced", box.Products, integration.LastSync.Synced),
				want("products set aside", 0, len(integration.LastSync.SetAside)),
				want("options with known slots", integration.Slots.Options, integration.Slots.Pulled))
	})
}

// webhookPaths are the ends of the webhooks' addresses.
var webhookPaths = map[mockclient.WebhookKind]string{mockclient.Trigger: "/sync/trigger", mockclient.Notify: "/availability/notify"}

// webhookArrives waits until the webhook of that kind has arrived and prints it. The demo sends one
// of each kind.
func (s *stage) webhookArrives(ctx context.Context, kind mockclient.WebhookKind) error {
	for arrived := false; !arrived; {
		var err error
		if arrived, err = s.partner.silent.Webhooks.Wait(ctx, kind, "", 1, time.Minute); err != nil {
			return err
		}
	}
	all, err := s.partner.silent.Webhooks.Status(ctx)
	if err != nil {
		return err
	}
	for _, delivery := range slices.Backward(all.Deliveries) {
		if delivery.Kind != kind {
			continue
		}
		for _, attempt := range delivery.Attempts {
			s.output.printCall(attempt.Status, "marketplace", "POST "+shortenIDs("/api/v1/partner-integrations/"+s.market.integration.IntegrationID)+webhookPaths[kind]+" by webhook")
		}
		if delivery.State != "delivered" {
			return fmt.Errorf("the webhook: expected delivered, received %s: %s", delivery.State, delivery.Reason)
		}
		return nil
	}
	return fmt.Errorf("expected a webhook of the kind %s, received none", kind)
}
