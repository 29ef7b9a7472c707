package judge

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
)

// Move is one expectation about seats, measured in a story: after is before
// plus by. Either reading is nil where the story was stopped before it.
type Move struct {
	before, after *scenario.Reading
	via           []*scenario.Reading // in between; what moved while the story itself did nothing does not count
	by            int64
	stop          *scenario.Stop
	between       []*probe.Exchange // what happened between the readings
}

// moved is by how many seats the slot changed with the steps of the story, and how
// long these took.
func (m Move) moved() (seats int64, took time.Duration) {
	last := m.before
	for _, next := range append(slices.Clone(m.via), m.after) {
		seats += next.First.Left - last.Last.Left
		took += next.First.At().Sub(last.Last.At())
		last = next
	}
	return seats, took
}

func (m Move) String() string {
	seats, _ := m.moved()
	return fmt.Sprintf("want %s left %s (%d %s), got %d",
		model.SeatsWord(m.before.Last.Left+m.by), m.after.When, m.before.Last.Left, m.before.When, m.before.Last.Left+seats)
}

// try is what a move says of its rule.
func (m Move) try() Try {
	if m.before == nil || m.after == nil {
		return unplayed(m.stop)
	}
	if !m.before.Counted || !m.after.Counted {
		t := unplayed(m.stop)
		t.Uncounted = true
		return t
	}
	seats, took := m.moved()
	t := Try{At: m.after}
	t.Took, t.Off = took, seats-m.by
	if t.Off != 0 {
		t.Flaw = m.String()
		t.Shown = slices.Concat([]*probe.Exchange{m.before.Last.Shown}, m.between, []*probe.Exchange{m.after.First.Shown})
	}
	return t
}

// reserved is what a reserve between two readings says of its rule, which wants
// one of these answers. That another customer took or gave back the seat that it
// was about can explain a hold or a refusal, and no other answer. After is nil
// where the answer was as it should be.
func reserved(before *scenario.Reading, answer *probe.Answer, after *scenario.Reading, stop *scenario.Stop, wanted ...int) Try {
	if answer == nil {
		return unplayed(stop)
	}
	t := Try{Shown: []*probe.Exchange{before.Last.Exchange, answer.Exchange}}
	if answer.OK(wanted...) {
		return t
	}
	t.Flaw = "want " + scenario.AnyOf(wanted) + ", got " + answer.Words()
	t.Sure = after == nil || !answer.OK(200, 201, 400)
	if after != nil {
		t.At, t.Took = after, scenario.Middle(answer.Exchange).Sub(before.Last.At())
	}
	return t
}
