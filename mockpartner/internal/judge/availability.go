package judge

import (
	"fmt"

	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// availabilityCalls yields the readable availability calls with their options.
func (s *history) availabilityCalls(b *tally) func(yield func(*call, *catalog.IndexedOption) bool) {
	return func(yield func(*call, *catalog.IndexedOption) bool) {
		for c := range s.callsTo(partnerapi.Availability) {
			if c.asks == nil {
				b.cannotJudge(unreadable)
				continue
			}
			option, ok := s.option(c.asks.ProductID, c.asks.OptionID)
			if !ok {
				b.cannotJudge("the option is not in the catalog")
				continue
			}
			if !yield(c, option) {
				return
			}
		}
	}
}

func window(s *history, b *tally) {
	for c, option := range s.availabilityCalls(b) {
		location := option.Product.Location
		if callerrules.WindowOf(c.asks.LocalDateStart, c.asks.LocalDateEnd, location, c.At) != callerrules.OtherWindow {
			b.countKept()
			continue
		}
		first, last := callerrules.Lookahead(c.At.In(location))
		b.recordBreach([]*call{c}, "The window is %.20s to %.20s: expected %s to %s, or one day of those (%s is today in %s).",
			c.asks.LocalDateStart, c.asks.LocalDateEnd, first, last, first, location)
	}
}

func party(s *history, b *tally) {
	for c, option := range s.availabilityCalls(b) {
		want := asksFor(option)
		if units := c.asks.Units; len(units) == 1 && units[0] == (partnerapi.UnitQuantity{ID: want, Quantity: 1}) {
			b.countKept()
			continue
		}
		b.recordBreach([]*call{c}, "The party is %.200s: expected one guest of %.60q.", fmt.Sprint(c.asks.Units), want)
	}
}

func asksFor(option *catalog.IndexedOption) string {
	if _, ok := option.SeatsOf(partnerapi.AdultUnitID); ok || len(option.Units) == 0 {
		return partnerapi.AdultUnitID
	}
	return option.Units[0].ID
}

// Each pull of the catalog allows one request for every option. A slow sync may use the allowance
// of one pull after the next pull, but no longer. Failed calls do not count, nor do calls whose
// answers may be lost because a process died or was paused. A new day is a new window.
func oncePerSync(s *history, b *tally) {
	type slots struct{ product, option, from string }
	type account struct {
		left, pull int
		last       *call
	}
	accounts, pulls := map[slots]*account{}, 0
	for _, c := range s.calls {
		if c.endpoint == partnerapi.Products && c.query != callerrules.Probe && c.hasSucceeded() {
			pulls++
		}
		if c.asks == nil || !c.hasSucceeded() || !s.knows(c, s.Real) {
			continue
		}
		option, ok := s.option(c.asks.ProductID, c.asks.OptionID)
		if !ok || callerrules.WindowOf(c.asks.LocalDateStart, c.asks.LocalDateEnd, option.Product.Location, c.At) != callerrules.SyncWindow {
			continue
		}
		key := slots{c.asks.ProductID, c.asks.OptionID, c.asks.LocalDateStart}
		a := accounts[key]
		if a == nil {
			a = &account{left: min(max(pulls, 1), 2), pull: pulls}
			accounts[key] = a
		}
		a.left, a.pull = min(a.left+pulls-a.pull, 2), pulls
		if a.left == 0 && pulls == 0 && !s.isComplete() {
			b.cannotJudge(early)
			continue
		}
		if a.left == 0 {
			b.recordBreach([]*call{a.last, c}, "The slots of %.60q, %.60q were requested again without a pull of the catalog in between.", c.asks.ProductID, c.asks.OptionID)
			continue
		}
		a.left, a.last = a.left-1, c
		b.countKept()
	}
}
