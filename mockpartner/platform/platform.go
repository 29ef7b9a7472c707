// Package platform is the business behind a mock partner's endpoints: it
// computes slots from a catalog, keeps holds and bookings, and counts seats. It
// knows nothing of HTTP.
//
// A Platform is one partner with its own state. All its methods are safe for
// concurrent use and atomic: one lock serializes them, so that a seat is never
// sold twice. Time comes from a Clock and all else from a seed: two platforms
// with equal catalogs, seeds, times and calls give equal answers, in every
// process.
//
// Slots are computed and not stored until a hold, a booking or a test touches
// them. Expired holds end at their expiresAt exactly: every call first settles
// what the clock has passed.
//
// A ledger of what was promised to callers is kept apart from the seats
// themselves; Invariants compares the two.
package platform

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/catalog"
)

// DefaultHoldFor is how long a hold lives unless Config says otherwise.
const DefaultHoldFor = 20 * time.Minute

// holdlessExpiry is how far ahead a partner without holds puts expiresAt (RSV-8).
const holdlessExpiry = 24 * time.Hour

// maxHolds bounds the holds that a platform remembers, with their bookings.
// Beyond it the holds that ended first are forgotten: their codes are unknown.
const maxHolds = 100_000

// Config is what a platform is made of.
type Config struct {
	Catalog *catalog.Index
	Clock   Clock
	Seed    uint64
	// HoldFor is how long a hold lives, at least a second; 0 means
	// DefaultHoldFor. A policy with NoHolds overrides it.
	HoldFor time.Duration
	// Policy overrides the catalog's; nil keeps it.
	Policy *catalog.Policy
}

// Platform is one partner's business. Use New.
type Platform struct {
	catalog *catalog.Index
	clock   Clock
	seed    uint64
	holdFor time.Duration
	policy  catalog.Policy
	most    int // how many holds are remembered

	mu    sync.Mutex
	state state
	// What was said of an option is stale once its version, or the number of
	// restores, is another.
	versions map[*catalog.IndexedOption]uint64
	restored uint64
}

// New returns a platform without holds or bookings.
func New(c Config) (*Platform, error) {
	if c.Catalog == nil || c.Clock == nil {
		return nil, errors.New("a platform needs a catalog and a clock")
	}
	if c.HoldFor == 0 {
		c.HoldFor = DefaultHoldFor
	}
	if c.HoldFor < time.Second {
		return nil, fmt.Errorf("holds must live at least 1s, got %s", c.HoldFor)
	}
	policy := c.Catalog.Policy
	if c.Policy != nil {
		policy = *c.Policy
	}
	if err := policy.Check(); err != nil {
		return nil, fmt.Errorf("policy codes: %w", err)
	}
	return &Platform{
		catalog:  c.Catalog,
		clock:    c.Clock,
		seed:     c.Seed,
		holdFor:  c.HoldFor,
		policy:   policy,
		most:     maxHolds,
		state:    newState(),
		versions: map[*catalog.IndexedOption]uint64{},
	}, nil
}

// Catalog returns what the platform sells.
func (p *Platform) Catalog() *catalog.Index { return p.catalog }

// Policy returns which optional features the platform lacks.
func (p *Platform) Policy() catalog.Policy { return p.policy }

// Seed returns the seed of everything that is drawn.
func (p *Platform) Seed() uint64 { return p.seed }

// Now returns the platform's time.
func (p *Platform) Now() time.Time { return p.clock.Now() }

// enter locks the platform and settles everything that the clock has passed.
func (p *Platform) enter() (now time.Time) {
	p.mu.Lock()
	now = p.clock.Now()
	p.settle(now)
	return now
}

// option finds an option in the catalog.
func (p *Platform) option(productID, optionID string) (*catalog.IndexedOption, error) {
	product, ok := p.catalog.Product(productID)
	if !ok {
		return nil, refuse(UnknownID, "there is no product %q", productID)
	}
	option, ok := product.Option(optionID)
	if !ok {
		return nil, refuse(UnknownID, "product %q has no option %q", productID, optionID)
	}
	return option, nil
}
