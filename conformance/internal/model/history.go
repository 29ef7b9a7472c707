package model

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"partnerkit.dev/internal/plural"
)

// Call is a call that reads or changes one slot.
type Call struct {
	Kind Kind
	Hold int // index of the hold that it makes or is about

	Guests int64 // of a reserve; 0 means 1
}

// Outcome is what the answer to a call shows.
type Outcome struct {
	Done    bool  // it was accepted
	Busy    bool  // it was answered 429
	Left    int64 // what a look shows
	Booking int   // index of the booking that a confirm returned
}

func (o Outcome) String() string {
	switch {
	case o.Busy:
		return "too many calls"
	case !o.Done:
		return "refused"
	case o.Booking > 0:
		return fmt.Sprintf("booking %d", o.Booking)
	default:
		return "done"
	}
}

// applyCall returns the state after a call, and whether this state allows its answer.
func (s State) applyCall(c Call, o Outcome) (bool, State) {
	if c.Kind == Look {
		return s.Slots[0].Allow(o.Left), s
	}
	if o.Busy {
		return true, s
	}
	next := s.clone()
	switch c.Kind {
	case Reserve:
		party := Party{Guests: max(1, c.Guests)}
		next.RecordReserve(c.Hold, 0, party, o.Done)
		// A partner may limit its parties, but never accepts more guests than seats. Where seats are not
		// counted, other customers may have taken them.
		return s.WantReserve(0, party, party.Guests == 1 && s.Slots[0].Counted).allows(o.Done), next
	case Confirm:
		hold := s.Holds[c.Hold]
		next.RecordConfirm(c.Hold, o.Done, o.Booking)
		same := hold.Stage != Booked || !o.Done || o.Booking == hold.Booking
		return same && s.WantConfirm(c.Hold).allows(o.Done), next
	case Release:
		next.RecordRelease(c.Hold)
	case Cancel:
		next.Cancelled(c.Hold)
	}
	return true, next
}

// History is concurrent calls on one slot: the time and the outcome of each.
type History struct {
	start State
	began time.Time
	calls []porcupine.Operation
}

// NewHistory returns a history that starts with these seats left and these holds.
func NewHistory(left Seats, holdless bool, holds ...Hold) *History {
	return &History{start: State{Slots: []Seats{left}, Holdless: holdless, Holds: holds}}
}

// Add adds a call with the time when it was sent and its duration.
func (h *History) Add(c Call, o Outcome, sent time.Time, took time.Duration) {
	if len(h.calls) == 0 {
		h.began = sent
	}
	at := sent.Sub(h.began)
	h.calls = append(h.calls, porcupine.Operation{Input: c, Output: o, Call: int64(at), Return: int64(at + took)})
}

// longestCheck bounds the search for an order of the calls. For the few calls of a race it takes
// milliseconds.
const longestCheck = 2 * time.Second

// IsLinearizable reports whether an order of the calls explains the answers: each call takes effect
// between its request and its answer, at a partner that handles one call at a time. It returns an
// error if the search takes too long.
func (h *History) IsLinearizable() (bool, error) {
	switch porcupine.CheckOperationsTimeout(h.model(), h.calls, longestCheck) {
	case porcupine.Ok:
		return true, nil
	case porcupine.Illegal:
		return false, nil
	default:
		return false, fmt.Errorf("the search for an order of calls that explains the answers did not finish in %s", longestCheck)
	}
}

func (h *History) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return h.start },
		Step: func(state, input, output any) (bool, any) {
			return state.(State).applyCall(input.(Call), output.(Outcome))
		},
		Equal: func(a, b any) bool { return a.(State).equal(b.(State)) },
		DescribeOperation: func(input, output any) string {
			c, o := input.(Call), output.(Outcome)
			if c.Kind == Look {
				return fmt.Sprintf("%s: %d left", c.Kind, o.Left)
			}
			return fmt.Sprintf("%s: %s", c.Kind, o)
		},
		DescribeState: func(state any) string { return SeatsWord(state.(State).Slots[0].Least) + " left" },
	}
}

// Picture draws an unexplained history as an HTML page: the calls over time, and how far an order
// of them can be found. It returns nil if the search takes too long.
func (h *History) Picture() []byte {
	calls := slices.Clone(h.calls)
	inRows(calls)
	result, found := porcupine.CheckOperationsVerbose(h.model(), calls, longestCheck)
	if result != porcupine.Illegal {
		return nil
	}
	var page bytes.Buffer
	if err := porcupine.Visualize(h.model(), found, &page); err != nil {
		return nil
	}
	return page.Bytes()
}

// inRows gives each call the first free row of the picture.
func inRows(calls []porcupine.Operation) {
	slices.SortStableFunc(calls, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var free []int64 // when each row becomes free
	for i, call := range calls {
		row := slices.IndexFunc(free, func(from int64) bool { return from < call.Call })
		if row < 0 {
			row, free = len(free), append(free, 0)
		}
		calls[i].ClientId, free[row] = row, call.Return
	}
}

// SeatsWord returns a number of seats in words, such as "1 seat".
func SeatsWord(n int64) string { return plural.Count(int(n), "seat") }
