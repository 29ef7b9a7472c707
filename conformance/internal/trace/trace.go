// Package trace is what was played with a partner, as values: calls with their answers, and readings of slots, in
// the order of time. A Judge decides what an act shows. Nothing here judges or sends a request.
package trace

import (
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// None is the hold of a call whose code or booking id is unknown to the partner.
const None = -1

// Act is one call and its answer, one reading of a slot, or the expiry of all holds.
type Act struct {
	Does  model.Kind
	Slot  int            // index of the slot in the story
	Offer discover.Offer // the slot
	// Hold is the index of the hold that a reserve makes or another call is about; None for an unknown code or id.
	Hold  int
	Units []partnerapi.UnitQuantity // of a reserve
	Party model.Party               // the guests of these units, or of the hold
	// Welcome means that the contract does not let a partner refuse the party, as long as there are seats (RSV-5).
	Welcome bool
	Filled  bool         // the slot was without a seat left earlier in the run
	Key     probe.Key    // that the call presents
	Body    partner.Body // of a reserve, confirm, release or cancel
	// Life is how long the hold that a reserve made lasts, from its answer; 0 if that cannot be read.
	Life   time.Duration
	Answer *probe.Answer // of a call
	Cut    bool          // only the beginning of the answer is known
	Freed  bool          // availability has shown the seats of the live hold of a confirm as free
	// Raced is the endpoint of another call about the same hold that was in progress; "" if there was none.
	Raced partnerapi.Endpoint
	Seats model.Seats // what a reading shows: Counted and Least
	Wide  bool        // the reading is of the slots of many days, which a partner may store apart
	Moved int64       // by how many seats others have moved the slot while it was read again
}

// SlotName names one of several slots of a story, as the end of a phrase; "" if the story has only one.
func SlotName(slot, slots int) string {
	if slots == 1 {
		return ""
	}
	return " in slot " + string(rune('A'+slot))
}

// Judgement is what an act shows.
type Judgement struct {
	Want   string    // what the contract requires, in words
	Detail string    // about the answer, in addition to its status
	Flaw   string    // what is wrong; "" if nothing is
	Rule   rule.Rule // that the flaw breaks
	Off    int64     // by how many seats the flaw is off; of an answer, the sign of that
	Others bool      // other customers may have caused the flaw
	// Suspects lists rules that explain the flaw if one of them is broken.
	Suspects []rule.Rule
}

// Judge judges the acts of one story, in order. It must not be used after a flaw, because what the partner has done
// is then unknown.
type Judge interface {
	// Open tells the judge how many seats each slot of the story has, before its first call.
	Open(slots []model.Seats)
	// Take judges the next act.
	Take(act Act) Judgement
	// State returns the slots and holds as the contract says they are after the acts so far.
	State() *model.State
	// ID returns the booking id that the confirm of a hold was answered with, or "".
	ID(hold int) string
}
