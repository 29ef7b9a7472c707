package platform

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
)

// TimerKinds lists the kinds.
func TimerKinds() []client.TimerKind {
	return []client.TimerKind{client.HoldExpires, client.SaleEnds, client.DayBegins, client.SlotChanges}
}

// Timers lists the pending events, the next first. They are expiries of holds, ends of sale, the
// next midnight in each of the catalog's zones, and planned changes of slots. Ends of sale are
// listed only for slots that are in use or were changed; others follow the catalog. There are at
// most limit timers of each kind. Without kinds, all kinds are listed.
func (p *Platform) Timers(limit int, kinds ...client.TimerKind) []client.Timer {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	state := &p.stock.state
	list := slices.Concat([]client.Timer{}, state.expiries(limit), state.salesEnding(now, limit), midnights(p.Catalog(), now, limit), state.plannedChanges(limit))
	if len(kinds) > 0 {
		list = slices.DeleteFunc(list, func(t client.Timer) bool { return !slices.Contains(kinds, t.Kind) })
	}
	slices.SortFunc(list, compareTimers)
	return list
}

func compareTimers(a, b client.Timer) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
}

func (st *state) expiries(limit int) (list []client.Timer) {
	st.expiring.Scan(func(h *storedHold) bool {
		if len(list) < limit {
			list = append(list, client.Timer{At: h.ExpiresAt.UTC(), Kind: client.HoldExpires, Subject: h.Code})
		}
		return len(list) < limit
	})
	return list
}

func (st *state) salesEnding(now time.Time, limit int) (list []client.Timer) {
	for key, s := range st.slots.all() {
		when, _ := key.span()
		if ends := key.saleEnds(when); !s.closed && ends.After(now) {
			list = append(list, client.Timer{At: ends.UTC(), Kind: client.SaleEnds, Subject: key.id()})
		}
	}
	return soonestTimers(list, limit)
}

func midnights(sold *catalog.Index, now time.Time, limit int) (list []client.Timer) {
	seen := map[string]bool{}
	for _, product := range sold.Products {
		if !seen[product.TimeZone] {
			seen[product.TimeZone] = true
			list = append(list, client.Timer{At: nextMidnight(now, product).UTC(), Kind: client.DayBegins, Subject: product.TimeZone})
		}
	}
	return soonestTimers(list, limit)
}

// nextMidnight returns the start of the next date in the product's zone. In some zones, on some
// days, it is later than 00:00.
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

func soonestTimers(list []client.Timer, limit int) []client.Timer {
	slices.SortFunc(list, compareTimers)
	return list[:min(len(list), limit)]
}

// Plan replaces all planned changes; each is made when the clock reaches its time. Changes of the
// same time are made in the given order. The error names the first change whose slot does not
// exist. Whether a slot can be changed as planned is checked when the change is due.
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

// Next applies what is due, and returns the time of the next event that changes a slot. Such events
// are an expiry, a late move of seats, and a planned change. It reports whether such an event is
// pending.
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

func (st *state) plannedChanges(limit int) (list []client.Timer) {
	for _, c := range st.planned[:min(len(st.planned), limit)] {
		list = append(list, client.Timer{At: c.At.UTC(), Kind: client.SlotChanges, Subject: c.AvailabilityID})
	}
	return list
}
