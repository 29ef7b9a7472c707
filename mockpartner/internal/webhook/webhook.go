// Package webhook lets a mock partner push to a marketplace what changes: it
// calls POST {url}/sync/trigger when the catalog does (WHK-1), and
// POST {url}/availability/notify when a slot does (WHK-2).
//
// A Sender belongs to one sandbox. It is told of changes by the platform, keeps
// the webhooks that follow from them in a bounded queue, and sends them one after
// another, those of one slot in the order of its changes. What the marketplace
// cannot take it tries again. Faults, in the vocabulary of package script, lose
// webhooks, send them twice, late, out of order, or with what is wrong.
//
// The secret goes to the marketplace and nowhere else.
package webhook

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
)

// New returns a sender for the sandbox of that platform and clock. The secret of
// every set-up is told to blank first.
func New(p *platform.Platform, clock *clock.Virtual, blank func(secret string)) *Sender {
	return &Sender{
		platform: p,
		clock:    clock,
		blank:    blank,
		wake:     make(chan struct{}, 1),
		ended:    map[outcome]int{},
		changed:  make(chan struct{}),
	}
}

// Configure sets the sender up, in place of what was set up before; what of that
// was still to be sent is dropped. Its error names what is wrong, without the
// secret.
func (s *Sender) Configure(c Config) error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed {
		return ErrClosed
	}
	c, err := c.Ready()
	if err != nil {
		return err
	}
	if c.SecretEnv != "" {
		if c, err = fromEnvironment(c); err != nil {
			return err
		}
	}
	plan, err := s.plan(c.Schedule)
	if err != nil {
		return err
	}
	s.halt()
	s.start(c, plan)
	return nil
}

// fromEnvironment returns the config with the secret that it names a variable of.
func fromEnvironment(c Config) (Config, error) {
	name := c.SecretEnv
	c.Secret, c.SecretEnv = script.Secret(os.Getenv(name)), ""
	if c.Secret == "" {
		return c, fmt.Errorf("secret_env: the environment variable %s is not set, or empty", name)
	}
	if _, err := c.Ready(); err != nil {
		return c, fmt.Errorf("secret_env: what %s holds is no secret: %w", name, err)
	}
	return c, nil
}

// Off ends the sending; what was still to be sent is dropped, and so are planned
// changes of slots. The deliveries stay on record.
func (s *Sender) Off() {
	s.life.Lock()
	defer s.life.Unlock()
	s.halt()
	s.started = Config{}
}

// Restart forgets all deliveries, resets the faults' counts, and lets the schedule
// begin again, as if the sender had been set up just now.
func (s *Sender) Restart() {
	s.life.Lock()
	defer s.life.Unlock()
	running := s.stop != nil
	s.halt()
	s.mu.Lock()
	s.log, s.problems, s.overflow = nil, nil, 0
	clear(s.ended)
	s.mu.Unlock()
	if !running {
		return
	}
	plan, err := s.plan(s.started.Schedule)
	if err != nil { // it was of a catalog that is not sold now
		s.note(err.Error())
	}
	s.start(s.started, plan)
}

