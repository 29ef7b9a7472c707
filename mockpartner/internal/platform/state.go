package platform

import (
	"slices"
	"time"

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

// PlannedChange is a change of a slot that is made when the clock gets there.
type PlannedChange struct {
	At                                  time.Time
	ProductID, OptionID, AvailabilityID string
	Change                              SlotChange
}

// MaxPlanned bounds the changes that are planned.
const MaxPlanned = 1000

// lateMove is seats that have been promised to move.
type lateMove struct {
	at    time.Time
	slot  slotKey
	seats int // taken out of the vacancies
}

// expiresBefore is the order in which holds expire.
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

// maxReuseSearch bounds how far back a used id is looked for.
const maxReuseSearch = 100
