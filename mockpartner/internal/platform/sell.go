package platform

import (
	"errors"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
)

// ErrPolicy is returned when a new catalog has a policy other than the platform's.
var ErrPolicy = errors.New("a catalog that is sold from now on has no other policy (noHolds, noCancel, noTickets, codes) than the one before: leave it out")

// Sell replaces the catalog. Slots in use, holds and bookings stay as they are. If their option is
// in the new catalog, they belong to its new form. If not, they can still be released, confirmed
// and cancelled. Products that change get the clock's time as their updatedAt (PRD-14). The error
// is ErrPolicy if the catalog's policy is not the platform's, or the error of
// catalog.Index.Replace.
func (p *Platform) Sell(c *catalog.Catalog) error {
	if c.Policy != (catalog.Policy{}) && c.Policy != p.stock.conduct.Load().Policy {
		return ErrPolicy
	}
	return p.SellInstead(func(sold *catalog.Index, now time.Time) (*catalog.Index, error) {
		return sold.Replace(c, now)
	})
}

// SellInstead replaces the catalog with the result of change, as Sell does. Calls of other methods
// continue while change runs.
func (p *Platform) SellInstead(change func(sold *catalog.Index, now time.Time) (*catalog.Index, error)) error {
	p.selling.Lock()
	defer p.selling.Unlock()
	sold := p.Catalog()
	next, err := change(sold, p.Now())
	if err != nil || next == sold {
		return err
	}
	p.life.enter()
	defer p.life.mu.Unlock()
	p.stock.sold.Store(next)
	p.stock.state.move(next)
	clear(p.stock.versions)
	p.stock.restored++ // earlier answers may be stale now
	p.stock.announce(Change{Cause: client.CatalogChanged})
	return nil
}

// move updates everything that belongs to an option to the option's form in the new catalog. Its
// time grows with the number of entries that change.
func (s *state) move(sold *catalog.Index) {
	moved := map[slotKey]slotKey{}
	to := func(key slotKey) (slotKey, bool) {
		next, known := moved[key]
		if !known {
			next = key.inCatalog(sold)
			moved[key] = next
		}
		return next, next != key
	}
	s.slots.move(to)
	s.ledger.tallies.move(to)
	change(s.ledger.promises, func(p ledgerEntry) (ledgerEntry, bool) {
		key, moves := to(p.slot)
		p.slot = key
		return p, moves
	})
	change(s.bookings, func(b *storedBooking) (*storedBooking, bool) {
		key, moves := to(b.slot)
		if !moves {
			return b, false
		}
		next := *b
		next.slot = key
		return &next, true
	})
	holds := func(h *storedHold) (*storedHold, bool) {
		key, moves := to(h.slot)
		if !moves {
			return h, false
		}
		next := *h
		next.slot = key
		return &next, true
	}
	change(s.holds, holds)
	for _, h := range s.expiring.Items() {
		if next, moves := holds(h); moves {
			s.expiring.Set(next)
		}
	}
	late := make([]lateMove, len(s.late)) // forked states share the old list
	for i, m := range s.late {
		m.slot, _ = to(m.slot)
		late[i] = m
	}
	s.late = late
}

// inCatalog returns the same slot in that catalog, or the slot unchanged if the catalog does not have it.
func (k slotKey) inCatalog(sold *catalog.Index) slotKey {
	if k.option == nil {
		return k
	}
	product, ok := sold.Product(k.option.Product.ID)
	if !ok {
		return k
	}
	next := k
	if next.option, ok = product.Option(k.option.ID); !ok {
		return k
	}
	if _, ok := next.span(); !ok {
		return k
	}
	return next
}

func (t slotTable[V]) move(to func(slotKey) (slotKey, bool)) {
	for _, entry := range t.tree.Items() {
		if key, moves := to(entry.key); moves {
			t.set(key, entry.value) // the key has the same ids, so this replaces the old entry
		}
	}
}

func change[V any](t table[string, V], next func(V) (V, bool)) {
	for _, key := range t.Keys() {
		value, _ := t.Get(key)
		if value, changes := next(value); changes {
			t.Set(key, value)
		}
	}
}
