package scenario

import (
	"sync"
	"time"

	"partnerkit.dev/conformance/report"
)

const (
	mostSlotsWatched  = 60  // slots whose vacancies a report draws
	mostReadingsShown = 200 // of one slot
)

// vacancies keeps what every slot was seen to have left over the run. It is
// safe for concurrent use.
type vacancies struct {
	mu    sync.Mutex
	order []string // the slots' keys, in the order of their first readings
	slots map[string]*report.SlotVacancies
}

func newVacancies() *vacancies { return &vacancies{slots: map[string]*report.SlotVacancies{}} }

// note enters a reading of an offer's slot, made at a time since the run began.
// What does not count seats is not entered, nor what is too much to be drawn.
func (v *vacancies) note(read *Reading, at time.Duration) {
	if !read.Counted {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	offer := read.Offer
	slot := v.slots[offer.Key()]
	if slot == nil {
		if len(v.slots) == mostSlotsWatched {
			return
		}
		slot = &report.SlotVacancies{
			ProductID: offer.Product.ID, OptionID: offer.Option.ID, AvailabilityID: offer.Slot.ID, Start: offer.Slot.StartText,
		}
		v.order, v.slots[offer.Key()] = append(v.order, offer.Key()), slot
	}
	if len(slot.Readings) < mostReadingsShown {
		slot.Readings = append(slot.Readings, report.SeatsReading{AtMS: float64(at.Microseconds()) / 1000, Left: read.Last.Left, When: read.When})
	}
}

// drawn returns the slots that were read more than once, in words that can be
// shown.
func (v *vacancies) drawn(words func(string) string) []report.SlotVacancies {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := []report.SlotVacancies{}
	for _, key := range v.order {
		slot := *v.slots[key]
		if len(slot.Readings) < 2 {
			continue
		}
		slot.ProductID, slot.OptionID = words(slot.ProductID), words(slot.OptionID)
		slot.AvailabilityID, slot.Start = words(slot.AvailabilityID), words(slot.Start)
		all = append(all, slot)
	}
	return all
}
