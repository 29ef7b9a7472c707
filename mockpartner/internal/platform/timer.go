package platform

import (
	"cmp"
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
	now := p.enter()
	defer p.mu.Unlock()
	list := []Timer{}
	for kind, pending := range map[TimerKind]func(now time.Time, limit int) []Timer{
		HoldExpires: p.expiries, SaleEnds: p.salesEnding, DayBegins: p.midnights, SlotChanges: p.plannedChanges,
	} {
		if len(kinds) == 0 || slices.Contains(kinds, kind) {
			list = append(list, pending(now, limit)...)
		}
	}
	slices.SortFunc(list, earlier)
	return list
}

func earlier(a, b Timer) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
}

func (p *Platform) expiries(_ time.Time, limit int) (list []Timer) {
	p.state.expiring.Scan(func(h *Hold) bool {
		if len(list) < limit {
			list = append(list, Timer{At: h.ExpiresAt.UTC(), Kind: HoldExpires, Subject: h.Code})
		}
		return len(list) < limit
	})
	return list
}

func (p *Platform) salesEnding(now time.Time, limit int) (list []Timer) {
	for key, s := range p.state.slots.all() {
		when, _ := key.span()
		if ends := key.saleEnds(when); !s.closed && ends.After(now) {
			list = append(list, Timer{At: ends.UTC(), Kind: SaleEnds, Subject: key.id()})
		}
	}
	return soonest(list, limit)
}

func (p *Platform) midnights(now time.Time, limit int) (list []Timer) {
	seen := map[string]bool{}
	for _, product := range p.Catalog().Products {
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
