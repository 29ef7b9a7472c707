package webhook

import (
	"context"
	"slices"

	"partnerkit.dev/mockpartner/internal/script"
)

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

func (f Filter) keeps(d *delivery) bool {
	return (f.Kind == "" || f.Kind == d.Kind) && (f.State == "" || f.State == d.State)
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
	for i := len(s.log) - 1; i >= 0 && len(status.Deliveries) < limit; i-- {
		if f.keeps(s.log[i]) {
			status.Deliveries = append(status.Deliveries, s.log[i].view())
		}
	}
	slices.Reverse(status.Deliveries)
	return status
}

// count counts the deliveries that have ended. It wants mu.
func (s *Sender) count(f Filter) (n int) {
	for o, times := range s.ended {
		if (f.Kind == "" || f.Kind == o.kind) && (f.State == "" || f.State == o.state) {
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
