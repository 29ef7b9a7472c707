package platform

import (
	"cmp"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
)

// state is everything that changes in a platform. The values in its tables are never changed in
// place, because other states may share them.
type state struct {
	slots    slotTable[slot]               // slots in use or changed
	holds    table[string, *storedHold]    // by code
	bookings table[string, *storedBooking] // by booking id
	expiring *btree.BTreeG[*storedHold]    // live holds, the next to expire first
	ended    table[uint64, string]         // codes, first ended first
	endings  uint64                        // the last key in ended
	issued   uint64                        // number of codes and booking ids issued so far
	late     []lateMove                    // delayed seat moves, the next first
	planned  []PlannedChange               // slot changes, the next first
	ledger   ledger
}

func newState() state {
	return state{
		slots:    newSlotTable[slot](),
		holds:    newTable[string, *storedHold](),
		bookings: newTable[string, *storedBooking](),
		expiring: btree.NewBTreeGOptions(expiresBefore, btree.Options{NoLocks: true}),
		ended:    newTable[uint64, string](),
		ledger:   newLedger(),
	}
}

// fork returns a state with the same content, in constant time.
func (s *state) fork() state {
	forked := *s
	forked.slots = s.slots.fork()
	forked.holds = s.holds.fork()
	forked.bookings = s.bookings.fork()
	forked.expiring = s.expiring.Copy()
	forked.ended = s.ended.fork()
	forked.ledger = s.ledger.fork()
	forked.late = slices.Clip(s.late)
	forked.planned = slices.Clip(s.planned)
	return forked
}

func (l *ledger) fork() ledger {
	return ledger{
		tallies:    l.tallies.fork(),
		promises:   l.promises.fork(),
		bookings:   l.bookings.fork(),
		violations: slices.Clip(l.violations), // the next append makes a copy
	}
}

// PlannedChange is a change of a slot that is made when the clock reaches At.
type PlannedChange struct {
	At                                  time.Time
	ProductID, OptionID, AvailabilityID string
	Change                              client.SlotChange
}

// MaxPlanned is the maximum number of planned changes.
const MaxPlanned = 1000

type lateMove struct {
	at    time.Time
	slot  slotKey
	seats int // taken out of the vacancies
}

func expiresBefore(a, b *storedHold) bool {
	if a.ExpiresAt.Equal(b.ExpiresAt) {
		return a.number < b.number
	}
	return a.ExpiresAt.Before(b.ExpiresAt)
}

// remember queues an ended hold to be forgotten later.
func (st *state) remember(code string) {
	st.endings++
	st.ended.Set(st.endings, code)
}

// lastEnded returns the hold that ended last among those that fit.
func (st *state) lastEnded(fits func(*storedHold) bool) (last *storedHold, found bool) {
	looked := 0
	st.ended.Reverse(func(_ uint64, code string) bool {
		hold, ok := st.holds.Get(code)
		if ok && fits(hold) {
			last, found = hold, true
		}
		looked++
		return !found && looked < maxReuseSearch
	})
	return last, found
}

const maxReuseSearch = 100

// table is a map that is copied in constant time: copies share what neither has changed. Values are
// replaced and not changed in place, so that a change in one copy never shows in another.
type table[K cmp.Ordered, V any] struct{ *btree.Map[K, V] }

func newTable[K cmp.Ordered, V any]() table[K, V] { return table[K, V]{new(btree.Map[K, V])} }

func (t table[K, V]) fork() table[K, V] { return table[K, V]{t.Copy()} }

func (t table[K, V]) all() iter.Seq2[K, V] { return t.Scan }

type slotTable[V any] struct {
	tree *btree.BTreeG[slotEntry[V]]
}

type slotEntry[V any] struct {
	key   slotKey
	value V
}

func newSlotTable[V any]() slotTable[V] {
	before := func(a, b slotEntry[V]) bool { return a.key.compare(b.key) < 0 }
	return slotTable[V]{btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

// compare orders slots, in an arbitrary but fixed order.
func (k slotKey) compare(other slotKey) int {
	order := cmp.Or(
		cmp.Compare(k.option.Key, other.option.Key),
		cmp.Compare(k.day, other.day),
		cmp.Compare(k.minute, other.minute),
	)
	if order != 0 || k.option == other.option {
		return order
	}
	// Two options can have the same hash.
	return cmp.Or(cmp.Compare(k.option.Product.ID, other.option.Product.ID), cmp.Compare(k.option.ID, other.option.ID))
}

func (t slotTable[V]) fork() slotTable[V] { return slotTable[V]{t.tree.Copy()} }

func (t slotTable[V]) get(key slotKey) (V, bool) {
	entry, ok := t.tree.Get(slotEntry[V]{key: key})
	return entry.value, ok
}

func (t slotTable[V]) set(key slotKey, value V) { t.tree.Set(slotEntry[V]{key, value}) }

func (t slotTable[V]) delete(key slotKey) { t.tree.Delete(slotEntry[V]{key: key}) }

func (t slotTable[V]) len() int { return t.tree.Len() }

func (t slotTable[V]) all() iter.Seq2[slotKey, V] {
	return func(yield func(slotKey, V) bool) {
		t.tree.Scan(func(e slotEntry[V]) bool { return yield(e.key, e.value) })
	}
}

// Snapshot is the state of a platform at one moment. It never changes, and is safe for concurrent
// use.
type Snapshot struct {
	sold *catalog.Index

	mu    sync.Mutex
	state state
}

// Snapshot captures the platform's current state, in constant time.
func (p *Platform) Snapshot() *Snapshot {
	p.life.enter()
	defer p.life.mu.Unlock()
	return &Snapshot{sold: p.Catalog(), state: p.stock.state.fork()}
}

func (s *Snapshot) fork() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.fork()
}

// Restore replaces the platform's state and catalog with those of the snapshot, in constant time.
// The snapshot may come from another platform. The clock is not moved: holds whose time has passed
// meanwhile expire.
func (p *Platform) Restore(s *Snapshot) {
	restored := s.fork()
	p.selling.Lock()
	defer p.selling.Unlock()
	p.life.mu.Lock()
	defer p.life.mu.Unlock()
	p.stock.state = restored
	p.stock.sold.Store(s.sold)
	p.stock.restored++
}

// Clone returns a copy of the platform with its own state and clock, in constant time.
func (p *Platform) Clone(clock clock.Clock) *Platform {
	p.life.enter()
	defer p.life.mu.Unlock()
	return newPlatform(clock, p.stock.seed, p.life.most, p.stock.state.fork(), p.Catalog(), p.stock.conduct.Load())
}
