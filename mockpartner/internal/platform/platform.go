// Package platform is the business logic behind a mock partner's endpoints. It computes slots from
// a catalog, keeps holds and bookings, and counts seats. It does not depend on HTTP.
//
// A Platform is one partner with its own state. All its methods are safe for concurrent use and
// atomic. One lock serializes them, so that a seat is never sold twice. Time comes from a Clock and
// everything else from a seed. Two platforms with equal catalogs, seeds, times and calls give equal
// answers, in every process.
//
// Slots are computed, and stored only once a hold, a booking or a test uses them. Holds expire
// exactly at their expiresAt: every call first applies what is due by the clock.
//
// A ledger of what was promised to callers is separate from the seats themselves. Invariants
// compares the two.
package platform

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
)

// Config configures a platform.
type Config struct {
	Catalog *catalog.Index
	Clock   clock.Clock
	Seed    uint64
	// HoldFor is how long a hold lasts, at least a second; 0 means DefaultHoldFor. A policy with
	// NoHolds overrides it.
	HoldFor time.Duration
}

// Platform is one partner's business logic. Create it with New.
type Platform struct {
	selling sync.Mutex // held while the catalog is replaced; acquired before the lifecycle's lock
	stock   *inventory
	life    *lifecycle
}

// New returns a platform without holds or bookings.
func New(c Config) (*Platform, error) {
	if c.Catalog == nil || c.Clock == nil {
		return nil, errors.New("a platform needs a catalog and a clock")
	}
	checked, err := Conduct{Policy: c.Catalog.Policy, HoldFor: c.HoldFor}.check()
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

// Catalog returns the current catalog.
func (p *Platform) Catalog() *catalog.Index { return p.stock.catalog() }

// Seed returns the seed of everything that is drawn.
func (p *Platform) Seed() uint64 { return uint64(p.stock.seed) }

// Now returns the platform's time.
func (p *Platform) Now() time.Time { return p.stock.now() }

// Conduct returns the platform's current conduct. Its quirks must not be changed.
func (p *Platform) Conduct() Conduct { return *p.stock.conduct.Load() }

// Behave changes the platform's conduct from now on. Earlier holds and bookings do not change. Its
// error names the invalid part.
func (p *Platform) Behave(c Conduct) error {
	checked, err := c.check()
	if err != nil {
		return err
	}
	p.life.mu.Lock()
	defer p.life.mu.Unlock()
	p.stock.conduct.Store(checked)
	p.stock.restored++ // earlier answers may be stale now
	return nil
}

// Kind is the reason of a refusal.
type Kind string

const (
	// UnknownID means that the product, option, slot or unit does not exist.
	UnknownID Kind = "unknown_id"
	// BadRequest means that the request is invalid, such as a window that ends before it starts.
	BadRequest Kind = "bad_request"
	// Unavailable means that the slot cannot be booked, or has too few seats (RSV-5).
	Unavailable Kind = "unavailable"
	// NoLiveHold means that the code is unknown, released, expired or cancelled (CNF-5).
	NoLiveHold Kind = "no_live_hold"
	// Taken means that the code that the caller chose belongs to another order.
	Taken Kind = "taken"
	// Full means that the platform has reached its maximum of holds and bookings.
	Full Kind = "full"
)

// Refusal is the error of a request that the platform refuses. A refused request changes nothing.
type Refusal struct {
	Kind    Kind
	Message string // for the customer or the caller, never empty
}

func (r *Refusal) Error() string { return r.Message }

func refuse(kind Kind, format string, args ...any) error {
	return &Refusal{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Conduct is how a platform does business: which of the contract's optional features it lacks, how
// long its holds last, and how it misbehaves.
type Conduct struct {
	Policy catalog.Policy
	// HoldFor is how long a hold lasts, at least a second; 0 means DefaultHoldFor. A policy with
	// NoHolds overrides it.
	HoldFor time.Duration
	// Quirks are tried in order. Only the first one that applies to a case takes effect.
	Quirks []Quirk

	counts bool // whether a quirk needs counts of cases
}

// check returns the conduct with its defaults filled in, or an error that names the invalid part.
func (c Conduct) check() (*Conduct, error) {
	if c.HoldFor == 0 {
		c.HoldFor = DefaultHoldFor
	}
	if c.HoldFor < time.Second {
		return nil, fmt.Errorf("holds must live at least 1s, received %s", c.HoldFor)
	}
	if err := c.Policy.Check(); err != nil {
		return nil, fmt.Errorf("policy codes: %w", err)
	}
	if len(c.Quirks) > MaxQuirks {
		return nil, fmt.Errorf("quirks: expected at most %d, received %d", MaxQuirks, len(c.Quirks))
	}
	c.Quirks = slices.Clone(c.Quirks)
	for i, q := range c.Quirks {
		if err := q.Check(); err != nil {
			return nil, fmt.Errorf("quirks[%d].%w", i, err)
		}
		c.Quirks[i], _ = q.compile() // Check has already validated it
		c.counts = c.counts || q.If != "" || q.Probability != 0 || q.On == OnPull || q.On == OnWindow
	}
	return &c, nil
}

// IdleQuirks returns the quirks that have not applied since the conduct was set.
func (c Conduct) IdleQuirks() (idle []Quirk) {
	for _, q := range c.Quirks {
		if !q.applied.Load() {
			idle = append(idle, q)
		}
	}
	return idle
}

func (c *Conduct) watchesFull() bool {
	return slices.ContainsFunc(c.Quirks, func(q Quirk) bool { return q.OnceFull })
}

// watchesCancelled reports whether a quirk needs to know which slots had a booking cancelled.
func (c *Conduct) watchesCancelled() bool {
	return slices.ContainsFunc(c.Quirks, func(q Quirk) bool { return q.OnceCancelled })
}

func (q Quirk) appliesTo(sold *catalog.Index, option *catalog.IndexedOption) bool {
	return q.withinProduct(sold, option.Product) &&
		(q.Option == "" || q.Option == option.ID || q.Option == First && option.ID == option.Product.Options[0].ID || q.Option == Last && option.ID == option.Product.Options[len(option.Product.Options)-1].ID)
}

func (q Quirk) withinProduct(sold *catalog.Index, product *catalog.IndexedProduct) bool {
	return q.Product == "" || q.Product == product.ID || q.Product == First && product.ID == sold.Products[0].ID || q.Product == Last && product.ID == sold.Products[len(sold.Products)-1].ID
}

// DefaultHoldFor is how long a hold lasts unless Config sets another duration.
const DefaultHoldFor = 20 * time.Minute
