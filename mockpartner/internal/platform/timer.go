package platform

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
)

// TimerKind is what a timer is for.
type TimerKind string

const (
	// HoldExpires: a live hold ends, and its seats come back (REL-7).
	HoldExpires TimerKind = "hold-expires"
	// SaleEnds: a slot is CLOSED from then on (AVL-9).
	SaleEnds TimerKind = "sale-ends"
	// DayBegins: "today" is another date in the zone of a product, and with it
	// the window of days that callers ask for.
	DayBegins TimerKind = "day-begins"
	// SlotChanges: a slot changes as it was planned.
	SlotChanges TimerKind = "slot-changes"
)

// TimerKinds lists the kinds.
func TimerKinds() []TimerKind { return []TimerKind{HoldExpires, SaleEnds, DayBegins, SlotChanges} }

// Timer is something that will happen when the clock gets there.
type Timer struct {
	At   time.Time `json:"at"`
	Kind TimerKind `json:"kind"`
	// Subject is the code of the hold, the id of the slot or the name of the zone.
	Subject string `json:"subject"`
}

// Timers lists what is pending, the next first: expiries of holds, ends of the
// sale of slots that are in use or were changed (those of all others are as the
// catalog has them), in each of the catalog's zones the next midnight, and planned
// changes of slots. Of each kind there are at most limit. Without kinds, all are listed.
func (p *Platform) Timers(limit int, kinds ...TimerKind) []Timer {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	state := &p.stock.state
	list := slices.Concat([]Timer{}, state.expiries(limit), state.salesEnding(now, limit), midnights(p.Catalog(), now, limit), state.plannedChanges(limit))
	if len(kinds) > 0 {
		list = slices.DeleteFunc(list, func(t Timer) bool { return !slices.Contains(kinds, t.Kind) })
	}
	slices.SortFunc(list, earlier)
	return list
}

func earlier(a, b Timer) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
}

func (st *state) expiries(limit int) (list []Timer) {
	st.expiring.Scan(func(h *Hold) bool {
		if len(list) < limit {
			list = append(list, Timer{At: h.ExpiresAt.UTC(), Kind: HoldExpires, Subject: h.Code})
		}
		return len(list) < limit
	})
	return list
}

func (st *state) salesEnding(now time.Time, limit int) (list []Timer) {
	for key, s := range st.slots.all() {
		when, _ := key.span()
		if ends := key.saleEnds(when); !s.closed && ends.After(now) {
			list = append(list, Timer{At: ends.UTC(), Kind: SaleEnds, Subject: key.id()})
		}
	}
	return soonest(list, limit)
}

func midnights(sold *catalog.Index, now time.Time, limit int) (list []Timer) {
	seen := map[string]bool{}
	for _, product := range sold.Products {
		if !seen[product.TimeZone] {
			seen[product.TimeZone] = true
			list = append(list, Timer{At: nextMidnight(now, product).UTC(), Kind: DayBegins, Subject: product.TimeZone})
		}
	}
	return soonest(list, limit)
}

// nextMidnight returns when the product's zone has another date, which in some
// zones, on some days, is later than 00:00.
func nextMidnight(now time.Time, product *catalog.IndexedProduct) time.Time {
	year, month, day := now.In(product.Location).Date()
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	for {
		date = date.AddDate(0, 0, 1)
		if begins := wallTime(date, 0, product.Location); begins.After(now) {
			return begins
		}
	}
}

func soonest(list []Timer, limit int) []Timer {
	slices.SortFunc(list, earlier)
	return list[:min(len(list), limit)]
}

// Plan has these changes made, and no others, each when the clock gets there.
// Those of the same time are made in their order. Its error names the first that
// is of no slot; whether a slot can be changed as planned shows when the time
// has come.
func (p *Platform) Plan(changes []PlannedChange) error {
	if len(changes) > MaxPlanned {
		return fmt.Errorf("expected at most %d planned changes, received %d", MaxPlanned, len(changes))
	}
	planned := slices.Clone(changes)
	slices.SortStableFunc(planned, func(a, b PlannedChange) int { return a.At.Compare(b.At) })
	p.life.enter()
	defer p.life.mu.Unlock()
	for i, c := range changes {
		if _, err := p.stock.find(c.ProductID, c.OptionID, c.AvailabilityID); err != nil {
			return fmt.Errorf("[%d].slot: %w", i, err)
		}
	}
	p.stock.state.planned = planned
	return nil
}

// Next settles what the clock has passed, and returns when something happens
// next that shows in a slot: a hold expires, seats move late, or a planned change
// is made. It returns false where nothing of that kind is pending.
func (p *Platform) Next() (at time.Time, pending bool) {
	p.life.enter()
	defer p.life.mu.Unlock()
	soonest := func(t time.Time) {
		if !pending || t.Before(at) {
			at, pending = t, true
		}
	}
	if hold, ok := p.stock.state.expiring.Min(); ok {
		soonest(hold.ExpiresAt)
	}
	if len(p.stock.state.late) > 0 {
		soonest(p.stock.state.late[0].at)
	}
	if len(p.stock.state.planned) > 0 {
		soonest(p.stock.state.planned[0].At)
	}
	return at, pending
}

func (st *state) plannedChanges(limit int) (list []Timer) {
	for _, c := range st.planned[:min(len(st.planned), limit)] {
		list = append(list, Timer{At: c.At.UTC(), Kind: SlotChanges, Subject: c.AvailabilityID})
	}
	return list
}
