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

// watchesFull reports whether a quirk wants to know which slots have been full.
func (c *Conduct) watchesFull() bool {
	return slices.ContainsFunc(c.Quirks, func(q Quirk) bool { return q.OnceFull })
}

// watchesCancelled reports whether a quirk wants to know of which slots bookings
// have been cancelled.
func (c *Conduct) watchesCancelled() bool {
	return slices.ContainsFunc(c.Quirks, func(q Quirk) bool { return q.OnceCancelled })
}

// within reports whether the quirk is about the option, as it is sold.
func (q Quirk) within(sold *catalog.Index, option *catalog.IndexedOption) bool {
	return q.withinProduct(sold, option.Product) &&
		(q.Option == "" || q.Option == option.ID || q.Option == Last && option.ID == option.Product.Options[len(option.Product.Options)-1].ID)
}

// withinProduct reports whether the quirk is about the product or one of its options.
func (q Quirk) withinProduct(sold *catalog.Index, product *catalog.IndexedProduct) bool {
	return q.Product == "" || q.Product == product.ID || q.Product == Last && product.ID == sold.Products[len(sold.Products)-1].ID
}

// DefaultHoldFor is how long a hold lives unless Config says otherwise.
const DefaultHoldFor = 20 * time.Minute
