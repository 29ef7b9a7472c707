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
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
)

// Config is what a platform is made of.
type Config struct {
	Catalog *catalog.Index
	Clock   clock.Clock
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
	selling sync.Mutex // held while what is sold changes; it comes before the lifecycle's lock
	stock   *inventory
	life    *lifecycle
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
	return newPlatform(c.Clock, seed(c.Seed), maxHolds, newState(), c.Catalog, checked), nil
}

func newPlatform(clock clock.Clock, seed seed, most int, state state, sold *catalog.Index, conduct *Conduct) *Platform {
	stock := &inventory{clock: clock, seed: seed, state: state, versions: map[*catalog.IndexedOption]uint64{}}
	stock.sold.Store(sold)
	stock.conduct.Store(conduct)
	return &Platform{stock: stock, life: &lifecycle{stock: stock, most: most}}
}

// Catalog returns what the platform sells now.
func (p *Platform) Catalog() *catalog.Index { return p.stock.catalog() }

// Seed returns the seed of everything that is drawn.
func (p *Platform) Seed() uint64 { return uint64(p.stock.seed) }

// Now returns the platform's time.
func (p *Platform) Now() time.Time { return p.stock.now() }

// Conduct returns how the platform does business, and which optional features it lacks. Its quirks must not be changed.
func (p *Platform) Conduct() Conduct { return *p.stock.conduct.Load() }

// Behave changes how the platform does business from now on; what was held and
// booked before stays as it is. Its error names what is wrong.
func (p *Platform) Behave(c Conduct) error {
	checked, err := c.check()
	if err != nil {
		return err
	}
	p.life.mu.Lock()
	defer p.life.mu.Unlock()
	p.stock.conduct.Store(checked)
	p.stock.restored++ // what was said before may be said otherwise now
	return nil
}
