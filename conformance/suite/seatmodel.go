package suite

import (
	"time"

	"github.com/anishathalye/porcupine"

	"partnerkit.dev/conformance/probe"
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

// act is one call of a race, and outcome what its answer says of it.
type act struct {
	deed deed
	hold int // the number of the hold that it makes, or is about
}

type outcome struct {
	done bool  // it was not refused
	left int64 // what a look shows
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
	holdless bool // seats are taken by confirm (CNF-7)
}

// after returns the state after an act, and whether its answer can be given in
// this state.
func (s seatState) after(a act, o outcome) (bool, seatState) {
	next, hold := s, s.holds[a.hold]
	switch {
	case a.deed == looks:
		return o.left == s.left, s
	case a.deed == reserves && !o.done:
		return s.left < 1, s
	case a.deed == reserves:
		next.left--
		next.holds[a.hold] = held
		return s.left >= 1, next
	case a.deed == confirms && !o.done:
		return hold == booked, s
	case a.deed == confirms && hold == held:
		next.holds[a.hold] = booked
		if s.holdless {
			next.left--
		}
	case a.deed == confirms:
		return hold == booked, s
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

// saw enters readings, where seats are counted.
func (h *history) saw(readings ...*reading) {
	for _, r := range readings {
		if r.Counted {
			h.add(act{deed: looks}, outcome{left: r.Left}, r.exchange)
		}
	}
}

// longestCheck bounds the search for an order of the calls. Those of a race are
// few: it takes milliseconds.
const longestCheck = 2 * time.Second

// explained reports whether there is an order of the calls, each somewhere between
// its request and its answer, in which a partner that does one thing after another
// would have given these answers. It does not know where the search took too long.
func (h *history) explained() (bool, *obstacle) {
	model := porcupine.Model{
		Init: func() any { return h.start },
		Step: func(state, input, output any) (bool, any) {
			return state.(seatState).after(input.(act), output.(outcome))
		},
	}
	switch porcupine.CheckOperationsTimeout(model, h.calls, longestCheck) {
	case porcupine.Ok:
		return true, nil
	case porcupine.Illegal:
		return false, nil
	default:
		return false, missing("whether there is an order that explains the answers was not found out in %s", longestCheck)
	}
}
