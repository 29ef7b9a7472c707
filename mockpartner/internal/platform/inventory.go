package platform

import (
	"sync/atomic"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
)

// inventory is the seats of a platform: its slots as the catalog, the seed, the
// calls and the quirks make them. What is not atomic wants the lifecycle's lock.
type inventory struct {
	clock   clock.Clock
	seed    seed
	sold    atomic.Pointer[catalog.Index]
	conduct atomic.Pointer[Conduct]
	turn    atomic.Uint64 // how often something was shown that is another each time

	state state
	// What was said of an option is stale once its version, or the number of
	// restores, is another.
	versions map[*catalog.IndexedOption]uint64
	restored uint64
	observe  func(Change) // nil: nobody does
}

func (inv *inventory) catalog() *catalog.Index { return inv.sold.Load() }

func (inv *inventory) now() time.Time { return inv.clock.Now() }

func (inv *inventory) slot(key slotKey) slot {
	if touched, ok := inv.state.slots.get(key); ok {
		return touched
	}
	return inv.seed.original(key)
}

// on returns the first quirk about a case at a slot; its zero value is none.
func (inv *inventory) on(c Case, key slotKey, now time.Time) Quirk {
	for _, q := range inv.conduct.Load().Quirks {
		if q.On == c && inv.concerns(q, key, now) {
			return q
		}
	}
	return Quirk{}
}

func (inv *inventory) reuses(what Reuse, key slotKey, now time.Time) bool {
	for _, q := range inv.conduct.Load().Quirks {
		if q.Reuse == what && inv.concerns(q, key, now) {
			return true
		}
	}
	return false
}

// concerns reports whether the quirk is about the slot. One that is confined to
// a product, an option or some slots is not about a slot that is not known.
func (inv *inventory) concerns(q Quirk, key slotKey, now time.Time) bool {
	if q.Product == "" && q.Option == "" && q.FromDay == 0 && !q.OnceFull && !q.OnceCancelled {
		return true
	}
	if key.option == nil || !q.within(inv.catalog(), key.option) {
		return false
	}
	if seen := inv.slot(key); q.OnceFull && !seen.wasFull || q.OnceCancelled && !seen.wasCancelled {
		return false
	}
	today := dayNumber(now.In(key.option.Product.Location))
	return key.day >= today+int64(q.FromDay)
}
