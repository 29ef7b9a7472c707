package suite

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync/atomic"
	"time"

	"partnerkit.dev/conformance/ledger"
	"partnerkit.dev/conformance/probe"
)

// session is one run: what it knows, what it has found, and what it has to undo.
type session struct {
	config   Config
	client   *probe.Client
	paces    paces
	ledger   *ledger.Ledger
	verdicts *verdicts
	findings findings
	clock    *clock
	started  time.Time
	deadline time.Time
	nonce    string // tells this run's unknown codes and references from any other's
	stopped  atomic.Bool

	survey       *survey // nil until it was made
	clockTrouble error   // why the target's clock cannot be used

	played   map[string]any  // the stories so far, by name and attempt
	used     map[string]bool // the slots that stories were played on
	reserved bool            // a hold was made
	noOffer  bool            // nothing was found that could be booked
	noCancel bool            // the partner takes no cancellations
	holdless bool            // the partner keeps no seats for holds
	bookings int             // made so far
}

func newSession(config Config) *session {
	nonce := make([]byte, 6)
	_, _ = rand.Read(nonce) // never fails
	s := &session{
		config: config,
		client: probe.NewClient(probe.Config{
			BaseURL: config.BaseURL, AuthType: config.AuthType, AuthKey: config.AuthKey,
			RootCAs: config.RootCAs, UserAgent: "partnerkit-conformance/" + config.Version,
		}),
		paces:    newPaces(config.LimitScale),
		ledger:   &ledger.Ledger{},
		verdicts: newVerdicts(),
		findings: findings{},
		started:  time.Now(),
		nonce:    hex.EncodeToString(nonce),
		played:   map[string]any{},
		used:     map[string]bool{},
	}
	s.deadline = s.started.Add(config.MaxDuration)
	s.clock = newClock(config.ClockURL)
	return s
}

// within returns a context that ends with ctx, and at the run's deadline.
func (s *session) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, s.deadline)
}

// spentShare is how much of the run's time is gone, from 0 to 1.
func (s *session) spentShare() float64 {
	return float64(time.Since(s.started)) / float64(s.config.MaxDuration)
}

// interrupted reports whether the user, or a signal, asked the run to end.
func (s *session) interrupted() bool { return s.stopped.Load() }

// now is the target's time, as far as it is known.
func (s *session) now() time.Time { return s.clock.now() }
