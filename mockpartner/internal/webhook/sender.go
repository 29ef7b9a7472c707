package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/itchyny/gojq"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/jq"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

// Config configures the target, the causes and the faults of webhooks.
type Config = script.Webhooks

// Sender sends the webhooks of one sandbox. Until it is configured it sends none and uses no
// resources. It is safe for concurrent use. Create it with New.
type Sender struct {
	platform *platform.Platform
	clock    *clock.Virtual
	blank    func(secret string)

	life    sync.Mutex // held while the sender is configured, turned off or closed; acquired before mu
	stop    func()     // stops the worker and waits for its end; nil if there is no worker
	closed  bool
	started Config // the config of the worker

	wake chan struct{} // signals a new entry in the queue

	mu       sync.Mutex
	config   *Config // nil if webhooks are off
	faults   *script.WebhookSet
	timers   []timer
	queue    []*delivery // unfinished deliveries, by number
	log      []*delivery // by number
	number   uint64      // of the newest delivery
	ended    map[outcome]int
	overflow int
	problems []string
	changed  chan struct{} // closed when a delivery ends
	over     bool          // no more deliveries will end
}

// A Sender returns these errors.
var (
	ErrOff    = errors.New("no webhooks are set up")
	ErrClosed = errors.New("the sandbox was deleted")
)

// forever stands for no timer.
const forever = time.Duration(1<<63 - 1)

func (s *Sender) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

type outcome struct {
	kind  client.WebhookKind
	state client.DeliveryState
}

func (s *Sender) note(problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordProblem(problem)
}

// recordProblem records a problem. s.mu must be locked.
func (s *Sender) recordProblem(problem string) {
	s.problems = append(s.problems, problem)
	if len(s.problems) > maxNoted {
		s.problems = slices.Delete(s.problems, 0, 1)
	}
}

const (
	// MaxQueue is the maximum number of unsent webhooks. Beyond it new ones are dropped and
	// counted.
	MaxQueue = 500
	// maxLog is the maximum number of recorded deliveries, including those in the queue.
	maxLog = 1000
	// maxNoted is the maximum number of recorded problems.
	maxNoted = 20
)

// end sets a delivery's final state. s.mu must be locked.
func (s *Sender) end(d *delivery, state client.DeliveryState, reason string) {
	d.State, d.Reason = state, reason
	s.queue = slices.DeleteFunc(s.queue, func(other *delivery) bool { return other == d })
	s.ended[outcome{d.Kind, state}]++
	s.signal()
}

// signal signals waiters that a delivery has ended. s.mu must be locked.
func (s *Sender) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// The states. All but Pending and Held are final.
const (
	Pending   client.DeliveryState = "pending"   // to be sent, or to be retried
	Held      client.DeliveryState = "held"      // held back by a fault until another one was sent
	Delivered client.DeliveryState = "delivered" // answered with 2xx
	Failed    client.DeliveryState = "failed"    // answered with another status, or retried as often as allowed
	Dropped   client.DeliveryState = "dropped"   // never sent, or abandoned: see Reason
)

// States lists the states.
func States() []client.DeliveryState {
	return []client.DeliveryState{Pending, Held, Delivered, Failed, Dropped}
}

// These causes of a delivery add to those of package platform.
const (
	Scheduled client.Cause = "schedule" // due by the clock
	Asked     client.Cause = "request"  // requested through the API
)

// attempt is a call with what decides whether another one follows.
type attempt struct {
	client.Attempt
	again      bool          // a retry may succeed
	retryAfter time.Duration // requested by the marketplace; 0 if it was not
}

type delivery struct {
	client.Delivery
	subject   script.WebhookSubject
	secret    string // sent in place of the secret; see Presents
	notBefore time.Time
	holdBack  script.HoldBack // empty means that it is not held back
	behind    *delivery       // the delivery that a held delivery waits for
}

func trigger(cause client.Cause, at time.Time) webhookEvent {
	return webhookEvent{subject: script.WebhookSubject{Kind: client.Trigger}, cause: cause, at: at}
}

type webhookEvent struct {
	subject       script.WebhookSubject
	cause         client.Cause
	at            time.Time
	before, after partnerapi.Notification
}

func notification(cause client.Cause, at time.Time, productID, optionID string, before, after partnerapi.Slot) webhookEvent {
	return webhookEvent{
		subject: script.WebhookSubject{Kind: client.Notify, Product: productID, Option: optionID, Slot: after.ID},
		cause:   cause,
		at:      at,
		before:  before.Notification(productID, optionID),
		after:   after.Notification(productID, optionID),
	}
}

// unknownMark is appended to an id to make it unknown to the marketplace.
const unknownMark = "-unknown"

// body returns the body of the webhook, nil for a trigger.
func (n webhookEvent) body(fault script.WebhookActions) (json.RawMessage, error) {
	if n.subject.Kind == client.Trigger {
		return nil, nil
	}
	payload := n.after
	if fault.Stale {
		payload = n.before
	}
	switch fault.Unknown {
	case script.UnknownProduct:
		payload.ProductID += unknownMark
	case script.UnknownOption:
		payload.OptionID += unknownMark
	case script.UnknownSlot:
		payload.AvailabilityID += unknownMark
	}
	body, err := json.Marshal(payload)
	if err != nil || fault.JQ == "" {
		return body, err
	}
	return transformBody(body, fault.JQ)
}

// transformBody returns the output of a jq program for a body. The program was compiled once before,
// when the fault was checked.
func transformBody(body []byte, program string) (json.RawMessage, error) {
	code, err := jq.Compile("jq", program)
	if err != nil {
		return nil, err
	}
	input, err := jq.Decode(body)
	if err != nil {
		return nil, err
	}
	output, err := code.Run(context.Background(), input)
	if err != nil {
		return nil, err
	}
	return gojq.Marshal(output)
}
