package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/mockpartner"
)

func theMarketplace(often paces) chapter {
	return chapter{"A marketplace", []step{
		marketStarts(often),
		accountsAreMade(),
		partnerRegisters(),
		catalogIsPulled(),
	}}
}

func marketStarts(often paces) step {
	return step{
		title: "A marketplace starts, with a PostgreSQL of its own",
		does:  func(ctx context.Context, s *stage) error { return s.startMarket(ctx, often) },
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			rates, err := s.market.operator.Rates(ctx)
			return []string{s.market.url + " serves", fmt.Sprintf("it knows the rates of %d currencies to the %s", len(rates.Rates), rates.Base)}, err
		},
	}
}

func accountsAreMade() step {
	return step{
		title: "Its operator makes accounts for a partner and a shop",
		does:  func(ctx context.Context, s *stage) error { return s.openAccounts(ctx) },
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			page, err := s.market.shop.Activities(client.ActivityQuery{}).Page(ctx, 1, 1)
			return []string{"the shop's API token is good; there is nothing to sell yet"}, errors.Join(err, want("activities", 0, page.Pagination.TotalCount))
		},
	}
}

func partnerRegisters() step {
	return step{
		title: "The partner registers its platform",
		does: func(ctx context.Context, s *stage) (err error) {
			s.market.integration, err = s.market.partner.Register(ctx, client.Registration{
				Name: "Mock partner", BaseURL: s.partner.url, AuthKey: client.Secret(s.partner.key), HandlesTicketDelivery: true,
			})
			if err != nil {
				return err
			}
			return s.partner.told.Webhooks.Set(ctx, fmt.Sprintf("{url: %q, secret: %q, on: [staff]}",
				s.market.url+"/api/v1/partner-integrations/"+s.market.integration.IntegrationID, string(s.market.integration.WebhookSecret)))
		},
		holds: func(_ context.Context, s *stage) ([]string, error) {
			return []string{"integration " + short(s.market.integration.IntegrationID) + ", and a webhook secret that is shown this once"},
				want("letters of the webhook secret", 64, len(s.market.integration.WebhookSecret))
		},
	}
}

func catalogIsPulled() step {
	return step{
		title: "The partner has its catalog pulled, by a webhook",
		does: func(ctx context.Context, s *stage) error {
			s.partner.heard = true
			if _, err := s.partner.told.Webhooks.SendTrigger(ctx); err != nil {
				return err
			}
			return s.webhookArrives(ctx, mockpartner.Trigger)
		},
		comes: true,
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			box, err := s.partner.untold.Describe(ctx)
			if err != nil {
				return nil, err
			}
			integration, err := s.market.partner.Integration(ctx, s.market.integration.IntegrationID)
			switch {
			case err != nil:
				return nil, err
			case integration.LastSync == nil:
				return nil, errors.New("want a sync, got none")
			}
			err = errors.Join(want("products synced", box.Products, integration.LastSync.Synced),
				want("products set aside", 0, len(integration.LastSync.SetAside)),
				want("options with known slots", integration.Slots.Options, integration.Slots.Pulled))
			return []string{fmt.Sprintf("%d products stored; the slots of %d options are known for 60 days", integration.LastSync.Synced, integration.Slots.Pulled)}, err
		},
	}
}

// webhookTime bounds the way of a webhook.
const webhookTime = 30 * time.Second

// webhookArrives waits until the last webhook of that kind has arrived, and tells it.
func (s *stage) webhookArrives(ctx context.Context, kind mockpartner.WebhookKind) error {
	sent := 0
	all, err := s.partner.untold.Webhooks.Status(ctx)
	if err != nil {
		return err
	}
	for _, delivery := range all.Deliveries {
		if delivery.Kind == kind {
			sent++
		}
	}
	if _, err = s.partner.untold.Webhooks.Wait(ctx, kind, "", sent, webhookTime); err != nil {
		return err
	}
	if all, err = s.partner.untold.Webhooks.Status(ctx); err != nil {
		return err
	}
	for i := len(all.Deliveries) - 1; i >= 0; i-- {
		delivery := all.Deliveries[i]
		if delivery.Kind != kind {
			continue
		}
		for _, attempt := range delivery.Attempts {
			s.tell.called(attempt.Status, "marketplace", "POST "+short("/api/v1/partner-integrations/"+s.market.integration.IntegrationID)+webhookPaths[kind]+" by webhook")
		}
		if delivery.State != mockpartner.Delivered {
			return fmt.Errorf("the webhook: want it delivered, got it %s: %s", delivery.State, delivery.Reason)
		}
		return nil
	}
	return fmt.Errorf("want a webhook of the kind %s, got none", kind)
}

// webhookPaths are the ends of the addresses that webhooks go to.
var webhookPaths = map[mockpartner.WebhookKind]string{mockpartner.Trigger: "/sync/trigger", mockpartner.Notify: "/availability/notify"}
