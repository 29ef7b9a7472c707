package platform

import (
	"iter"
	"maps"
	"math"
	"slices"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
)

// Seats that slots share are computed from the slots themselves: a slot draws on its pools with the
// seats that it lost to holds and bookings. One change of a slot is therefore a change of its pools,
// and a defect that moves a slot's seats wrongly moves those of its pools too. Seats that are sold
// elsewhere belong to a slot alone.

// draw is the use of shared seats from one moment to another. The moments are Unix times, or count
// from 0 if all slots of a season share.
type draw struct {
	from, to int64
	seats    int
}

// drawOf returns the slot's own use of shared seats.
func drawOf(over catalog.Span, key slotKey, seats int) draw {
	switch over {
	case catalog.OverSeason:
		return draw{0, 1, seats}
	case catalog.OverDay:
		return draw{key.day * secondsADay, (key.day + 1) * secondsADay, seats}
	default:
		when, _ := key.span()
		return draw{when.start.Unix(), when.end.Unix(), seats}
	}
}

// drawn returns how many seats holds and bookings took out of the slot.
func (s slot) drawn() int {
	if !s.counted {
		return 0
	}
	return s.capacity - s.vacancies - s.elsewhere
}

// highest returns the highest number of seats in use at one moment of a period.
func highest(draws []draw, during draw) (seats int) {
	changes := map[int64]int{during.from: 0}
	for _, d := range draws {
		if d.to > during.from && d.from < during.to {
			changes[max(d.from, during.from)] += d.seats
			changes[d.to] -= d.seats
		}
	}
	seats = math.MinInt
	now := 0
	for _, at := range slices.Sorted(maps.Keys(changes)) {
		if at < during.to {
			now += changes[at]
			seats = max(seats, now)
		}
	}
	return seats
}

// limited returns the slot with no more vacancies than its pools have left for it.
func (inv *inventory) limited(key slotKey, s slot) slot {
	if !s.counted {
		return s
	}
	own := s
	for _, pool := range inv.pools(key) {
		s.vacancies = min(s.vacancies, inv.left(pool, key)-own.drawn())
	}
	return s
}

// left returns how many of the shared seats the other slots leave to the slot.
func (inv *inventory) left(pool *catalog.Pool, key slotKey) int {
	during := drawOf(pool.Over, key, 0)
	var draws []draw
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	if pool.Over != catalog.OverSeason {
		first, last = during.from/secondsADay-longestSlot, during.to/secondsADay+1
	}
	for _, option := range pool.Members {
		for other, s := range inv.state.slots.between(option, first, last) {
			if other.compare(key) != 0 {
				draws = append(draws, drawOf(pool.Over, other, pool.RoundUp(s.drawn())))
			}
		}
	}
	return pool.Seats - highest(draws, during)
}

// longestSlot is more than the days from the date of a slot's start to the date of its end, in any
// two zones.
const longestSlot = 33

// between returns the option's slots from one day to another.
func (t slotTable[V]) between(option *catalog.IndexedOption, first, last int64) iter.Seq2[slotKey, V] {
	return func(yield func(slotKey, V) bool) {
		t.tree.Ascend(slotEntry[V]{key: slotKey{option: option, day: first}}, func(e slotEntry[V]) bool {
			if e.key.option.Key != option.Key || e.key.day > last {
				return false
			}
			// Two options can have the same hash, and a slot may be of the option's form before a change.
			same := e.key.option.Product.ID == option.Product.ID && e.key.option.ID == option.ID
			return !same || yield(e.key, e.value)
		})
	}
}

func (inv *inventory) pools(key slotKey) []*catalog.Pool {
	return inv.catalog().PoolsOf(key.option.Product.ID, key.option.ID)
}

// outdate makes earlier answers stale about the slot's option, and about all that share seats with it.
func (inv *inventory) outdate(key slotKey) {
	inv.versions[key.option]++
	for _, pool := range inv.pools(key) {
		for _, option := range pool.Members {
			inv.versions[option]++
		}
	}
}

// shownSlot is a slot as callers see it.
type shownSlot struct {
	key  slotKey
	slot slot
}

// change stores a changed slot. It announces the slot, and those that share seats with it, if callers
// now see them differently.
func (inv *inventory) change(cause client.Cause, key slotKey, changed slot) {
	if inv.observe == nil {
		inv.put(key, changed)
		return
	}
	var before []shownSlot
	for _, other := range inv.affected(key) {
		before = append(before, shownSlot{other, inv.limited(other, inv.slot(other))})
	}
	inv.put(key, changed)
	for _, b := range before {
		inv.announceSlot(cause, b.key, b.slot, inv.limited(b.key, inv.slot(b.key)))
	}
}

// affected returns the slot, and those within the next days that share seats with it.
func (inv *inventory) affected(key slotKey) []slotKey {
	keys := []slotKey{key}
	for _, pool := range inv.pools(key) {
		own := drawOf(pool.Over, key, 0)
		first, last := own.from/secondsADay-longestSlot, own.to/secondsADay+1
		for _, option := range pool.Members {
			if pool.Over == catalog.OverSeason {
				first = localDay(inv.now(), option.Product.Location)
				last = first + announcedDays
			}
			for day := first; day <= last; day++ {
				for _, minute := range option.Starts {
					other := slotKey{option: option, day: day, minute: minute}
					_, exists := other.span()
					if d := drawOf(pool.Over, other, 0); exists && other.compare(key) != 0 && d.to > own.from && d.from < own.to {
						keys = append(keys, other)
					}
				}
			}
		}
	}
	slices.SortFunc(keys[1:], slotKey.compare)
	return slices.CompactFunc(keys, func(a, b slotKey) bool { return a.compare(b) == 0 })
}

// announcedDays is how many days from today the slots are announced that share the seats of a season.
const announcedDays = 60

// checkPools compares the promises to callers with the shared seats.
func (inv *inventory) checkPools() []client.Violation {
	var l ledger
	for _, pool := range inv.catalog().Pools {
		var draws []draw
		for _, option := range pool.Members {
			for key, s := range inv.state.slots.between(option, math.MinInt64, math.MaxInt64) {
				if t := inv.state.ledger.tally(key); s.counted {
					draws = append(draws, drawOf(pool.Over, key, pool.RoundUp(t.held+t.confirmed)))
				}
			}
		}
		if used := highest(draws, draw{math.MinInt64, math.MaxInt64, 0}); used > pool.Seats {
			l.note(sharedOnce, pool.Name, "%d seats are promised at the same time, and there are %d", used, pool.Seats)
		}
	}
	return l.violations
}
