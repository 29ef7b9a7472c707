package judge

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Try is one try of a rule, to be weighed.
type Try struct {
	noise.Try
	Seen
	Flaw  string     // what was wrong; "" if nothing was
	Sure  bool       // other customers cannot be the cause
	Cause *rule.Rule // the rule that the flaw breaks; nil: the judged rule
	Of    string     // what was raced
	// Suspects lists rules that explain the flaw if one of them is broken.
	Suspects []rule.Rule
	At       *scenario.Reading // of the slot used; nil: other customers do not matter
	JudgedBy []string          // ids of the rules that judged its acts
	Shown    []*report.Exchange
	Picture  []byte        // HTML; may be nil
	Stop     *partner.Stop // why there is nothing to judge

	Uncounted bool // the slot shows no number of seats, or its holds keep none
	Skip      bool // there is nothing to judge here
}

// Finding returns the finding that the try shows a breach.
func (t Try) Finding() Finding {
	return Finding{Outcome: report.Failed, Message: t.Flaw, Picture: t.Picture, Cause: t.Cause, Suspects: t.Suspects, Seen: t.Seen}
}

// NoiseTry returns the part of the try that is weighed.
func (t Try) NoiseTry() noise.Try {
	weighed := t.Try
	weighed.Wrong = t.Flaw != ""
	if t.At != nil {
		weighed.Slot = t.At.Watch
	}
	return weighed
}

// stoppedTry returns a try that was stopped before the judged fact.
func stoppedTry(stop *partner.Stop) Try { return Try{Stop: partner.StopOrDefault(stop)} }

// Move is one expectation about seats in a lifecycle: after equals before plus by. A reading is nil if
// the lifecycle was stopped before it.
type Move struct {
	before, after *scenario.Reading
	via           []*scenario.Reading // in between; changes outside the lifecycle's own steps do not count
	by            int64
	infants       int64 // among the guests whose seats change; they may have no seat
	stop          *partner.Stop
	between       []*report.Exchange // what happened between the readings
}

// seatChange returns by how many seats the slot changed during the lifecycle's steps, and how long these
// took.
func (m Move) seatChange() (seats int64, took time.Duration) {
	last := m.before
	for _, next := range append(slices.Clone(m.via), m.after) {
		seats += next.First.Left - last.Last.Left
		took += next.First.Time().Sub(last.Last.Time())
		last = next
	}
	return seats, took
}

func (m Move) String() string {
	seats, _ := m.seatChange()
	return fmt.Sprintf("Expected %s left %s (%d %s), received %d",
		model.SeatsWord(m.before.Last.Left+m.by), m.after.When, m.before.Last.Left, m.before.When, m.before.Last.Left+seats)
}

func (m Move) try() Try {
	if m.before == nil || m.after == nil {
		return stoppedTry(m.stop)
	}
	if !m.before.Counted || !m.after.Counted {
		t := stoppedTry(m.stop)
		t.Uncounted = true
		return t
	}
	seats, took := m.seatChange()
	t := Try{At: m.after}
	off := m.seatDifference(seats)
	t.Took = took
	if off != 0 {
		t.Flaw, t.Off = m.String(), off
		t.Emptied = off < 0 && m.after.First.Left == 0
		t.Shown = slices.Concat([]*report.Exchange{m.before.Last.Shown}, m.between, []*report.Exchange{m.after.First.Shown})
	}
	return t
}

// seatDifference returns by how many seats a change differs from the expected one.
func (m Move) seatDifference(seats int64) int64 {
	off := seats - m.by
	if m.by < 0 && off > 0 {
		return max(0, off-m.infants)
	}
	if m.by > 0 && off < 0 {
		return min(0, off+m.infants)
	}
	return off
}

// expectUnchanged expects that acts have not changed the seats since a reading.
func expectUnchanged(before *scenario.Reading, stop *partner.Stop, acts ...scenario.Act) Move {
	return Move{before: before, after: lastAct(acts).After, stop: stop, between: exchangesOf(acts...)}
}

// lastAct returns the last of the acts, or the zero Act.
func lastAct(acts []scenario.Act) scenario.Act {
	if len(acts) == 0 {
		return scenario.Act{}
	}
	return acts[len(acts)-1]
}

// judgeReserve judges a reserve after a reading by a rule that requires one of the wanted answers.
// Another customer who took or returned the seat can explain a hold or a refusal, but no other
// answer. The seats are not counted if the answer was as required.
func judgeReserve(before *scenario.Reading, act scenario.Act, stop *partner.Stop, wanted ...int) Try {
	if act.Answer == nil {
		return stoppedTry(stop)
	}
	answer, after := act.Answer, act.After
	for _, answer = range act.Answers() {
		if !answer.HasStatus(wanted...) {
			break
		}
	}
	t := Try{Shown: []*report.Exchange{before.Last.Exchange, answer.Exchange}}
	if answer.HasStatus(wanted...) {
		return t
	}
	t.Flaw = "Expected " + partner.AnyOf(wanted) + ", received " + answer.Words()
	t.Sure = after == nil || !answer.HasStatus(200, 201, 400)
	if after != nil {
		t.At, t.Took = after, scenario.Middle(answer.Exchange).Sub(before.Last.Time())
	}
	return t
}

// exchangesOf returns the exchanges of the acts that were answered.
func exchangesOf(acts ...scenario.Act) []*report.Exchange {
	var exchanges []*report.Exchange
	for _, act := range acts {
		for _, answer := range act.Answers() {
			exchanges = append(exchanges, answer.Exchange)
		}
	}
	return exchanges
}