// Close ends the sending for good, and dismisses all who wait.
func (s *Sender) Close() {
	s.life.Lock()
	defer s.life.Unlock()
	s.halt()
	s.closed, s.started = true, Config{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.tell()
}

// start starts a worker. It wants life.
func (s *Sender) start(c Config, plan []platform.PlannedChange) {
	s.blank(string(c.Secret))
	s.started = c
	s.mu.Lock()
	s.config, s.faults = &c, script.NewWebhookSet(s.platform.Seed(), c.Faults)
	s.timers = timersOf(c.Schedule, s.clock.Now())
	s.mu.Unlock()
	s.platform.Observe(s.observe)
	if err := s.platform.Plan(plan); err != nil {
		s.note(err.Error()) // the catalog has changed this very moment
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.stop = func() {
		cancel()
		<-done
	}
	go func() {
		defer close(done)
		post := newPost(c)
		defer post.close()
		s.run(ctx, post)
	}()
}

// halt ends the worker, if there is one. It wants life.
func (s *Sender) halt() {
	if s.stop == nil {
		return
	}
	s.platform.Observe(nil)
	_ = s.platform.Plan(nil) // nothing can be wrong with no plan
	s.stop()
	s.stop = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config, s.faults, s.timers = nil, nil, nil
	for _, d := range slices.Clone(s.queue) {
		s.end(d, Dropped, "the webhooks were reconfigured or turned off")
	}
}

// maxNap is how long the worker sleeps at most while the clock runs: the clock
// beneath may be one that is moved.
const maxNap = time.Second

// run sends what is in the queue, and does what the clock has come to.
func (s *Sender) run(ctx context.Context, post *post) {
	for ctx.Err() == nil {
		moved := s.clock.Moved() // before the time is read
		nap := s.tick()
		d, soon := s.next(time.Now())
		if d != nil {
			s.settle(d, post.attempt(ctx, d), ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(nap, soon)):
		case <-moved:
		case <-s.wake:
		}
	}
}

// Status is how a sender is set up, and what became of its webhooks.
type Status struct {
	Config *Config `json:"config,omitempty"` // without the secret; absent: off
	// Counts are of all since the sender was made or restarted.
	Counts Counts `json:"counts"`
	// Faults are the config's, with their counters.
	Faults []script.ArmedWebhookFault `json:"faults"`
	// Problems kept planned changes from being made.
	Problems   []string   `json:"problems"`
	Deliveries []Delivery `json:"deliveries"` // the oldest first
}

// Counts tell how deliveries have ended.
type Counts struct {
	Waiting   int `json:"waiting"` // have not ended
	Delivered int `json:"delivered"`
	Failed    int `json:"failed"`
	Dropped   int `json:"dropped"`
	Overflow  int `json:"overflow"` // of those dropped, the ones that the queue had no room for
}

// Filter says which deliveries are meant; zero values do not choose.
type Filter struct {
	Kind  script.WebhookKind
	State State
}

func (f Filter) keeps(kind script.WebhookKind, state State) bool {
	return (f.Kind == "" || f.Kind == kind) && (f.State == "" || f.State == state)
}

// view returns the delivery for others to keep. It wants the sender's mu.
func (d *delivery) view() Delivery {
	shown := d.Delivery
	shown.Attempts = append([]Attempt{}, d.Attempts...)
	return shown
}

// Status returns the sender's status, with the newest deliveries that the filter
// keeps, at most limit.
func (s *Sender) Status(f Filter, limit int) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{
		Counts: Counts{
			Waiting:   len(s.queue),
			Delivered: s.count(Filter{State: Delivered}),
			Failed:    s.count(Filter{State: Failed}),
			Dropped:   s.count(Filter{State: Dropped}),
			Overflow:  s.overflow,
		},
		Faults:     []script.ArmedWebhookFault{},
		Problems:   append([]string{}, s.problems...),
		Deliveries: []Delivery{},
	}
	if s.config != nil {
		config := *s.config
		config.Faults = nil // they stand beside it, with their counters
		status.Config, status.Faults = &config, s.faults.Faults()
	}
	for _, d := range slices.Backward(s.log) {
		if len(status.Deliveries) < limit && f.keeps(d.Kind, d.State) {
			status.Deliveries = append(status.Deliveries, d.view())
		}
	}
	slices.Reverse(status.Deliveries)
	return status
}

// count counts the deliveries that have ended. It wants mu.
func (s *Sender) count(f Filter) (n int) {
	for o, times := range s.ended {
		if f.keeps(o.kind, o.state) {
			n += times
		}
	}
	return n
}

// Wait waits until so many deliveries have ended that the filter keeps, and
// returns how many have; fewer where the context or the sender ends first.
func (s *Sender) Wait(ctx context.Context, f Filter, n int) int {
	for {
		s.mu.Lock()
		seen, changed, over := s.count(f), s.changed, s.over
		s.mu.Unlock()
		if seen >= n || over {
			return seen
		}
		select {
		case <-ctx.Done():
			return seen
		case <-changed:
		}
	}
}
