package webhook

import (
	"errors"
	"slices"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
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
	stop    func()     // ends the worker and waits for its end; nil: there is none
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

// outcome is how deliveries end.
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
