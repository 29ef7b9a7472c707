package platform

import (
	"cmp"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
)

// state is all that changes in a platform. What its tables hold is never changed
// in place: other states may share it.
type state struct {
	slots    slotTable[slot]         // the touched ones
	holds    table[string, *Hold]    // by code
	bookings table[string, *Booking] // by booking id
	expiring *btree.BTreeG[*Hold]    // the live holds, the next to expire first
	ended    table[uint64, string]   // codes, first ended first
	endings  uint64                  // the key of the last one in ended
	issued   uint64                  // codes and booking ids given out so far
	late     []lateMove              // seats that will move, the next first
	planned  []PlannedChange         // of slots, the next first
	ledger   ledger
}

func newState() state {
	return state{
		slots:    newSlotTable[slot](),
		holds:    newTable[string, *Hold](),
		bookings: newTable[string, *Booking](),
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
		violations: slices.Clip(l.violations), // who appends next makes a copy
	}
}

// PlannedChange is a change of a slot that is made when the clock gets there.
type PlannedChange struct {
	At                                  time.Time
	ProductID, OptionID, AvailabilityID string
	Change                              SlotChange
}

// MaxPlanned bounds the changes that are planned.
const MaxPlanned = 1000

type lateMove struct {
	at    time.Time
	slot  slotKey
	seats int // taken out of the vacancies
}

func expiresBefore(a, b *Hold) bool {
	if a.ExpiresAt.Equal(b.ExpiresAt) {
		return a.number < b.number
	}
	return a.ExpiresAt.Before(b.ExpiresAt)
}

// remember puts a hold that is over in line to be forgotten.
func (st *state) remember(code string) {
	st.endings++
	st.ended.Set(st.endings, code)
}

// lastEnded returns the hold that ended last among those that fit.
func (st *state) lastEnded(fits func(*Hold) bool) (last *Hold, found bool) {
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

// table is a map that is copied in constant time: the copies share what neither
// has changed. So that a change in one is never seen in another, its values are
// not changed in place but replaced.
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

// compare orders slots, in an order that means nothing.
func (k slotKey) compare(other slotKey) int {
	order := cmp.Or(
		cmp.Compare(k.option.Key, other.option.Key),
		cmp.Compare(k.day, other.day),
		cmp.Compare(k.minute, other.minute),
	)
	if order != 0 || k.option == other.option {
		return order
	}
	// Two options with one hash.
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

// Snapshot is what was in a platform at one moment. It never changes, and is
// safe for concurrent use.
type Snapshot struct {
	sold *catalog.Index

	mu    sync.Mutex
	state state
}

// Snapshot keeps what is in the platform now, in constant time.
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

// Restore puts into the platform what was in it, or in another one, when the
// snapshot was taken, and has it sell what was sold then; in constant time. The
// clock is not moved: holds that it has passed meanwhile expire.
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

// Clone returns a platform that is like this one, and from now on has a life and
// a clock of its own; in constant time.
func (p *Platform) Clone(clock clock.Clock) *Platform {
	p.life.enter()
	defer p.life.mu.Unlock()
	return newPlatform(clock, p.stock.seed, p.life.most, p.stock.state.fork(), p.Catalog(), p.stock.conduct.Load())
}
