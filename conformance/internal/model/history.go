package model

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"partnerkit.dev/internal/count"
)

type Call struct {
	Kind Kind
	Hold int // the number of the hold that it makes, or is about

	Guests int64 // of a reserve; 0: one
}

// Outcome is what the answer to a call says.
type Outcome struct {
	Done    bool  // it was not refused
	Busy    bool  // it was refused for being one of many
	Left    int64 // what a look shows
	Booking int   // the number of the booking that a confirm brings
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

// after returns the state after a call, and whether its answer can be given in this one.
func (s State) after(c Call, o Outcome) (bool, State) {
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
		next.Reserved(c.Hold, 0, party, o.Done)
		// A partner may limit its parties, and never takes more than there are seats.
		return s.WantReserve(0, party, party.Guests == 1).allows(o.Done), next
	case Confirm:
		hold := s.Holds[c.Hold]
		next.Confirmed(c.Hold, o.Done, o.Booking)
		same := hold.Stage != Booked || !o.Done || o.Booking == hold.Booking
		return same && s.WantConfirm(c.Hold).allows(o.Done), next
	case Release:
		next.Released(c.Hold)
	case Cancel:
		next.Cancelled(c.Hold)
	}
	return true, next
}

// History is calls at the same time on one slot: when each was made, and what came of
// it.
type History struct {
	start State
	began time.Time
	calls []porcupine.Operation
}

// NewHistory begins with so many seats left, and with those holds.
func NewHistory(left int64, holdless bool, holds ...Hold) *History {
	return &History{start: State{Slots: []Seats{{Counted: true, Least: left}}, Holdless: holdless, Holds: holds}}
}

// Add enters a call that was sent at a time and took so long.
func (h *History) Add(c Call, o Outcome, sent time.Time, took time.Duration) {
	if len(h.calls) == 0 {
		h.began = sent
	}
	at := sent.Sub(h.began)
	h.calls = append(h.calls, porcupine.Operation{Input: c, Output: o, Call: int64(at), Return: int64(at + took)})
}

// longestCheck bounds the search for an order of the calls. Those of a race are
// few: it takes milliseconds.
const longestCheck = 2 * time.Second

// Explained reports whether there is an order of the calls, each somewhere between
// its request and its answer, in which a partner that does one thing after another
// would have given these answers. The error says that the search took too long.
func (h *History) Explained() (bool, error) {
	switch porcupine.CheckOperationsTimeout(h.model(), h.calls, longestCheck) {
	case porcupine.Ok:
		return true, nil
	case porcupine.Illegal:
		return false, nil
	default:
		return false, fmt.Errorf("whether there is an order that explains the answers was not found out in %s", longestCheck)
	}
}

func (h *History) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return h.start },
		Step: func(state, input, output any) (bool, any) {
			return state.(State).after(input.(Call), output.(Outcome))
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

// Picture draws a history that nothing explains, as a page of HTML: the calls in
// their time, and how far an order of them can be found. It is nil where the
// search takes too long.
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

// inRows gives each call the first row of the picture that is free for it.
func inRows(calls []porcupine.Operation) {
	slices.SortStableFunc(calls, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var free []int64 // when each row is
	for i, call := range calls {
		row := slices.IndexFunc(free, func(from int64) bool { return from < call.Call })
		if row < 0 {
			row, free = len(free), append(free, 0)
		}
		calls[i].ClientId, free[row] = row, call.Return
	}
}

func SeatsWord(n int64) string { return count.Of(int(n), "seat") }
