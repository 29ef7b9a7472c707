package platform

import (
	"errors"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
)

// ErrPolicy is the error of a catalog with another policy than the platform's.
var ErrPolicy = errors.New("a catalog that is sold from now on has no other policy (noHolds, noCancel, noTickets, codes) than the one before: leave it out")

// Sell makes another catalog what is sold from now on. Slots in use, holds and
// bookings stay as they are: those of options that are sold still are theirs
// from now on, those of options that are gone can be released, confirmed and
// cancelled as before. Products that change have the clock's time as their
// updatedAt (PRD-14). Its error is ErrPolicy, where the catalog has a policy that
// is not the platform's, or that of catalog.Index.Replace.
func (p *Platform) Sell(c *catalog.Catalog) error {
	if c.Policy != (catalog.Policy{}) && c.Policy != p.stock.conduct.Load().Policy {
		return ErrPolicy
	}
	return p.SellInstead(func(sold *catalog.Index, now time.Time) (*catalog.Index, error) {
		return sold.Replace(c, now)
	})
}

// SellInstead sells what change makes of what is sold, as Sell does. Bookings go on
// while it does.
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
	p.stock.restored++ // what was said before may be said otherwise now
	p.stock.announce(Change{Cause: CatalogChanged})
	return nil
}

// move updates everything of an option that is still sold to the option's form
// sold now. It takes the longer the more of it has changed.
func (s *state) move(sold *catalog.Index) {
	moved := map[slotKey]slotKey{}
	to := func(key slotKey) (slotKey, bool) {
		next, known := moved[key]
		if !known {
			next = key.in(sold)
			moved[key] = next
		}
		return next, next != key
	}
	s.slots.move(to)
	s.ledger.tallies.move(to)
	change(s.ledger.promises, func(p promise) (promise, bool) {
		key, moves := to(p.slot)
		p.slot = key
		return p, moves
	})
	change(s.bookings, func(b *Booking) (*Booking, bool) {
		key, moves := to(b.slot)
		if !moves {
			return b, false
		}
		next := *b
		next.slot = key
		return &next, true
	})
	holds := func(h *Hold) (*Hold, bool) {
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
	late := make([]lateMove, len(s.late)) // states that were forked share the old one
	for i, m := range s.late {
		m.slot, _ = to(m.slot)
		late[i] = m
	}
	s.late = late
}

// in returns the slot of the option in that catalog; if that has no
// such slot, the slot as it was.
func (k slotKey) in(sold *catalog.Index) slotKey {
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
			t.set(key, entry.value) // of the same ids: in the place of the old one
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
