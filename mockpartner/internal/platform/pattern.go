package platform

import (
	"math/rand/v2"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// What a slot is like before anybody touches it is drawn from the seed and the
// slot's identity alone, never from a shared stream: it is the same whichever
// slot is looked at first.

type seed uint64

func (d seed) source(key slotKey) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(d)^key.option.Key, uint64(key.day)<<16|uint64(key.minute)))
}

// share spreads the slots of an option evenly over 0 to 99: multiples of the
// golden ratio leave no large gap, so that a status with a share of some
// percent is met within weeks, whatever the seed. Numbers drawn freely might
// not show it for months.
func (d seed) share(key slotKey) int {
	const (
		goldenRatio = 0x9E3779B97F4A7C15 // its fraction, times 2 to the 64
		mixer       = 0xBF58476D1CE4E5B9 // an odd number without a pattern
	)
	position := uint64(key.day)*uint64(len(key.option.Starts)) + uint64(slices.Index(key.option.Starts, key.minute))
	spread := position*goldenRatio + (uint64(d)^key.option.Key)*mixer
	return int((spread >> 32) * 100 >> 32)
}

// original computes the slot as it is before anybody touches it.
func (d seed) original(key slotKey) slot {
	schedule, random := &key.option.Schedule, d.source(key)
	s := slot{counted: key.option.Counted()}
	if schedule.Capacity.Max > 0 {
		s.capacity = between(random, schedule.Capacity.Min, schedule.Capacity.Max)
	}
	limitedAt := min(key.option.LimitedAt, s.capacity)
	switch share := d.share(key); {
	case share < schedule.SoldOut:
		s.counted = true // a slot without limit can be sold out all the same
	case share < schedule.SoldOut+schedule.Closed:
		s.closed = true
		s.vacancies = s.capacity
	case share < schedule.SoldOut+schedule.Closed+schedule.Limited:
		s.vacancies = between(random, 1, limitedAt)
	default:
		s.vacancies = between(random, limitedAt+1, s.capacity)
	}
	s.elsewhere = s.capacity - s.vacancies
	return s
}

// between draws a number from low to high; where there is none it is high.
func between(random *rand.Rand, low, high int) int {
	if low >= high {
		return high
	}
	return low + random.IntN(high-low+1)
}

// unitPricing returns the slot's own prices (AVL-6): nil for none, or a slice
// that may be empty.
func (d seed) unitPricing(key slotKey) []partnerapi.UnitPricing {
	style := key.option.Schedule.UnitPricing
	if style == catalog.PricingMixed {
		styles := []catalog.PricingStyle{catalog.PricingAbsent, catalog.PricingOwn, catalog.PricingEmpty}
		style = styles[d.source(key).IntN(len(styles))]
	}
	switch style {
	case catalog.PricingOwn:
		if day := key.date().Weekday(); day == time.Saturday || day == time.Sunday {
			return key.option.WeekendPrices
		}
		return key.option.Prices
	case catalog.PricingEmpty:
		return []partnerapi.UnitPricing{}
	default:
		return nil
	}
}
