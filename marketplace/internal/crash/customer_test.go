//go:build linux

package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// intent is what a customer does with a hold.
type intent string

const (
	pays          intent = "pays"
	paysTwice     intent = "pays, and the payment is reported twice"
	cancels       intent = "pays, and cancels"
	cannotPay     intent = "cannot pay"
	abandons      intent = "abandons"
	paysTooLate   intent = "abandons, and pays anyway"
	leaves        intent = "leaves"
	reschedules   intent = "pays, and reschedules"
	retryPause           = 500 * time.Millisecond
	confirmedSoon        = 3 * time.Second // how long a customer who wants to cancel waits for the confirmation
)

// intents are drawn from with equal probability.
var intents = []intent{
	pays, pays, pays, pays, pays, pays, pays, pays, pays, pays, pays, pays,
	paysTwice, cancels, cancels, cancels, cannotPay, abandons, paysTooLate, leaves,
	reschedules, reschedules, reschedules, reschedules, reschedules,
}

// customer books, and repeats requests that a dead replica has not answered.
type customer struct {
	number  int
	intent  intent
	slot    slot
	to      slot // to which the customer reschedules
	guests  int
	replica int

	waits atomic.Bool // for a request whose replica may have died
	done  atomic.Bool

	// The results. Read them once the customer is done.
	booking   uuid.UUID // the zero id if there is no booking
	refusal   problem   // why there is no booking
	moved     uuid.UUID // the new booking; the zero id if the customer has not rescheduled, or not successfully
	paid      string    // the reference of a payment that was acknowledged
	cancelled bool      // the cancellation was acknowledged
	retries   int
	took      time.Duration // until the hold or the refusal
	failed    error         // an unexpected failure
}

// problem is the body of an error answer.
type problem struct {
	Code    int
	Message string
	Reason  domain.Reason `json:"error_code"`
}

func newCustomer(number int, random *rand.Rand, slots []slot) *customer {
	at := random.IntN(len(slots))
	return &customer{
		number: number, intent: intents[random.IntN(len(intents))], slot: slots[at], to: slots[(at+1)%len(slots)],
		guests: 1 + random.IntN(3), replica: random.IntN(3),
	}
}

// booked contains the fields of a booking that customers read.
type booked struct {
	ID     uuid.UUID `json:"_id"`
	Status string    `json:"status"`
}

// acts performs all actions of a customer.
func (c *customer) acts(ctx context.Context, s *shop) {
	began := time.Now()
	held := c.books(ctx, s)
	c.took = time.Since(began)
	if !held {
		return
	}
	path := "/api/v1/resellers/bookings/" + c.booking.String()
	switch c.intent {
	case pays, cancels, reschedules:
		c.pay(ctx, s, path, "succeeded")
	case paysTwice:
		c.pay(ctx, s, path, "succeeded")
		c.pay(ctx, s, path, "succeeded")
	case cannotPay:
		c.pay(ctx, s, path, "failed")
	case abandons, paysTooLate:
		c.insists(ctx, s, http.MethodDelete, path, nil)
	}
	if c.intent == paysTooLate {
		c.pay(ctx, s, path, "succeeded")
	}
	if c.intent == reschedules && c.waitForConfirmation(ctx, s, path) {
		c.refusal = problem{}
		c.moved = c.orders(ctx, s, path+"/reschedule", map[string]any{"availability_id": c.to.ID}, fmt.Sprint("move-", c.number))
	}
	if c.intent == cancels && c.waitForConfirmation(ctx, s, path) {
		c.cancelled = c.insists(ctx, s, http.MethodPost, path+"/cancel", map[string]any{"reason": "ill"})
	}
}

// address returns the customer's own, by which a booking is theirs.
func (c *customer) address() string {
	return fmt.Sprintf("customer-%d@example.com", c.number)
}

