package judge

import (
	"encoding/json"
	"iter"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

func (s *history) readableReserves(b *tally) iter.Seq[*call] {
	return func(yield func(*call) bool) {
		for c := range s.callsTo(partnerapi.Reserve) {
			if c.reserves == nil {
				b.cannotJudge(unreadable)
			} else if !yield(c) {
				return
			}
		}
	}
}

type slotName struct{ product, option, id string }

func judgeFreshness(s *history, b *tally) {
	shown := s.firstShown()
	for c := range s.readableReserves(b) {
		since, ok := shown[slotName{c.reserves.ProductID, c.reserves.OptionID, c.reserves.AvailabilityID}]
		switch {
		case ok && !since.After(c.Arrived):
			b.countKept()
		case !s.isComplete():
			b.cannotJudge(early)
		default:
			b.recordBreach([]*call{c}, "No availability answer of %.60q, %.60q had shown the slot %.60q by then.", c.reserves.ProductID, c.reserves.OptionID, c.reserves.AvailabilityID)
		}
	}
}

// firstShown returns the time at which callers first knew each slot. Equal answers share their bytes, so
// each is parsed only once.
func (s *history) firstShown() map[slotName]time.Time {
	type answer struct {
		product, option string
		body            *byte
	}
	slots, read := map[*byte][]string{}, map[answer]time.Time{}
	since := map[slotName]time.Time{}
	for c := range s.callsTo(partnerapi.Availability) {
		if c.asks == nil || !c.hasSucceeded() || len(c.Answer.Body) == 0 {
			continue
		}
		a := answer{c.asks.ProductID, c.asks.OptionID, &c.Answer.Body[0]}
		if before, ok := read[a]; ok && !c.endTime().Before(before) {
			continue
		}
		read[a] = c.endTime()
		ids, ok := slots[a.body]
		if !ok {
			ids = slotIDs(c)
			slots[a.body] = ids
		}
		for _, id := range ids {
			name := slotName{a.product, a.option, id}
			if before, ok := since[name]; !ok || c.endTime().Before(before) {
				since[name] = c.endTime()
			}
		}
	}
	return since
}

// slotIDs lists the slots of an availability answer. Of an answer that a fault has damaged, it
// lists as many as can be read.
func slotIDs(c *call) (ids []string) {
	var slots []struct{ ID string }
	_ = json.Unmarshal(c.Answer.Body, &slots)
	for _, slot := range slots {
		ids = append(ids, slot.ID)
	}
	return ids
}

func units(s *history, b *tally) {
	for c := range s.readableReserves(b) {
		option, ok := s.option(c.reserves.ProductID, c.reserves.OptionID)
		if !ok {
			b.cannotJudge("the option is not in the catalog")
			continue
		}
		wrong := false
		for _, unit := range c.reserves.Units {
			_, known := option.SeatsOf(unit.ID)
			switch {
			case wrong: // one finding per call
			case !known && !c.wasAccepted():
				b.recordBreach([]*call{c}, "The option %.60q has no unit %.60q.", c.reserves.OptionID, unit.ID)
				wrong = true
			case unit.Quantity < 1:
				b.recordBreach([]*call{c}, "The quantity of %.60q is %d: expected 1 or more, or no entry for the unit.", unit.ID, unit.Quantity)
				wrong = true
			}
		}
		if !wrong {
			b.countKept()
		}
	}
}

func reserveOnce(s *history, b *tally) {
	first := map[string]*call{}
	for c := range s.readableReserves(b) {
		switch {
		case c.reserves.ResellerReference == "":
			b.cannotJudge("reserve has no resellerReference to know it again by")
		case first[c.reserves.ResellerReference] != nil:
			b.recordBreach([]*call{first[c.reserves.ResellerReference], c}, "Reserve was sent again for the resellerReference %.60q.", c.reserves.ResellerReference)
		default:
			first[c.reserves.ResellerReference] = c
			b.countKept()
		}
	}
}
