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

// clock formats a time of day.
func clock(at time.Time) string { return at.UTC().Format("15:04:05") + " UTC" }

// amount formats a price in euros or dollars.
func amount(d client.Decimal) string {
	if exact := d.Rat(); exact != nil {
		return exact.FloatString(2)
	}
	return "none"
}

// mostListed is the maximum number of activities that are printed.
const mostListed = 4

// activitiesAreListed shows the list in two currencies.
func activitiesAreListed(ctx context.Context, s *stage) error {
	// The marketplace's initial rates are the European Central Bank's, which have no dinar.
	if _, err := s.market.operator.SetRates(ctx, "EUR", map[string]client.Decimal{"KWD": "0.33"}); err != nil {
		return err
	}
	euros, err := s.market.shop.Activities(client.ActivityQuery{Currency: "EUR"}).Page(ctx, 1, 20)
	if err != nil {
		return err
	}
	s.market.listed = euros.Entries
	dollars, err := s.market.shop.Activities(client.ActivityQuery{Currency: "USD"}).Page(ctx, 1, 20)
	if err != nil {
		return err
	}
	box, err := s.partner.silent.Describe(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(want("activities in EUR", box.Products, len(euros.Entries)), want("activities in USD", box.Products, len(dollars.Entries))); err != nil {
		return err
	}
	var facts []string
	for i, activity := range euros.Entries[:min(mostListed, len(euros.Entries))] {
		inEuros, inDollars := adultPrice(activity), adultPrice(dollars.Entries[i])
		facts = append(facts, fmt.Sprintf("%8s EUR %8s USD  %s", amount(inEuros), amount(inDollars), activity.Title))
	}
	if more := len(euros.Entries) - len(facts); more > 0 {
		facts = append(facts, fmt.Sprintf("and %d more", more))
	}
	return s.holds(ctx, s.pricedByRate(ctx, euros.Entries[0], dollars.Entries[0]), facts...)
}

func seatsAreFound(ctx context.Context, s *stage) error {
	if err := s.market.findOffer(ctx); err != nil {
		return err
	}
	o := s.market.offer
	facts := []string{o.activity.Title + ", " + o.variation.Title}
	for _, slot := range o.slots[:slotsWanted] {
		facts = append(facts, fmt.Sprintf("%s: %d seats left", slot.Start.Format("Monday 2 January, 15:04"), *slot.Vacancies))
	}
	return s.holds(ctx, nil, facts...)
}

func seatsAreHeld(ctx context.Context, s *stage) error {
	held, err := s.market.book(ctx, s.market.offer.slots[0], "Ada Novak")
	if err != nil {
		return err
	}
	s.market.held = held.ID
	return s.holds(ctx, want("the booking", client.Held, held.Status),
		fmt.Sprintf("%s until %s, %s %s for two", held.Status, clock(held.ExpiresAt), amount(held.Total), held.Currency))
}

func holdIsPaid(ctx context.Context, s *stage) error {
	paid, err := s.market.shop.Pay(ctx, s.market.held, "demo-payment-1")
	if err != nil {
		return err
	}
	if err := want("the booking", client.Confirmed, paid.Status); err != nil {
		return err
	}
	facts := []string{fmt.Sprintf("%s, the partner's booking %s", paid.Status, paid.ExternalBookingID)}
	for _, ticket := range paid.Tickets {
		for _, form := range ticket.DeliveryOptions {
			facts = append(facts, fmt.Sprintf("ticket: %s %s %s", form.DeliveryMethod, form.DeliveryFormat, form.DeliveryValue))
		}
	}
	if len(facts) == 1 {
		return errors.New("expected a ticket, received none")
	}
	return s.holds(ctx, nil, facts...)
}

// pricedByRate returns an error if the price in dollars differs from the price in euros at the
// current rate by more than half a cent. The first activity's own prices are in euros.
func (s *stage) pricedByRate(ctx context.Context, inEuros, inDollars client.Activity) error {
	rates, err := s.market.operator.Rates(ctx)
	if err != nil {
		return err
	}
	euros, dollars, rate := adultPrice(inEuros).Rat(), adultPrice(inDollars).Rat(), rates.Rates["USD"].Rat()
	if euros == nil || dollars == nil || rate == nil {
		return fmt.Errorf("%s: expected prices and a rate, received %s EUR, %s USD and a rate of %q", inEuros.Title, adultPrice(inEuros), adultPrice(inDollars), rates.Rates["USD"])
	}
	if due := new(big.Rat).Mul(euros, rate).FloatString(2); due != dollars.FloatString(2) {
		return fmt.Errorf("%s: expected %s USD by the rate, received %s", inEuros.Title, due, dollars.FloatString(2))
	}
	return nil
}

// adultPrice returns the price for an adult in the first variation.
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
