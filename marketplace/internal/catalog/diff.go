package catalog

import (
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// Hash is a SHA-256.
type Hash = [sha256.Size]byte

// Stored contains an integration's stored activities by product id.
type Stored map[string]StoredActivity

// StoredActivity is the part of an activity that a sync needs.
type StoredActivity struct {
	ID         uuid.UUID
	Hash       Hash
	Active     bool // it was in the partner's catalog
	Variations map[string]StoredVariation
}

// StoredVariation is the part of a variation that a sync needs.
type StoredVariation struct {
	ID     uuid.UUID
	Sort   int
	Hash   Hash
	Active bool
}

// Changes are the rows that differ.
type Changes struct {
	Activities  []ActivityRow
	Variations  []VariationRow
	Gone        []uuid.UUID // activities that are missing from the catalog
	GoneOptions []uuid.UUID // variations that are missing from their product

	Created, Updated int // products
}

// IsEmpty reports whether nothing differs.
func (c *Changes) IsEmpty() bool {
	return len(c.Activities)+len(c.Variations)+len(c.Gone)+len(c.GoneOptions) == 0
}

// ActivityRow is an activity to write.
type ActivityRow struct {
	ID         uuid.UUID
	New        bool // otherwise the differences are written
	ExternalID string
	Title      string // for a new activity; later operators set it
	Product    json.RawMessage
	Hash       Hash
}

// VariationRow is a variation to write.
type VariationRow struct {
	ID         uuid.UUID
	New        bool // otherwise the differences are written
	ActivityID uuid.UUID
	ExternalID string
	Sort       int    // for a new variation
	Title      string // for a new variation
	Option     json.RawMessage
	Hash       Hash
}

// Diff returns how a catalog differs from what is stored. Only a full pull removes missing
// products. A product that was set aside is not missing. The order of units, options and products
// does not matter (GEN-4).
func Diff(stored Stored, c *Catalog, full bool) (*Changes, error) {
	changes := &Changes{}
	for _, product := range c.Products {
		if err := changes.product(stored, product); err != nil {
			return nil, err
		}
	}
	if full {
		for id, activity := range stored {
			if activity.Active && !c.present[id] {
				changes.Gone = append(changes.Gone, activity.ID)
			}
		}
		slices.SortFunc(changes.Gone, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	}
	return changes, nil
}

func (c *Changes) product(stored Stored, product Product) (err error) {
	activity, known := stored[product.ID]
	if !known {
		if activity.ID, err = uuid.NewV7(); err != nil { // ordered by time of creation
			return err
		}
		c.Created++
	}
	differs := !known || activity.Hash != product.Hash || !activity.Active
	if differs {
		c.Activities = append(c.Activities, ActivityRow{activity.ID, !known, product.ID, product.Name, product.Text, product.Hash})
	}
	changed, err := c.options(activity, product.Options)
	if known && (differs || changed) {
		c.Updated++
	}
	return err
}

// options adds the variations that differ, and reports whether any do.
func (c *Changes) options(activity StoredActivity, options []Option) (changed bool, err error) {
	present, last := make(map[string]bool, len(options)), 0
	for _, variation := range activity.Variations {
		last = max(last, variation.Sort)
	}
	for _, option := range options {
		present[option.ID] = true
		variation, known := activity.Variations[option.ID]
		if known && variation.Hash == option.Hash && variation.Active {
			continue
		}
		if !known {
			last++
			variation.Sort = last
			if variation.ID, err = uuid.NewV7(); err != nil {
				return changed, err
			}
		}
		changed = true
		c.Variations = append(c.Variations, VariationRow{variation.ID, !known, activity.ID, option.ID, variation.Sort, option.Name, option.Text, option.Hash})
	}
	for id, variation := range activity.Variations {
		if variation.Active && !present[id] {
			changed = true
			c.GoneOptions = append(c.GoneOptions, variation.ID)
		}
	}
	return changed, nil
}

// The guard's limits: a pull that would remove this many activities is more likely a partner's
// mistake than its intention.
const (
	guardShare = 0.5 // more than this share of the active activities,
	guardLeast = 5   // and at least this number
)

// Guard describes what the guard holds.
type Guard struct {
	WouldDeactivate int `json:"would_deactivate"`
	Of              int `json:"of"` // active activities
}

// checkGuard returns what the guard holds of the changes, or nil.
func checkGuard(stored Stored, changes *Changes) *Guard {
	active := 0
	for _, activity := range stored {
		if activity.Active {
			active++
		}
	}
	gone := len(changes.Gone)
	if gone < guardLeast || float64(gone) <= guardShare*float64(active) {
		return nil
	}
	return &Guard{WouldDeactivate: gone, Of: active}
}
