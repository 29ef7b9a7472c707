package platform

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
)

// Conduct is how a platform does business: which of the contract's optional
// features it lacks, how long its holds live, and how it misbehaves.
type Conduct struct {
	Policy catalog.Policy
	// HoldFor is how long a hold lives, at least a second; 0 means
	// DefaultHoldFor. A policy with NoHolds overrides it.
	HoldFor time.Duration
	// Quirks are held against a case in their order; the first that is about it
	// is the only one.
	Quirks []Quirk
}

// check returns the conduct with its defaults filled in, or what is wrong with it.
func (c Conduct) check() (*Conduct, error) {
	if c.HoldFor == 0 {
		c.HoldFor = DefaultHoldFor
	}
	if c.HoldFor < time.Second {
		return nil, fmt.Errorf("holds must live at least 1s, got %s", c.HoldFor)
	}
	if err := c.Policy.Check(); err != nil {
		return nil, fmt.Errorf("policy codes: %w", err)
	}
	if len(c.Quirks) > MaxQuirks {
		return nil, fmt.Errorf("quirks: want at most %d, got %d", MaxQuirks, len(c.Quirks))
	}
	for i, q := range c.Quirks {
		if err := q.Check(); err != nil {
			return nil, fmt.Errorf("quirks[%d].%w", i, err)
		}
	}
	return &c, nil
}

// Policy returns which optional features the platform lacks.
func (p *Platform) Policy() catalog.Policy { return p.conduct.Load().Policy }

// Conduct returns how the platform does business. Its quirks must not be changed.
func (p *Platform) Conduct() Conduct { return *p.conduct.Load() }

// Behave changes how the platform does business from now on; what was held and
// booked before stays as it is. Its error names what is wrong.
func (p *Platform) Behave(c Conduct) error {
	checked, err := c.check()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conduct.Store(checked)
	p.restored++ // what was said before may be said otherwise now
	return nil
}

// on returns the first quirk about a case at a slot; its zero value is none.
func (p *Platform) on(c Case, key slotKey, now time.Time) Quirk {
	for _, q := range p.conduct.Load().Quirks {
		if q.On == c && p.concerns(q, key, now) {
			return q
		}
	}
	return Quirk{}
}

// reuses reports whether ids of that kind are given out again.
func (p *Platform) reuses(what Reuse, key slotKey, now time.Time) bool {
	for _, q := range p.conduct.Load().Quirks {
		if q.Reuse == what && p.concerns(q, key, now) {
			return true
		}
	}
	return false
}

// concerns reports whether the quirk is about the slot. One that is confined to
// a product, an option or some slots is not about a slot that is not known.
func (p *Platform) concerns(q Quirk, key slotKey, now time.Time) bool {
	if q.Product == "" && q.Option == "" && q.FromDay == 0 && !q.OnceFull && !q.OnceCancelled {
		return true
	}
	if key.option == nil || !p.within(q, key.option) {
		return false
	}
	if seen := p.slot(key); q.OnceFull && !seen.wasFull || q.OnceCancelled && !seen.wasCancelled {
		return false
	}
	today := dayNumber(now.In(key.option.Product.Location))
	return key.day >= today+int64(q.FromDay)
}

// watchesFull reports whether a quirk wants to know which slots have been full.
func (p *Platform) watchesFull() bool {
	return slices.ContainsFunc(p.conduct.Load().Quirks, func(q Quirk) bool { return q.OnceFull })
}

// watchesCancelled reports whether a quirk wants to know of which slots bookings
// have been cancelled.
func (p *Platform) watchesCancelled() bool {
	return slices.ContainsFunc(p.conduct.Load().Quirks, func(q Quirk) bool { return q.OnceCancelled })
}

// within reports whether the quirk is about the option.
func (p *Platform) within(q Quirk, option *catalog.IndexedOption) bool {
	return p.withinProduct(q, option.Product) &&
		(q.Option == "" || q.Option == option.ID || q.Option == Last && option.ID == option.Product.Options[len(option.Product.Options)-1].ID)
}

// withinProduct reports whether the quirk is about the product or one of its options.
func (p *Platform) withinProduct(q Quirk, product *catalog.IndexedProduct) bool {
	products := p.Catalog().Products
	return q.Product == "" || q.Product == product.ID || q.Product == Last && product.ID == products[len(products)-1].ID
}
