package platform

import (
	"partnerkit.dev/mockpartner/internal/catalog"
	"slices"
	"sync"

	"github.com/tidwall/btree"
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

// Snapshot is what was in a platform at one moment. It never changes, and is
// safe for concurrent use.
type Snapshot struct {
	sold *catalog.Index

	mu    sync.Mutex
	state state
}

// Snapshot keeps what is in the platform now, in constant time.
func (p *Platform) Snapshot() *Snapshot {
	p.enter()
	defer p.mu.Unlock()
	return &Snapshot{sold: p.Catalog(), state: p.state.fork()}
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
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = restored
	p.sold.Store(s.sold)
	p.restored++
}

// Clone returns a platform that is like this one, and from now on has a life and
// a clock of its own; in constant time.
func (p *Platform) Clone(clock Clock) *Platform {
	p.enter()
	defer p.mu.Unlock()
	clone := &Platform{
		clock:    clock,
		seed:     p.seed,
		most:     p.most,
		state:    p.state.fork(),
		versions: map[*catalog.IndexedOption]uint64{},
	}
	clone.sold.Store(p.Catalog())
	clone.conduct.Store(p.conduct.Load())
	return clone
}
