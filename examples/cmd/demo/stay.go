package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"partnerkit.dev/marketplace/client"
)

// stay starts the services, creates some bookings, and prints what to try. It returns when ctx or a
// service ends.
func stay(ctx context.Context, s *stage) error {
	s.fixedPorts = true
	begin := chapters(paces{probe: 10 * time.Second, sweep: 10 * time.Second})[:3]
	begin[0].steps = begin[0].steps[:1]
	begin[2] = chapter{"Some bookings", append(begin[2].steps[:2:2], step{"Customers book, pay, abandon and cancel", bookingsAreMade})}
	begin = append(begin, chapter{"Test mode", []step{
		{"A test partner is registered, and the shop gets a token for test mode", testModeIsSetUp},
		{"The guest's name decides what happens to a test booking", namesDecide},
	}})
	if _, err := s.play(ctx, begin); err != nil {
		return err
	}
	// It contains passwords, so it is not written to the transcript.
	fmt.Fprint(s.output.screen, s.invitation())
	gone := make(chan string, len(s.services))
	for _, v := range s.services {
		go func() {
			<-v.gone
			gone <- v.name
		}()
	}
	select {
	case name := <-gone:
		return fmt.Errorf("%s ended unexpectedly", name)
	case <-ctx.Done():
		fmt.Fprintln(s.output.screen, "\nending")
		return nil
	}
}

// bookingsAreMade creates a booking in each state.
func bookingsAreMade(ctx context.Context, s *stage) error {
	m := &s.market
	pay := func(booking, payment string) error {
		_, err := m.shop.Pay(ctx, booking, payment)
		return err
	}
	bookings := []struct {
		customer string
		ends     client.BookingStatus
		then     func(booking string) error
		id       string
	}{
		{customer: "Ada Novak", ends: client.Held, then: func(string) error { return nil }},
		{customer: "Ben Okafor", ends: client.Released, then: func(booking string) error {
			_, err := m.shop.Abandon(ctx, booking)
			return err
		}},
		{customer: "Chloe Ito", ends: client.Confirmed, then: func(booking string) error { return pay(booking, "demo-payment-1") }},
		{customer: "Dario Lind", ends: client.Cancelled, then: func(booking string) error {
			paid := pay(booking, "demo-payment-2")
			_, cancelled := m.shop.Cancel(ctx, booking, "fell ill")
			return errors.Join(paid, cancelled)
		}},
		{customer: "Emil Sato", ends: client.Paid, then: func(booking string) error { // the partner refuses to book
			_, armed := s.partner.shown.Faults.Arm(ctx, oneRefusal)
			return errors.Join(armed, pay(booking, "demo-payment-3"))
		}},
	}
	for i, one := range bookings {
		held, err := m.book(ctx, m.offer.slots[0], one.customer)
		if err != nil {
			return err
		}
		bookings[i].id = held.ID
		if err := one.then(held.ID); err != nil {
			return err
		}
	}
	var facts []string
	for _, one := range bookings {
		b, err := m.shop.Booking(ctx, one.id)
		if err = errors.Join(err, want("the booking", one.ends, b.Status)); err != nil {
			return err
		}
		fact := fmt.Sprintf("%-9s  %s  %s", b.Status, b.ID, b.Contact.FullName)
		if b.Attention != nil {
			fact += ", needs an operator: " + string(b.Attention.Reason)
		}
		facts = append(facts, fact)
	}
	return s.holds(ctx, nil, facts...)
}

// invitation returns the addresses, the sign-ins and what to try first.
func (s *stage) invitation() string {
	m, text := s.market, &strings.Builder{}
	row := func(name, value string) { fmt.Fprintf(text, "  %-16s%s\n", name, value) }
	fmt.Fprint(text, "\nIt runs until Ctrl-C, and then deletes everything.\n\n")
	row("marketplace", m.url)
	row("its console", m.url+"/console, for the operator below")
	row("its API", m.url+"/docs")
	row("mock partner", s.partner.url)
	row("its console", s.partner.url+"/_mock/")
	row("its key", s.partner.key)
	for _, one := range m.accounts {
		row(string(one.role), one.email+", password "+string(one.password))
	}
	row("logs", s.out)
	fmt.Fprintf(text, `
To begin with, in another terminal:

  export MARKETPLACE=%s
  export PARTNER=%s
  export TOKEN=%s
  export TEST_TOKEN=%s
  export INTEGRATION=%s
  export WEBHOOK_SECRET=%s

  # what the shop can sell, and what it has booked
  curl -H "x-api-token: $TOKEN" "$MARKETPLACE/api/v1/resellers/activities?currency=USD&limit=3"
  curl -H "x-api-token: $TOKEN" "$MARKETPLACE/api/v1/resellers/bookings"
  # in test mode a guest called Stays Paid, or Sold Out, decides what happens
  curl -H "x-api-token: $TEST_TOKEN" "$MARKETPLACE/api/v1/resellers/activities?limit=1"
  # has the marketplace kept the contract? and what does it do while the partner is down?
  curl "$PARTNER/_mock/verdict"
  curl -d '{"name": "outage", "match": {}, "status": 503}' "$PARTNER/_mock/faults"
  curl -X DELETE "$PARTNER/_mock/faults/outage"
`, m.url, s.partner.url, string(m.token), string(s.test.token), m.integration.IntegrationID, string(m.integration.WebhookSecret))
	return text.String()
}
