package platform

import (
	"slices"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// slotKey is the identity of a physical slot: what it is a slot of, and when
// its schedule says that it starts.
type slotKey struct {
	option *catalog.IndexedOption
	day    int64 // since 1970-01-01, in the product's zone
	minute int   // after midnight
}

const secondsADay = 24 * 60 * 60

func (k slotKey) date() time.Time { return time.Unix(k.day*secondsADay, 0).UTC() }

// slotIDLayout is the second part of a slot's id, the start by the schedule. It
// makes ids permanent, and lets a slot be found again without being stored.
const slotIDLayout = "20060102-1504"

// id returns the slot's id, such as 5be0cd19-20260701-0930 (AVL-8).
func (k slotKey) id() string {
	start := k.date().Add(time.Duration(k.minute) * time.Minute)
	return k.option.SlotPrefix + start.Format(slotIDLayout)
}

// keyOf finds the slot of that id, and false where the option has none.
func keyOf(option *catalog.IndexedOption, id string) (slotKey, bool) {
	text, ok := strings.CutPrefix(id, option.SlotPrefix)
	if !ok {
		return slotKey{}, false
	}
	start, err := time.Parse(slotIDLayout, text)
	if err != nil {
		return slotKey{}, false
	}
	key := slotKey{option: option, day: start.Unix() / secondsADay, minute: start.Hour()*60 + start.Minute()}
	_, ok = key.span()
	return key, ok && key.id() == id
}

// span is when a slot starts and ends, in the product's zone.
type span struct{ start, end time.Time }

// span returns when the slot takes place, and false where the schedule, or the
// calendar of the zone, has no such slot.
func (k slotKey) span() (span, bool) {
	date, zone := k.date(), k.option.Product.Location
	if k.option.ClosedOn(date.Weekday()) || !slices.Contains(k.option.Starts, k.minute) {
		return span{}, false
	}
	s := span{start: wallTime(date, k.minute, zone)}
	if k.option.AvailabilityType == partnerapi.StartTime {
		s.end = s.start.Add(k.option.Schedule.Duration)
	} else {
		s.end = wallTime(date, k.option.ClosesAt, zone)
	}
	return s, fallsOn(s.start, date) && s.end.After(s.start)
}

// saleEnds returns when the slot can be bought no longer.
func (k slotKey) saleEnds(s span) time.Time {
	if k.option.AvailabilityType == partnerapi.OpeningHours {
		return s.end.Add(-k.option.Schedule.CutOff)
	}
	return s.start.Add(-k.option.Schedule.CutOff)
}

// slot is the inventory of one slot. Where seats are counted,
// capacity = vacancies + elsewhere + held + confirmed.
type slot struct {
	counted   bool
	closed    bool
	capacity  int
	vacancies int
	elsewhere int // sold through other channels than this contract

	// For quirks that ask; false where none does.
	wasFull, wasCancelled bool
}

// plain reports whether the option's slots without limit are shown AVAILABLE:
// their product says already that there is none (PRD-3).
func (k slotKey) plain() bool {
	return k.option.Product.AllowFreesale && !k.option.Schedule.Freesale
}

// status tells how the slot is shown at the given time (AVL-9).
func (s slot) status(key slotKey, when span, now time.Time) partnerapi.SlotStatus {
	switch {
	case s.closed, !now.Before(key.saleEnds(when)):
		return partnerapi.StatusClosed
	case !s.counted && key.plain():
		return partnerapi.StatusAvailable
	case !s.counted:
		return partnerapi.StatusFreesale
	case s.vacancies <= 0:
		return partnerapi.StatusSoldOut
	case s.vacancies <= key.option.LimitedAt:
		return partnerapi.StatusLimited
	default:
		return partnerapi.StatusAvailable
	}
}

// slot returns the slot as it is now.
func (p *Platform) slot(key slotKey) slot {
	if touched, ok := p.state.slots.get(key); ok {
		return touched
	}
	return p.original(key)
}

// put enters a slot that has changed, and makes stale what was said of its
// option before.
func (p *Platform) put(key slotKey, changed slot) {
	p.versions[key.option]++
	p.state.slots.set(key, changed)
}

// take moves seats out of the slot's vacancies; a negative number gives them back.
func (p *Platform) take(key slotKey, seats int) {
	was := p.slot(key)
	s := was
	if s.counted {
		s.vacancies -= seats
		s.wasFull = s.wasFull || s.vacancies <= 0 && p.watchesFull()
	}
	p.put(key, s)
	p.announceSlot(BookingChange, key, was, s)
}

// noteCancelled enters that a booking of the slot was cancelled, for quirks that ask.
func (p *Platform) noteCancelled(key slotKey) {
	if p.watchesCancelled() {
		s := p.slot(key)
		s.wasCancelled = true
		p.put(key, s)
	}
}

// leave forgets a slot that is again as it was computed, so that memory is
// bounded by what is in use. One that lost or won seats stays: Invariants must
// see it.
func (p *Platform) leave(key slotKey) {
	touched, ok := p.state.slots.get(key)
	if !ok || p.state.ledger.tally(key).live > 0 || touched != p.original(key) {
		return
	}
	p.state.slots.delete(key)
	p.state.ledger.tallies.delete(key)
}
