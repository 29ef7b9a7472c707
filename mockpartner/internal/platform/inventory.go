package platform

import (
	"slices"
	"sync/atomic"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/schemas/partnerapi"
)

// inventory is the seats of a platform: its slots as computed from the catalog, the seed, the calls
// and the quirks. Fields that are not atomic are guarded by the lifecycle's lock.
type inventory struct {
	clock   clock.Clock
	seed    seed
	sold    atomic.Pointer[catalog.Index]
	conduct atomic.Pointer[Conduct]
	turn    atomic.Uint64 // counts answers whose ids or order change each time

	state state
	// An answer about an option is stale once the option's version or the number of restores has
	// changed.
	versions map[*catalog.IndexedOption]uint64
	restored uint64
	observe  func(Change) // nil if there is no observer

	calls calls
	seen  caseCounts
}

func (inv *inventory) catalog() *catalog.Index { return inv.sold.Load() }

func (inv *inventory) now() time.Time { return inv.clock.Now() }

func (inv *inventory) slot(key slotKey) slot {
	if touched, ok := inv.state.slots.get(key); ok {
		return touched
	}
	return inv.seed.originalSlot(key)
}

// quirkFor returns the first quirk that applies to a case of a hold, or the zero Quirk.
func (inv *inventory) quirkFor(c Case, h *storedHold, now time.Time) Quirk {
	return inv.firstQuirk(c, h, now, func(q Quirk) bool { return q.On == c && q.Finds == "" })
}

// firstQuirk returns the first quirk that fits and concerns the hold. It counts the case.
func (inv *inventory) firstQuirk(c Case, h *storedHold, now time.Time, fits func(Quirk) bool) Quirk {
	conduct := inv.conduct.Load()
	var seen map[string]any
	count := 0
	if conduct.counts {
		var nth int
		nth, count = inv.seen.count(c, h)
		seen = describeHold(inv, h, now)
		seen["nth"], seen["count"] = nth, count
	}
	for _, q := range conduct.Quirks {
		if fits(q) && inv.concerns(q, h.slot, now) && q.decides(inv.seed, seen, count) {
			return q
		}
	}
	return Quirk{}
}

// concerns reports whether the quirk applies to the slot. A quirk that is limited to a product, an
// option or some slots does not apply to an unknown slot.
func (inv *inventory) concerns(q Quirk, key slotKey, now time.Time) bool {
	if q.Product == "" && q.Option == "" && q.FromDay == 0 && !q.OnceFull && !q.OnceCancelled {
		return true
	}
	if key.option == nil || !q.appliesTo(inv.catalog(), key.option) {
		return false
	}
	if seen := inv.slot(key); q.OnceFull && !seen.wasFull || q.OnceCancelled && !seen.wasCancelled {
		return false
	}
	return key.day >= localDay(now, key.option.Product.Location)+int64(q.FromDay)
}

func (a Amount) seatsOf(h *storedHold) int {
	switch a {
	case AmountOne:
		return 1
	case AmountAll:
		return h.Seats
	case AmountAllButOne:
		return h.Seats - 1
	case AmountAllAndOne:
		return h.Seats + 1
	case AmountTwice:
		return 2 * h.Seats
	case AmountFirstUnit:
		return h.seatsOf(h.Units[0])
	case AmountLastUnit:
		return h.seatsOf(h.Units[len(h.Units)-1])
	case AmountEachUnit:
		return len(h.Units)
	default:
		return 0
	}
}

func (h *storedHold) seatsOf(unit partnerapi.UnitQuantity) int {
	each, _ := h.slot.option.SeatsOf(unit.ID)
	return each * unit.Quantity
}

// move moves the seats of a case and returns how many it took out of the vacancies. Unless the
// quirk changes it, that is lawful, which is negative for seats that are returned.
func (inv *inventory) move(q Quirk, h *storedHold, lawful int, now time.Time) (taken int) {
	key := h.slot
	switch {
	case q.Takes != "" || q.Gives != "":
		taken = q.Takes.seatsOf(h) - q.Gives.seatsOf(h)
	case q.Does == "" || q.Does == Accept:
		taken = lawful
	}
	if q.Elsewhere {
		key = nextSlot(key)
	}
	if q.Late > 0 && taken != 0 {
		inv.putOff(lateMove{at: now.Add(time.Duration(q.Late)), slot: key, seats: taken})
		return taken
	}
	if taken != 0 {
		inv.take(key, taken)
	}
	return taken
}

// nextSlot returns the option's next slot, on the same day or within a week, or the slot itself if
// there is no other.
func nextSlot(key slotKey) slotKey {
	starts := key.option.Starts
	for day := key.day; day <= key.day+7; day++ {
		for _, minute := range starts {
			other := slotKey{option: key.option, day: day, minute: minute}
			if _, ok := other.span(); ok && (day > key.day || minute > key.minute) {
				return other
			}
		}
	}
	return key
}

// maxLate limits the number of delayed moves. Beyond it, seats move immediately.
const maxLate = 10_000

func (inv *inventory) putOff(m lateMove) {
	if len(inv.state.late) >= maxLate {
		inv.take(m.slot, m.seats)
		return
	}
	// A new list is needed because forked states share the old one.
	at := slices.IndexFunc(inv.state.late, func(other lateMove) bool { return other.at.After(m.at) })
	if at < 0 {
		at = len(inv.state.late)
	}
	inv.state.late = slices.Insert(slices.Clone(inv.state.late), at, m)
}

func (inv *inventory) settleLate(now time.Time) {
	for len(inv.state.late) > 0 && !inv.state.late[0].at.After(now) {
		due := inv.state.late[0]
		inv.state.late = inv.state.late[1:]
		inv.take(due.slot, due.seats)
	}
}

// put stores a changed slot and makes earlier answers about it stale.
func (inv *inventory) put(key slotKey, changed slot) {
	inv.outdate(key)
	inv.state.slots.set(key, changed)
}

// take takes seats out of the slot's vacancies; a negative number returns them.
func (inv *inventory) take(key slotKey, seats int) {
	s := inv.slot(key)
	if s.counted {
		s.vacancies -= seats
		s.wasFull = s.wasFull || inv.conduct.Load().watchesFull() && inv.limited(key, s).vacancies <= 0
	}
	inv.change(client.BookingChange, key, s)
}

// noteCancelled records that a booking of the slot was cancelled, for quirks that need it.
func (inv *inventory) noteCancelled(key slotKey) {
	if inv.conduct.Load().watchesCancelled() {
		s := inv.slot(key)
		s.wasCancelled = true
		inv.put(key, s)
	}
}

// leave forgets a slot that is unused and equal to its computed original, so that memory is bounded
// by the slots in use. A slot that lost or gained seats stays: Invariants must see it.
func (inv *inventory) leave(key slotKey) {
	touched, ok := inv.state.slots.get(key)
	if !ok || inv.state.ledger.tally(key).live > 0 || touched != inv.seed.originalSlot(key) {
		return
	}
	inv.state.slots.delete(key)
	inv.state.ledger.tallies.delete(key)
}
