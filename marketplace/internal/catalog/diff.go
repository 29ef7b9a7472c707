package catalog

import (
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// Hash is a SHA-256.
type Hash = [sha256.Size]byte

// Stored is what is stored of an integration's activities, by the partner's ids.
type Stored map[string]StoredActivity

// StoredActivity is one of them, as far as a sync has to know it.
type StoredActivity struct {
	ID         uuid.UUID
	Hash       Hash
	Active     bool // it was in the partner's catalog
	Variations map[string]StoredVariation
}

// StoredVariation is one of its variations.
type StoredVariation struct {
	ID     uuid.UUID
	Sort   int
	Hash   Hash
	Active bool
}

// Changes are the rows that differ, and no other.
type Changes struct {
	Activities  []ActivityRow
	Variations  []VariationRow
	Gone        []uuid.UUID // activities that are not in the catalog any more
	GoneOptions []uuid.UUID // variations that are not in their product any more

	Created, Updated int // products
}

// None reports whether nothing differs.
func (c *Changes) None() bool {
	return len(c.Activities)+len(c.Variations)+len(c.Gone)+len(c.GoneOptions) == 0
}

// ActivityRow is an activity to be written.
type ActivityRow struct {
	ID         uuid.UUID
	New        bool // else what differs is written
	ExternalID string
	Title      string // of a new one; an operator's afterwards
	Product    json.RawMessage
	Hash       Hash
}

// VariationRow is a variation to be written.
type VariationRow struct {
	ID         uuid.UUID
	New        bool // else what differs is written
	ActivityID uuid.UUID
	ExternalID string
	Sort       int    // of a new one
	Title      string // of a new one
	Option     json.RawMessage
	Hash       Hash
}

// Diff finds what a catalog changes of what is stored. Only a full pull tells that a
// product is gone; a product that was set aside is still there. The order of units
// alone changes nothing (GEN-4), nor does that of products and options.
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
		if activity.ID, err = uuid.NewV7(); err != nil { // in the order of their making
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

// options adds the variations that differ, and reports whether there are any.
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

// The blast-radius guard: a pull that would take away so many activities is more
// likely a partner's mistake than its intention.
const (
	guardShare = 0.5 // more than this share of the active ones,
	guardLeast = 5   // and at least so many
)

// Guard is what the blast-radius guard holds back.
type Guard struct {
	WouldDeactivate int `json:"would_deactivate"`
	Of              int `json:"of"` // active activities
}

// guarded returns what the guard holds back of the changes, or nil.
func guarded(stored Stored, changes *Changes) *Guard {
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
