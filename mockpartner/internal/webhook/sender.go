package webhook

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

// Config says where webhooks go, what they tell of, and how they go wrong.
type Config = script.Webhooks

// Sender sends the webhooks of one sandbox; before it is set up it sends none, and
// costs nothing. It is safe for concurrent use; use New.
type Sender struct {
	platform *platform.Platform
	clock    *clock.Virtual
	blank    func(secret string)

	life    sync.Mutex // held while the sender is set up, turned off or closed; it comes before mu
	stop    func()     // ends the worker and waits for its end; nil if there is no worker
	closed  bool
	started Config // what the worker was started with

	wake chan struct{} // something came into the queue

	mu       sync.Mutex
	config   *Config // nil: off
	faults   *script.WebhookSet
	timers   []timer
	queue    []*delivery // those that have not ended, by number
	log      []*delivery // by number
	number   uint64      // of the last one
	ended    map[outcome]int
	overflow int
	problems []string
	changed  chan struct{} // closed when a delivery ends
	over     bool          // nothing will end any more
}

// What a Sender refuses.
var (
	ErrOff    = errors.New("no webhooks are set up")
	ErrClosed = errors.New("the sandbox is gone")
)

// forever is as good as no timer.
const forever = time.Duration(1<<63 - 1)

func (s *Sender) rouse() {
	select {
	case s.wake <- struct{}{}:
	default: // it has been woken and not looked yet
	}
}

type outcome struct {
	kind  script.WebhookKind
	state State
}

func (s *Sender) note(problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted(problem)
}

// noted keeps a problem on record. It wants mu.
func (s *Sender) noted(problem string) {
	s.problems = append(s.problems, problem)
	if len(s.problems) > maxNoted {
		s.problems = slices.Delete(s.problems, 0, 1)
	}
}

const (
	// MaxQueue bounds the webhooks that are still to be sent. Beyond it new ones
	// are dropped, and counted.
	MaxQueue = 500
	// maxLog bounds the deliveries on record, those in the queue among them.
	maxLog = 1000
	// maxNoted bounds the problems on record.
	maxNoted = 20
)

// end gives a delivery its final state. It wants mu.
func (s *Sender) end(d *delivery, state State, reason string) {
	d.State, d.Reason = state, reason
	s.queue = slices.DeleteFunc(s.queue, func(other *delivery) bool { return other == d })
	s.ended[outcome{d.Kind, state}]++
	s.tell()
}

// tell tells who waits that a delivery has ended. It wants mu.
func (s *Sender) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// State is where a delivery is.
type State string

// The states. All but Pending and Held are final.
const (
	Pending   State = "pending"   // still to be sent, or to be tried again
	Held      State = "held"      // kept back by a fault until another one was sent
	Delivered State = "delivered" // answered with 2xx
	Failed    State = "failed"    // answered otherwise, or tried as often as it may be
	Dropped   State = "dropped"   // never sent, or given up: see Reason
)

// States lists the states.
func States() []State { return []State{Pending, Held, Delivered, Failed, Dropped} }

// The causes of a delivery beside those of package platform.
const (
	Scheduled platform.Cause = "schedule" // the clock came to it
	Asked     platform.Cause = "request"  // somebody asked for it
)

// Delivery is one webhook and what became of it.
type Delivery struct {
	Number uint64             `json:"number"` // from 1, in the order of the changes
	Kind   script.WebhookKind `json:"kind"`
	Cause  platform.Cause     `json:"cause"`
	At     time.Time          `json:"at"`              // when it came up, by the sandbox's clock
	Body   json.RawMessage    `json:"body,omitempty"`  // a trigger has none
	Fault  string             `json:"fault,omitempty"` // the fault that fired
	State  State              `json:"state"`
	// Presents is set where a fault has another secret sent, or none.
	Presents script.SecretFault `json:"presents,omitempty"`
	Reason   string             `json:"reason,omitempty"` // why it was dropped or has failed
	Attempts []Attempt          `json:"attempts"`
}

// Attempt is one call of the marketplace.
type Attempt struct {
	At         time.Time `json:"at"` // in real time
	DurationMS int64     `json:"durationMs"`
	Status     int       `json:"status,omitempty"` // 0: there was no answer
	Answer     string    `json:"answer,omitempty"` // the beginning of its body
	Error      string    `json:"error,omitempty"`  // why there was no answer, or none to be taken

	again      bool          // it may go better another time
	retryAfter time.Duration // what the marketplace asks for; 0: nothing
}

type delivery struct {
	Delivery
	subject   script.WebhookSubject
	secret    string // what is presented in place of the secret; see Presents
	notBefore time.Time
	holdBack  script.HoldBack // empty: sent in its turn
	behind    *delivery       // the one that a delivery that is held back waits for
}

func trigger(cause platform.Cause, at time.Time) news {
	return news{subject: script.WebhookSubject{Kind: script.Trigger}, cause: cause, at: at}
}

type news struct {
	subject       script.WebhookSubject
	cause         platform.Cause
	at            time.Time
	before, after partnerapi.Notification
}

func notification(cause platform.Cause, at time.Time, productID, optionID string, before, after partnerapi.Slot) news {
	return news{
		subject: script.WebhookSubject{Kind: script.Notify, Product: productID, Option: optionID, Slot: after.ID},
		cause:   cause,
		at:      at,
		before:  before.Notification(productID, optionID),
		after:   after.Notification(productID, optionID),
	}
}

// unknownMark makes an id one that the marketplace cannot know.
const unknownMark = "-unknown"

// body returns what is sent of the news, nil for a trigger.
func (n news) body(fault script.WebhookActions) (json.RawMessage, error) {
	if n.subject.Kind == script.Trigger {
		return nil, nil
	}
	told := n.after
	if fault.Stale {
		told = n.before
	}
	switch fault.Unknown {
	case script.UnknownProduct:
		told.ProductID += unknownMark
	case script.UnknownOption:
		told.OptionID += unknownMark
	case script.UnknownSlot:
		told.AvailabilityID += unknownMark
	}
	return json.Marshal(told)
}