// books requests a hold, with an idempotency key, until there is an answer.
func (c *customer) books(ctx context.Context, s *shop) bool {
	body := map[string]any{
		"activity_id": c.slot.Activity, "variation_id": c.slot.Variation, "availability_id": c.slot.ID,
		"units":   []map[string]any{{"type": "ADULT", "quantity": c.guests}},
		"contact": map[string]any{"fullName": "Ana Sousa", "emailAddress": c.address()},
	}
	c.booking = c.orders(ctx, s, "/api/v1/resellers/bookings", body, fmt.Sprint("order-", c.number))
	return c.booking != uuid.Nil && c.failed == nil
}

// orders sends a request with a key until there is an answer, and returns the booking that was made. Without
// one, c.refusal says why.
func (c *customer) orders(ctx context.Context, s *shop, path string, body map[string]any, key string) uuid.UUID {
	for {
		status, answer, ok := c.ask(ctx, s, http.MethodPost, path, body, "Idempotency-Key", key)
		if !ok {
			return uuid.Nil
		}
		if status == http.StatusCreated || status == http.StatusOK {
			c.waits.Store(false)
			var b struct{ Data booked }
			c.fails(json.Unmarshal(answer, &b))
			return b.Data.ID
		}
		c.fails(json.Unmarshal(answer, &c.refusal))
		inFlight := c.refusal.Reason == domain.IdempotencyKeyInFlight
		if !mayComeBack(status) && !inFlight {
			c.waits.Store(false)
			return uuid.Nil
		}
		c.waits.Store(inFlight)
		c.retries++
		if !wait(ctx, retryPause) {
			c.fails(ctx.Err())
			return uuid.Nil
		}
	}
}

// mayComeBack reports whether a refusal is temporary.
func mayComeBack(status int) bool {
	return status == http.StatusInternalServerError || status == http.StatusServiceUnavailable
}

func (c *customer) pay(ctx context.Context, s *shop, path, outcome string) {
	reference := fmt.Sprint("payment-", c.number)
	if c.insists(ctx, s, http.MethodPost, path+"/payment", map[string]any{"outcome": outcome, "reference": reference}) && outcome == "succeeded" {
		c.paid = reference
	}
}

// waitForConfirmation waits a limited time for the confirmation.
func (c *customer) waitForConfirmation(ctx context.Context, s *shop, path string) bool {
	for began := time.Now(); time.Since(began) < confirmedSoon; {
		_, answer, ok := c.ask(ctx, s, http.MethodGet, path, nil)
		var b struct{ Data booked }
		if ok && json.Unmarshal(answer, &b) == nil && b.Data.Status == "CONFIRMED" {
			return true
		}
		if !wait(ctx, retryPause) {
			return false
		}
	}
	return false
}

// insists sends a request until it is accepted. A refusal is a failure.
func (c *customer) insists(ctx context.Context, s *shop, method, path string, body any) bool {
	for {
		status, answer, ok := c.ask(ctx, s, method, path, body)
		switch {
		case !ok:
			return false
		case status == http.StatusOK:
			return true
		case !mayComeBack(status):
			c.fails(fmt.Errorf("%s %s: %d %s", method, path, status, answer))
			return false
		}
		c.retries++
		if !wait(ctx, retryPause) {
			c.fails(ctx.Err())
			return false
		}
	}
}

// ask sends a request to a replica, and to another one if that dies or does not answer.
func (c *customer) ask(ctx context.Context, s *shop, method, path string, body any, headers ...string) (int, []byte, bool) {
	headers = append(headers, "X-Api-Token", s.token)
	for ; ; c.replica++ {
		if r := s.servingReplica(c.replica); r != nil {
			base, before := r.now()
			began := time.Now()
			status, header, text, err := s.ask(ctx, base, method, path, body, headers...)
			took := time.Since(began)
			if _, after := r.now(); after == before && after != aboutToBe {
				s.answers.add(answer{method + " " + path, status, header.Get("Retry-After"), took})
			}
			if err == nil {
				return status, text, true
			}
		}
		c.retries++
		if !wait(ctx, retryPause) {
			c.fails(fmt.Errorf("%s %s has no answer: %w", method, path, ctx.Err()))
			return 0, nil, false
		}
	}
}

func (c *customer) fails(err error) {
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("customer %d, who %s: %w", c.number, c.intent, err)
	}
}
