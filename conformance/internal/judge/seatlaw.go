package judge

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
)

// seatLaw is the rule about the seats after a call.
type seatLaw struct {
	rule.Rule
	does  model.Kind
	hold  int
	moves bool // the call is the one that may change them
}

// seatLawOf returns the law of the call that was just taken.
func (l *Lifecycle) seatLawOf(act trace.Act) seatLaw {
	switch {
	case act.Key != probe.GoodKey:
		return seatLaw{Rule: AuthEffect(act.Does), does: act.Does, hold: act.Hold}
	case act.Does == model.Release && l.on == model.Held && l.tried[act.Hold] != nil:
		return seatLaw{AuthEffect(model.Confirm), act.Does, act.Hold, true} // a booking would keep its seats
	default:
		return seatLaw{lawsOf(act, l.on, l.accepted).seats, act.Does, act.Hold, l.accepted && act.Does == model.Reserve || l.on.After(act.Does) != l.on}
	}
}

// takeReading judges how many seats a slot has left.
func (l *Lifecycle) takeReading(act trace.Act) (j trace.Judgement) {
	want := &l.state.Slots[act.Slot]
	if !act.Seats.Counted || !want.Counted {
		want.Counted, l.doubtful = false, nil // it is now sold without limit
		return j
	}
	left := act.Seats.Least
	if l.doubtful != nil {
		l.decided = l.state.DecideHoldless(*l.doubtful, left)
		l.doubtful = nil
	}
	j.Want, j.Detail = want.String(), fmt.Sprintf("%d left", left)
	if left <= 0 {
		l.full[act.Slot] = true
	}
	read := l.idle[act.Slot]
	if l.idle == nil {
		l.idle = map[int]bool{}
	}
	l.idle[act.Slot] = true
	defer func() { want.Least += act.Moved }()
	if want.Allow(left) {
		l.state.RecordReading(act.Slot, left)
		for _, law := range l.since {
			if !law.moves || !l.mayHaveNoSeats(law.hold) { // seats that stay as they are show nothing of such a hold
				l.find(&j, law.Rule, "")
			}
		}
		return j
	}
	j.Off, j.Others = left-min(max(left, want.Least), want.Least+want.More), true
	law := l.lawOfReading(act, j.Off, read)
	if read {
		j.Suspects = sharedIDs()
	}
	l.find(&j, law.Rule, fmt.Sprintf("Expected %s%s, received %d", want, trace.SlotName(act.Slot, len(l.state.Slots)), left))
	switch {
	case j.Flaw != "":
	case read: // nothing was called: what follows is compared with this reading
		want.Least += j.Off
	default: // it is known to be wrong, so no answer can be expected from it
		want.Counted, want.Wrong = false, true
		if hold := l.explains(act.Slot, j.Off); hold >= 0 && !law.moves {
			l.state.RecordUnknown(hold)
		}
	}
	return j
}

// lawOfReading returns the law of a reading that is off by so many seats: that of the last call, or of its first if it was
// repeated. If nothing was called since an earlier reading, it is that of the hold whose seats are missing or back.
func (l *Lifecycle) lawOfReading(act trace.Act, off int64, read bool) (of seatLaw) {
	if hold := l.explains(act.Slot, off); read && hold >= 0 {
		of = seatLaw{hold: hold, moves: true}
		switch l.state.Holds[hold].Stage {
		case model.Held:
			of.Rule = l.holds[hold].lose(act.Wide)
		case model.Booked:
			of.Rule = rule.ConfirmVacancies
		case model.Released:
			of.Rule = l.holds[hold].gives
		default:
			of.Rule = rule.CancelVacancies
		}
		return of
	}
	for _, law := range slices.Backward(l.since) {
		if last := l.since[len(l.since)-1]; law.does != last.does || law.hold != last.hold {
			break
		}
		if of.ID == "" || law.moves {
			of = law
		}
	}
	return of
}

// mayHaveNoSeats reports whether a hold may take none: it is for infants alone.
func (l *Lifecycle) mayHaveNoSeats(hold int) bool {
	if hold == trace.None {
		return false
	}
	party := l.state.Holds[hold].Party
	return party.Guests == party.Infants
}

// explains returns the newest hold of a slot whose seats are free in place of taken, or the reverse, if a reading is off by
// so many; -1 if no hold does.
func (l *Lifecycle) explains(slot int, off int64) int {
	for i, h := range slices.Backward(l.state.Holds) {
		taken := h.Stage == model.Booked || h.Stage == model.Held && !l.state.Holdless
		free := h.Stage == model.Cancelled || h.Stage == model.Released
		seats := max(off, -off)
		if h.Slot == slot && (off > 0 && taken || off < 0 && free) && h.Party.Guests-h.Party.Infants <= seats && seats <= h.Party.Guests {
			return i
		}
	}
	return -1
}
