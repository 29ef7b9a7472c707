package judge

import (
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/trace"
)

// freedSeats is what is known of the seats that calls have returned to slots without vacancies. Only a
// refusal of the next party shows there that they are not back.
type freedSeats struct {
	last map[int]manner          // how the last were returned, by slot; nothing has shown yet that they are back
	back map[int]map[manner]bool // how those were returned that were held again, by slot
}

// manner is how seats are returned: partners lose those of some parties only, such as the second guest type's.
type manner struct {
	by    model.Kind
	types int  // of the party
	one   bool // it is a single guest
}

// mayBeLost reports whether seats were returned to a slot that nothing has shown to be back.
func (f freedSeats) mayBeLost(slot int) bool {
	_, doubtful := f.last[slot]
	return doubtful
}

// showBack records that a party was accepted in a slot.
func (f freedSeats) showBack(slot int) {
	how, doubtful := f.last[slot]
	if !doubtful {
		return
	}
	delete(f.last, slot)
	if f.back[slot] == nil {
		f.back[slot] = map[manner]bool{}
	}
	f.back[slot][how] = true
}

// free records that a call has returned the seats of a hold that was at that stage.
func (l *Lifecycle) free(act trace.Act, stage model.Stage) {
	if l.on != stage || l.state.Slots[act.Slot].Counted {
		return
	}
	how := manner{act.Does, l.holds[act.Hold].types, l.state.Holds[act.Hold].Party.Guests == 1}
	if delete(l.freed.last, act.Slot); !l.freed.back[act.Slot][how] {
		l.freed.last[act.Slot] = how
	}
}
