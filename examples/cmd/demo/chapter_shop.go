package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/schemas/partnerapi"
)

func theShop() chapter {
	var held, paid client.Booking
	return chapter{"A customer books", []step{
		activitiesAreListed(),
		seatsAreFound(),
		{
			title: "A customer holds two of them",
			does: func(ctx context.Context, s *stage) (err error) {
				held, err = s.market.book(ctx, s.market.offer.slots[0], "Ada Novak")
				return err
			},
			holds: func(_ context.Context, s *stage) ([]string, error) {
				return []string{
					fmt.Sprintf("%s until %s, %s %s for two", held.Status, clock(held.ExpiresAt), amount(held.Total), held.Currency),
				}, want("the booking", client.Held, held.Status)
			},
		},
		{
			title: "She pays, and the partner confirms",
			does: func(ctx context.Context, s *stage) (err error) {
				paid, err = s.market.shop.Pay(ctx, held.ID, "demo-payment-1")
				return err
			},
			holds: func(_ context.Context, s *stage) ([]string, error) {
				if err := want("the booking", client.Confirmed, paid.Status); err != nil {
					return nil, err
				}
				facts := []string{fmt.Sprintf("%s, the partner's booking %s", paid.Status, paid.ExternalBookingID)}
				for _, ticket := range paid.Tickets {
					for _, form := range ticket.DeliveryOptions {
						facts = append(facts, fmt.Sprintf("ticket: %s %s %s", form.DeliveryMethod, form.DeliveryFormat, form.DeliveryValue))
					}
				}
				if len(facts) == 1 {
					return nil, errors.New("want a ticket, got none")
				}
				return facts, nil
			},
		},
	}}
}

// clock is a time of the day as it is told.
func clock(at time.Time) string { return at.UTC().Format("15:04:05") + " UTC" }

// amount is a price in euros or dollars as it is told.
func amount(d client.Decimal) string {
	if exact := d.Rat(); exact != nil {
		return exact.FloatString(2)
	}
	return "none"
}

// mostListed is how many activities are told.
const mostListed = 4

// activitiesAreListed is the list in two currencies.
func activitiesAreListed() step {
	var euros, dollars client.Page[client.Activity]
	return step{
		title: "The shop lists what there is, in two currencies",
		does: func(ctx context.Context, s *stage) (err error) {
			// The rates that come with the marketplace are the European Central Bank's, which
			// knows no dinar.
			if _, err = s.market.operator.SetRates(ctx, "EUR", map[string]client.Decimal{"KWD": "0.33"}); err != nil {
				return err
			}
			if euros, err = s.market.shop.Activities(client.ActivityQuery{Currency: "EUR"}).Page(ctx, 1, 20); err != nil {
				return err
			}
			s.market.listed = euros.Entries
			dollars, err = s.market.shop.Activities(client.ActivityQuery{Currency: "USD"}).Page(ctx, 1, 20)
			return err
		},
		holds: func(ctx context.Context, s *stage) ([]string, error) {
			box, err := s.partner.untold.Describe(ctx)
			if err != nil {
				return nil, err
			}
			if err := errors.Join(want("activities in EUR", box.Products, len(euros.Entries)), want("activities in USD", box.Products, len(dollars.Entries))); err != nil {
				return nil, err
			}
			var facts []string
			for i, activity := range euros.Entries[:min(mostListed, len(euros.Entries))] {
				inEuros, inDollars := adultPrice(activity), adultPrice(dollars.Entries[i])
				facts = append(facts, fmt.Sprintf("%8s EUR %8s USD  %s", amount(inEuros), amount(inDollars), activity.Title))
			}
			if more := len(euros.Entries) - len(facts); more > 0 {
				facts = append(facts, fmt.Sprintf("and %d more", more))
			}
			return facts, s.pricedByRate(ctx, euros.Entries[0], dollars.Entries[0])
		},
	}
}

func seatsAreFound() step {
	return step{
		title: "It looks for days with seats left",
		does:  func(ctx context.Context, s *stage) error { return s.market.findOffer(ctx) },
		holds: func(_ context.Context, s *stage) ([]string, error) {
			o, facts := s.market.offer, []string{}
			for _, slot := range o.slots[:slotsWanted] {
				facts = append(facts, fmt.Sprintf("%s: %d seats left", slot.Start.Format("Monday 2 January, 15:04"), *slot.Vacancies))
			}
			return append([]string{o.activity.Title + ", " + o.variation.Title}, facts...), nil
		},
	}
}

// pricedByRate is an error where the price in dollars is not that in euros by the rate
// that is in force, to half a cent. The first activity's own prices are in euros.
func (s *stage) pricedByRate(ctx context.Context, inEuros, inDollars client.Activity) error {
	rates, err := s.market.operator.Rates(ctx)
	if err != nil {
		return err
	}
	euros, dollars, rate := adultPrice(inEuros).Rat(), adultPrice(inDollars).Rat(), rates.Rates["USD"].Rat()
	if euros == nil || dollars == nil || rate == nil {
		return fmt.Errorf("%s: want prices and a rate, got %s EUR, %s USD and a rate of %q", inEuros.Title, adultPrice(inEuros), adultPrice(inDollars), rates.Rates["USD"])
	}
	if due := new(big.Rat).Mul(euros, rate).FloatString(2); due != dollars.FloatString(2) {
		return fmt.Errorf("%s: want %s USD by the rate, got %s", inEuros.Title, due, dollars.FloatString(2))
	}
	return nil
}

// adultPrice is what an adult pays in the first variation.
func adultPrice(a client.Activity) client.Decimal {
	for _, variation := range a.Variations {
		for _, unit := range variation.Pricing.Units {
			if unit.Type == partnerapi.Adult {
				return unit.Price
			}
		}
	}
	return ""
}
