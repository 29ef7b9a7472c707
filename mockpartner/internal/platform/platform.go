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
	"sync"
	"sync/atomic"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
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
	Quirks []Quirk
}

// Platform is one partner's business. Use New.
type Platform struct {
	clock   Clock
	seed    uint64
	most    int // how many holds are remembered
	sold    atomic.Pointer[catalog.Index]
	conduct atomic.Pointer[Conduct]
	turn    atomic.Uint64 // how often something was shown that is another each time

	selling sync.Mutex // held while what is sold changes; it comes before mu

	mu    sync.Mutex
	state state
	// What was said of an option is stale once its version, or the number of
	// restores, is another.
	versions map[*catalog.IndexedOption]uint64
	restored uint64
	observe  func(Change) // nil: nobody does
}

// New returns a platform without holds or bookings.
func New(c Config) (*Platform, error) {
	if c.Catalog == nil || c.Clock == nil {
		return nil, errors.New("a platform needs a catalog and a clock")
	}
	conduct := Conduct{Policy: c.Catalog.Policy, HoldFor: c.HoldFor, Quirks: c.Quirks}
	if c.Policy != nil {
		conduct.Policy = *c.Policy
	}
	checked, err := conduct.check()
	if err != nil {
		return nil, err
	}
	p := &Platform{
		clock:    c.Clock,
		seed:     c.Seed,
		most:     maxHolds,
		state:    newState(),
		versions: map[*catalog.IndexedOption]uint64{},
	}
	p.sold.Store(c.Catalog)
	p.conduct.Store(checked)
	return p, nil
}

// Catalog returns what the platform sells now.
func (p *Platform) Catalog() *catalog.Index { return p.sold.Load() }

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

// option finds an option in the catalog. Where the platform is locked, the
// option stays the one that is sold.
func (p *Platform) option(productID, optionID string) (*catalog.IndexedOption, error) {
	product, ok := p.Catalog().Product(p.known(DriftProducts, productID))
	if !ok {
		return nil, refuse(UnknownID, "there is no product %q", productID)
	}
	option, ok := product.Option(p.known(DriftOptions, optionID))
	if !ok {
		return nil, refuse(UnknownID, "product %q has no option %q", productID, optionID)
	}
	return option, nil
}
