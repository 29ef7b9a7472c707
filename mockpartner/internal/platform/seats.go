package platform

import (
	"slices"
	"time"
)

// maxRace bounds how long a call that races may look away.
const maxRace = Duration(10 * time.Second)

// seatsOf returns how many seats an amount is, of a hold.
func (a Amount) seatsOf(h *Hold) int {
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
		each, _ := h.slot.option.SeatsOf(h.Units[0].ID)
		return each * h.Units[0].Quantity
	default:
		return 0
	}
}

// move moves the seats of a case, and returns how many it took out of the
// vacancies: as many as is lawful, a negative number for those that come back,
// unless the quirk says otherwise.
func (p *Platform) move(q Quirk, h *Hold, lawful int, now time.Time) (taken int) {
	key := h.slot
	switch {
	case q.Takes != "" || q.Gives != "":
		taken = q.Takes.seatsOf(h) - q.Gives.seatsOf(h)
	case q.Does == "" || q.Does == Accept:
		taken = lawful
	}
	if q.Elsewhere {
		key = p.next(key)
	}
	if q.Late > 0 && taken != 0 {
		p.putOff(lateMove{at: now.Add(time.Duration(q.Late)), slot: key, seats: taken})
		return taken
	}
	if taken != 0 {
		p.take(key, taken)
	}
	return taken
}

// next returns the option's next slot, on the same day or later; the slot itself
// where there is no other.
func (p *Platform) next(key slotKey) slotKey {
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

// lateMove is seats that have been promised to move.
type lateMove struct {
	at    time.Time
	slot  slotKey
	seats int // taken out of the vacancies
}

// maxLate bounds the moves that are put off. Beyond it seats move at once.
const maxLate = 10_000

// putOff lets seats move when the clock gets there.
func (p *Platform) putOff(m lateMove) {
	if len(p.state.late) >= maxLate {
		p.take(m.slot, m.seats)
		return
	}
	// A new list: states that were forked share the old one.
	at := slices.IndexFunc(p.state.late, func(other lateMove) bool { return other.at.After(m.at) })
	if at < 0 {
		at = len(p.state.late)
	}
	p.state.late = slices.Insert(slices.Clone(p.state.late), at, m)
}

// settleLate moves the seats whose time has come.
func (p *Platform) settleLate(now time.Time) {
	for len(p.state.late) > 0 && !p.state.late[0].at.After(now) {
		due := p.state.late[0]
		p.state.late = p.state.late[1:]
		p.take(due.slot, due.seats)
	}
}
