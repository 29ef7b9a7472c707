// Package webhook lets a mock partner notify a marketplace of changes. It calls POST
// {url}/sync/trigger when the catalog changes (WHK-1), and POST {url}/availability/notify when a
// slot changes (WHK-2).
//
// A Sender belongs to one sandbox. It receives changes from the platform, and keeps the resulting
// webhooks in a bounded queue. It sends them one after another, those of one slot in the order of
// its changes. If the marketplace cannot accept one, it retries. Faults, in the form that package
// script defines, drop, duplicate, delay, reorder or corrupt webhooks.
//
// The secret is sent only to the marketplace.
package webhook

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
)

// New returns a sender for the sandbox with that platform and clock. It passes the secret of every
// configuration to blank before use.
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

// Configure replaces the sender's configuration. Unsent webhooks of the previous one are dropped.
// Its error names the problem, without the secret.
func (s *Sender) Configure(c Config) error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed {
		return ErrClosed
	}
	c, err := c.WithDefaults()
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

// fromEnvironment returns the config with the secret from the environment variable that it names.
func fromEnvironment(c Config) (Config, error) {
	name := c.SecretEnv
	c.Secret, c.SecretEnv = script.Secret(os.Getenv(name)), ""
	if c.Secret == "" {
		return c, fmt.Errorf("secret_env: the environment variable %s is not set, or empty", name)
	}
	if _, err := c.WithDefaults(); err != nil {
		return c, fmt.Errorf("secret_env: what %s holds is no secret: %w", name, err)
	}
	return c, nil
}

// TurnOff stops the sending. Unsent webhooks and planned changes of slots are dropped. The deliveries
// stay on record.
func (s *Sender) TurnOff() {
	s.life.Lock()
	defer s.life.Unlock()
	s.halt()
	s.started = Config{}
}

// Restart forgets all deliveries, resets the faults' counts, and restarts the schedule, as if the
// sender had just been configured.
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
	if err != nil { // the slot belongs to a catalog that was replaced
		s.note(err.Error())
	}
	s.start(s.started, plan)
}

// Close stops the sending permanently, and releases all waiters.
func (s *Sender) Close() {
	s.life.Lock()
	defer s.life.Unlock()
	s.halt()
	s.closed, s.started = true, Config{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.signal()
}

// start starts a worker. s.life must be locked.
func (s *Sender) start(c Config, plan []platform.PlannedChange) {
	s.blank(string(c.Secret))
	s.started = c
	s.mu.Lock()
	s.config, s.faults = &c, script.NewWebhookSet(s.platform.Seed(), c.Faults)
	s.timers = timersOf(c.Schedule, s.clock.Now())
	s.mu.Unlock()
	s.platform.Observe(s.observe)
	if err := s.platform.Plan(plan); err != nil {
		s.note(err.Error()) // the catalog was replaced concurrently
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

// halt stops the worker, if there is one. s.life must be locked.
func (s *Sender) halt() {
	if s.stop == nil {
		return
	}
	s.platform.Observe(nil)
	_ = s.platform.Plan(nil) // removing the plan cannot fail
	s.stop()
	s.stop = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config, s.faults, s.timers = nil, nil, nil
	for _, d := range slices.Clone(s.queue) {
		s.end(d, Dropped, "the webhooks were reconfigured or turned off")
	}
}

// maxNap is the maximum sleep of the worker while the clock runs, because the base clock may be
// moved.
const maxNap = time.Second

// run sends what is in the queue, and does what is due by the clock.
func (s *Sender) run(ctx context.Context, post *post) {
	for ctx.Err() == nil {
		moved := s.clock.NextMove() // before the time is read
		nap := s.tick()
		d, soon := s.nextDelivery(time.Now())
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

// Status is the configuration of a sender, and the outcomes of its webhooks.
type Status struct {
	Config *Config `json:"config,omitempty"` // without the secret; absent if webhooks are off
	// Counts cover the time since the sender was created or restarted.
	Counts client.DeliveryCounts `json:"counts"`
	// Faults are the config's, with their counters.
	Faults []script.ArmedWebhookFault `json:"faults"`
	// These problems prevented planned changes.
	Problems   []string          `json:"problems"`
	Deliveries []client.Delivery `json:"deliveries"` // the oldest first
}

// Filter selects deliveries; zero values match everything.
type Filter struct {
	Kind  client.WebhookKind
	State client.DeliveryState
}

func (f Filter) keeps(kind client.WebhookKind, state client.DeliveryState) bool {
	return (f.Kind == "" || f.Kind == kind) && (f.State == "" || f.State == state)
}

// view returns a copy of the delivery. The sender's mu must be locked.
func (d *delivery) view() client.Delivery {
	shown := d.Delivery
	shown.Attempts = append([]client.Attempt{}, d.Attempts...)
	return shown
}

// Status returns the sender's status, with the newest matching deliveries, at most limit.
func (s *Sender) Status(f Filter, limit int) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{
		Counts: client.DeliveryCounts{
			Waiting:   len(s.queue),
			Delivered: s.count(Filter{State: Delivered}),
			Failed:    s.count(Filter{State: Failed}),
			Dropped:   s.count(Filter{State: Dropped}),
			Overflow:  s.overflow,
		},
		Faults:     []script.ArmedWebhookFault{},
		Problems:   append([]string{}, s.problems...),
		Deliveries: []client.Delivery{},
	}
	if s.config != nil {
		config := *s.config
		config.Faults = nil // they are returned separately, with their counters
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

// count counts the matching deliveries that have ended. s.mu must be locked.
func (s *Sender) count(f Filter) (n int) {
	for o, times := range s.ended {
		if f.keeps(o.kind, o.state) {
			n += times
		}
	}
	return n
}

// Wait waits until n matching deliveries have ended, and returns how many have. The number is lower
// if the context or the sender ends first.
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
