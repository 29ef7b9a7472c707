package suite

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"time"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// DefaultMaxDuration is how long a run may take before what is left is given up.
const DefaultMaxDuration = 150 * time.Second

const (
	// MostStories bounds the random lifecycles of a run.
	MostStories = 1000
	// LargestSeed bounds their seeds: every reader of JSON takes it for what it is.
	LargestSeed = 1<<53 - 1
)

// Config is a partner to be judged, and how.
type Config struct {
	BaseURL               *url.URL
	AuthType              partnerapi.AuthType // "": bearer
	AuthKey               string
	HandlesTicketDelivery bool           // the partner is registered as delivering its own tickets
	ClockURL              string         // "": the target's clock cannot be moved
	IncludeSlow           bool           // holds are waited for until they expire, where there is no clock; else expiry is not judged
	RootCAs               *x509.CertPool // nil: the system's
	MaxDuration           time.Duration  // 0: DefaultMaxDuration; waiting for holds, and undoing them and bookings, come on top of it
	LabelFilter           string         // Ginkgo's label filter over rule ids, levels and endpoints; "": all
	Rules                 []string       // ids: only these are judged, as far as the filter fits them too; nil: all
	FailFast              bool           // nothing more is judged after the first MUST rule that failed
	Baseline              *baseline.Baseline
	Strict                bool           // an inconclusive rule makes the verdict incomplete
	NoRaces               bool           // no calls are sent at the same time: what they come to is not judged
	Bounds                Bounds         // of what the run does to the platform
	Explore               int            // how many random lifecycles are played, at most MostStories
	Seed                  uint64         // 0: 1; of the first of them, each further one has the next
	Ledger                *ledger.Ledger // of all holds and bookings; nil: it is kept in memory only
	LimitScale            float64        // 0: 1; the contract's limits are multiplied by it, for the suite's own tests
	Version               string         // of the suite, for the report and the User-Agent
	GinkgoOutput          bool           // Ginkgo's own output is shown
	Progress              func(report.RuleResult)
	Waiting               func(until time.Time) // told before the run waits for holds to expire
}

// Check says what is wrong with a configuration, or nil.
func (c Config) Check() error {
	switch {
	case c.BaseURL == nil:
		return errors.New("the base URL is missing: want the partner's address")
	case c.AuthKey == "":
		return errors.New("the key is missing: want the one that the partner registered")
	case c.Explore < 0 || c.Explore > MostStories:
		return fmt.Errorf("--explore %d: want from 0 to %d", c.Explore, MostStories)
	case c.Seed > LargestSeed:
		return fmt.Errorf("--seed %d: want at most %d", c.Seed, uint64(LargestSeed))
	}
	if err := c.Bounds.check(time.Now(), c.ClockURL != ""); err != nil {
		return err
	}
	_, err := plan.Choose(c.LabelFilter, c.Rules)
	return err
}

// Judged returns the ids of the rules that a run judges, in the catalogue's order.
func (c Config) Judged() (ids []string) {
	chosen, err := plan.Choose(c.LabelFilter, c.Rules)
	if err != nil {
		return nil // Check says why
	}
	for _, r := range rule.All() {
		if chosen.Judged[r.ID] {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func (c Config) withDefaults() Config {
	if c.AuthType == "" {
		c.AuthType = partnerapi.Bearer
	}
	if c.MaxDuration == 0 {
		c.MaxDuration = DefaultMaxDuration
	}
	if c.Seed == 0 {
		c.Seed = 1
	}
	c.Bounds = c.Bounds.forStories(c.Explore)
	if c.LimitScale == 0 {
		c.LimitScale = 1
	}
	if c.Ledger == nil {
		c.Ledger = ledger.New()
	}
	if c.Version == "" {
		c.Version = "devel"
	}
	if c.Progress == nil {
		c.Progress = func(report.RuleResult) {}
	}
	if c.Waiting == nil {
		c.Waiting = func(time.Time) {}
	}
	return c
}
