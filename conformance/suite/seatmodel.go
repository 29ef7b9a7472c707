package suite

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"partnerkit.dev/conformance/internal/probe"
)

// deed is what a call of a race is about.
type deed int

const (
	looks deed = iota // at the seats left
	reserves
	confirms
	releases
	cancels
)

func (d deed) String() string {
	return [...]string{"availability", "reserve", "confirm", "release", "cancel"}[d]
}

// act is one call of a race, and outcome what its answer says of it.
type act struct {
	deed deed
	hold int // the number of the hold that it makes, or is about
}

type outcome struct {
	done    bool  // it was not refused
	busy    bool  // it was refused for being one of many
	left    int64 // what a look shows
	booking int   // the number of the booking that a confirm brings
}

func (o outcome) String() string {
	switch {
	case o.busy:
		return "too many calls"
	case !o.done:
		return "refused"
	case o.booking > 0:
		return fmt.Sprintf("booking %d", o.booking)
	default:
		return "done"
	}
}

// stage is where a hold is in its life.
type stage int8

const (
	none stage = iota
	held
	booked
	over
)

// seatState is a slot with some holds on it, as a partner has it that does one
// thing after another.
type seatState struct {
	left     int64
	holds    [2 * mostCallers]stage
	booking  int  // the number of the booking that was made
	holdless bool // seats are taken by confirm (CNF-7)
}

func (s seatState) String() string { return seatsWord(s.left) + " left" }

// after returns the state after an act, and whether its answer can be given in
// this state.
func (s seatState) after(a act, o outcome) (bool, seatState) {
	next, hold := s, s.holds[a.hold]
	switch {
	case a.deed == looks:
		return o.left == s.left, s
	case o.busy:
		return true, s
	case a.deed == reserves && !o.done:
		return s.left < 1, s
	case a.deed == reserves:
		next.left--
		next.holds[a.hold] = held
		return s.left >= 1, next
	case a.deed == confirms && !o.done:
		return hold == booked, s
	case a.deed == confirms && hold == held:
		next.holds[a.hold], next.booking = booked, o.booking
		if s.holdless {
			next.left--
		}
	case a.deed == confirms:
		return hold == booked && o.booking == s.booking, s
	case a.deed == releases && hold == held, a.deed == cancels && hold == booked:
		next.left++
		next.holds[a.hold] = over
	}
	return true, next
}

// history is what was called, when, and what came of it.
type history struct {
	start seatState
	began time.Time
	calls []porcupine.Operation
}

// add enters a call.
func (h *history) add(a act, o outcome, exchange *probe.Exchange) {
	if len(h.calls) == 0 {
		h.began = exchange.StartedAt
	}
	sent := exchange.StartedAt.Sub(h.began)
	h.calls = append(h.calls, porcupine.Operation{
		Input: a, Output: o, Call: int64(sent), Return: int64(sent + exchange.Duration),
	})
}

// saw enters looks at a slot, where seats are counted.
func (h *history) saw(read *reading, at look) {
	if read.Counted {
		h.add(act{deed: looks}, outcome{left: at.left}, at.exchange)
	}
}

// longestCheck bounds the search for an order of the calls. Those of a race are
// few: it takes milliseconds.
const longestCheck = 2 * time.Second

// explained reports whether there is an order of the calls, each somewhere between
// its request and its answer, in which a partner that does one thing after another
// would have given these answers. It does not know where the search took too long.
func (h *history) explained() (bool, *obstacle) {
	switch porcupine.CheckOperationsTimeout(h.model(), h.calls, longestCheck) {
	case porcupine.Ok:
		return true, nil
	case porcupine.Illegal:
		return false, nil
	default:
		return false, missing("whether there is an order that explains the answers was not found out in %s", longestCheck)
	}
}

func (h *history) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return h.start },
		Step: func(state, input, output any) (bool, any) {
			return state.(seatState).after(input.(act), output.(outcome))
		},
		DescribeOperation: func(input, output any) string {
			a, o := input.(act), output.(outcome)
			if a.deed == looks {
				return fmt.Sprintf("%s: %d left", a.deed, o.left)
			}
			return fmt.Sprintf("%s: %s", a.deed, o)
		},
		DescribeState: func(state any) string { return state.(seatState).String() },
	}
}

// picture draws a history that nothing explains, as a page of HTML: the calls in
// their time, and how far an order of them can be found. It is nil where the
// search takes too long.
func (h *history) picture() []byte {
	calls := slices.Clone(h.calls)
	inLanes(calls)
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

// inLanes gives each call the first lane of the picture that is free for it.
func inLanes(calls []porcupine.Operation) {
	slices.SortStableFunc(calls, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var free []int64 // when each lane is
	for i, call := range calls {
		lane := slices.IndexFunc(free, func(from int64) bool { return from < call.Call })
		if lane < 0 {
			lane, free = len(free), append(free, 0)
		}
		calls[i].ClientId, free[lane] = lane, call.Return
	}
}
