package webhook

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

// observe queues a change of the platform. The platform is locked, so it does nothing else.
func (s *Sender) observe(c platform.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.config == nil:
	case c.Problem != nil:
		s.recordProblem(c.Problem.Error())
	case !slices.Contains(s.config.On, c.Cause):
	case c.Cause == client.CatalogChanged:
		s.enter(trigger(c.Cause, c.At))
	default:
		s.enter(notification(c.Cause, c.At, c.ProductID, c.OptionID, c.Before, c.After))
	}
}

// Trigger sends a sync/trigger now, subject to the faults. Its error is ErrOff.
func (s *Sender) Trigger() (client.Delivery, error) {
	return s.ask(trigger(Asked, s.clock.Now()))
}

// Notify sends a slot's current state, subject to the faults. Its error is ErrOff, or a
// *platform.Refusal.
func (s *Sender) Notify(productID, optionID, availabilityID string) (client.Delivery, error) {
	slot, err := s.platform.FindSlot(productID, optionID, availabilityID)
	if err != nil {
		return client.Delivery{}, err
	}
	return s.ask(notification(Asked, s.clock.Now(), productID, optionID, slot, slot))
}

func (s *Sender) ask(n webhookEvent) (client.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.config == nil {
		return client.Delivery{}, ErrOff
	}
	return s.enter(n).view(), nil
}

// enter adds a webhook to the queue, as its fault defines. s.mu must be locked.
func (s *Sender) enter(n webhookEvent) *delivery {
	fault, random, fires := s.faults.Fire(n.subject, n.at)
	d := &delivery{
		Delivery: client.Delivery{Kind: n.subject.Kind, Cause: n.cause, At: n.at.UTC(), State: Pending, Presents: fault.WebhookActions.Secret},
		subject:  n.subject,
		holdBack: fault.HoldBack,
	}
	if fires {
		d.Fault = fault.Name
		d.notBefore = time.Now().Add(time.Duration(fault.Delay))
	}
	if d.Presents == script.SecretWrong {
		d.secret = wrongSecret(random)
	}
	body, err := n.body(fault.WebhookActions)
	d.Body = body
	s.push(d)
	switch {
	case err != nil:
		s.end(d, Dropped, fmt.Sprintf("it cannot be written as JSON: %v", err))
	case fault.Drop:
		s.end(d, Dropped, "a fault dropped it")
	case fault.Duplicate && d.State != Dropped:
		again := *d
		s.push(&again)
	}
	s.wakeUp()
	return d
}

func wrongSecret(random *rand.Rand) string {
	digits := make([]byte, partnerapi.WebhookSecretLength/2)
	for i := range digits {
		digits[i] = byte(random.UintN(256))
	}
	return hex.EncodeToString(digits)
}

// push numbers a delivery, and adds it to the log and the queue. s.mu must be locked.
func (s *Sender) push(d *delivery) {
	s.number++
	d.Number = s.number
	s.log = append(s.log, d)
	if len(s.log) > maxLog {
		// The queue is shorter than the log, so a finished delivery exists that can be forgotten.
		oldest := slices.IndexFunc(s.log, func(d *delivery) bool { return !d.open() })
		s.log = slices.Delete(s.log, oldest, oldest+1)
	}
	if len(s.queue) >= MaxQueue {
		s.overflow++
		s.end(d, Dropped, fmt.Sprintf("%d others were waiting to be sent", MaxQueue))
		return
	}
	s.queue = append(s.queue, d)
	if d.holdBack != "" {
		d.State = Held
		return
	}
	for _, held := range s.queue {
		if held.holdBack != "" && held.behind == nil && held.awaits(d) {
			held.behind = d
		}
	}
}

func (d *delivery) open() bool { return d.State == Pending || d.State == Held }

// awaits reports whether a delivery that is held back is sent after the other.
func (d *delivery) awaits(other *delivery) bool {
	return d.holdBack == script.HoldBackAny || d.subject == other.subject
}

// nextDelivery returns the first delivery that can be sent now, or the minimum time until one can be.
// Deliveries of one slot keep their order.
func (s *Sender) nextDelivery(now time.Time) (*delivery, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	soon := forever
	waiting := map[script.WebhookSubject]bool{}
	for _, d := range s.queue {
		if d.State == Held {
			if d.behind == nil || d.behind.open() {
				continue
			}
			d.State = Pending
		}
		switch wait := d.notBefore.Sub(now); {
		case waiting[d.subject]:
		case wait <= 0:
			return d, 0
		default:
			waiting[d.subject] = true
			soon = min(soon, wait)
		}
	}
	return nil, soon
}

// settle records an attempt, and decides whether another one follows.
func (s *Sender) settle(d *delivery, a attempt, ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.Attempts = append(d.Attempts, a.Attempt)
	switch retries := s.config.Retries; {
	case ctx.Err() != nil && a.Status == 0: // aborted: halt ends it
	case a.Error == "":
		s.end(d, Delivered, "")
	case !a.again:
		s.end(d, Failed, a.Error)
	case len(d.Attempts) >= retries.Attempts:
		s.end(d, Failed, "given up after "+plural.Count(len(d.Attempts), "attempt")+": "+a.Error)
	default:
		longest := time.Duration(retries.Max)
		wait := min(time.Duration(retries.Backoff)<<(len(d.Attempts)-1), longest)
		d.notBefore = time.Now().Add(max(wait, min(a.retryAfter, longest)))
	}
}
