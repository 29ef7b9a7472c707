package explore

import (
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/scenario"
)

const (
	// shorteningShare is the share of the run's time after which a failing lifecycle is played no more.
	shorteningShare = 0.97
	// stableReadings is how often slots are read to see whether other customers change them.
	stableReadings = 4
)

// repeat plays a lifecycle until a breach is far likelier than other customers, each time on the slots that it is
// given. It returns a playing that shows the breach, or nil. One playing without a breach is enough where other customers
// were seen, or if the run is late. Otherwise the breach may be one that shows now and then, for example at every third call.
func (e *stage) repeat(offers func() []discover.Offer, lifecycle Lifecycle) *run {
	test := noise.Test{Clean: 1}
	var played []*run
	for len(played) < test.MaxTries() && e.ctx.Err() == nil && e.Time.SpentShare() <= shorteningShare {
		a := e.play(lifecycle, slices.Clone(offers()))
		if !a.broke() && a.stop != nil {
			return nil
		}
		played = append(played, a)
		try := e.weighTry(a)
		test.Run = e.Seats.Run()
		switch test.Add(try) {
		case noise.Holds:
			if e.Seats.OthersSeen() || e.Time.LateForMore() {
				return nil
			}
		case noise.Broken:
			return played[test.Suspect()]
		}
	}
	return nil
}

// weighTry returns a playing as a try to be weighed. It watches the slot with unexpected seats. Where seats are not
// counted, others cannot be seen: what shows each time counts.
func (e *stage) weighTry(p *run) noise.Try {
	try := noise.Try{Wrong: p.broke(), Off: p.unlawful.Off + int64(p.taken)<<32, Took: p.took}
	if p.broke() && p.at != nil && p.at.Counted {
		try.Emptied = p.unlawful.Off < 0 && p.at.First.Left == 0
		try.Disturbed = !e.isStable(p)
		e.Seats.WatchOver(e.ctx, p.at, p.took)
		try.Slot = p.at.Watch
	}
	return try
}

// isStable reports whether the slots of a playing stay unchanged while nothing is done. If not, other
// customers are active.
func (e *stage) isStable(p *run) bool {
	for slot, offer := range p.offers {
		if offer.Slot.ID == "" || !p.state.Slots[slot].Counted {
			continue
		}
		var before *scenario.Reading
		for range stableReadings {
			read, o := e.Seats.Look(e.ctx, offer, "while it is left alone")
			if o != nil || before != nil && !read.HasSameSeats(before) {
				return false
			}
			before = read
		}
	}
	return true
}
