package suite

import (
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
)

// call is a call of a history under test, from one moment to another.
type call struct {
	act
	outcome
	from, to int
}

func TestAHistoryIsExplainedWhereSomeOrderOfItsCallsGivesItsAnswers(t *testing.T) {
	t.Parallel()
	yes, no, busy := outcome{done: true}, outcome{}, outcome{busy: true}
	booked1, booked2 := outcome{done: true, booking: 1}, outcome{done: true, booking: 2}
	left := func(n int64) outcome { return outcome{left: n} }
	twoLeft, oneHeld := seatState{left: 2}, seatState{left: 0}
	oneHeld.holds[0] = held
	oneBooked := seatState{left: 4}
	oneBooked.holds[0] = booked
	holdless := seatState{left: 3, holdless: true}
	holdless.holds[0] = held
	look, release, confirm, cancel := act{deed: looks}, act{deed: releases}, act{deed: confirms}, act{deed: cancels}
	reserve := func(hold int) act { return act{reserves, hold} }
	for _, test := range []struct {
		name      string
		start     seatState
		calls     []call
		explained bool
	}{
		{"as many holds as seats", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), no, 1, 5}, {reserve(2), yes, 2, 6}, {look, left(0), 7, 8}}, true},
		{"a hold too many", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), yes, 1, 5}, {reserve(2), yes, 2, 6}}, false},
		{"a refusal though a seat is left", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), no, 1, 5}}, false},
		{"a call turned away though a seat is left", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), busy, 1, 5}, {look, left(1), 7, 8}}, true},
		{"a call turned away that takes a seat", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), busy, 1, 5}, {look, left(0), 7, 8}}, false},
		{"a seat that is still there", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), yes, 1, 5}, {look, left(1), 7, 8}}, false},
		{"a look in between", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), yes, 1, 5}, {look, left(1), 2, 3}}, true},
		{"a refusal before anybody was served", twoLeft, []call{{reserve(0), no, 1, 2}, {reserve(1), yes, 3, 4}, {reserve(2), yes, 3, 4}}, false},
		{"a released seat for the first", oneHeld, []call{{release, yes, 1, 5}, {release, yes, 1, 5}, {reserve(1), yes, 1, 5}, {reserve(2), no, 1, 5}, {look, left(0), 6, 7}}, true},
		{"a released seat for nobody", oneHeld, []call{{release, yes, 1, 5}, {release, yes, 1, 5}, {reserve(1), no, 1, 5}, {look, left(1), 6, 7}}, true},
		{"a released seat for two", oneHeld, []call{{release, yes, 1, 5}, {release, yes, 1, 5}, {reserve(1), yes, 1, 5}, {reserve(2), yes, 1, 5}}, false},
		{"a seat given back twice", oneHeld, []call{{release, yes, 1, 5}, {release, yes, 1, 5}, {look, left(2), 6, 7}}, false},
		{"a confirm, and a refusal", oneHeld, []call{{confirm, no, 1, 5}, {confirm, yes, 1, 5}, {look, left(0), 6, 7}}, true},
		{"two confirms with one booking", oneHeld, []call{{confirm, yes, 1, 5}, {confirm, yes, 1, 5}, {look, left(0), 6, 7}}, true},
		{"the same booking twice", oneHeld, []call{{confirm, booked1, 1, 5}, {confirm, booked1, 1, 5}, {look, left(0), 6, 7}}, true},
		{"two bookings", oneHeld, []call{{confirm, booked1, 1, 5}, {confirm, booked2, 1, 5}, {look, left(0), 6, 7}}, false},
		{"two confirms that take a seat", oneHeld, []call{{confirm, yes, 1, 5}, {confirm, yes, 1, 5}, {look, left(-1), 6, 7}}, false},
		{"no confirm", oneHeld, []call{{confirm, no, 1, 5}, {confirm, no, 1, 5}}, false},
		{"a confirm of a released hold", oneHeld, []call{{release, yes, 1, 2}, {confirm, yes, 3, 4}}, false},
		{"a partner without holds takes the seat now", holdless, []call{{confirm, yes, 1, 5}, {confirm, yes, 1, 5}, {look, left(2), 6, 7}}, true},
		{"and takes it twice", holdless, []call{{confirm, yes, 1, 5}, {confirm, yes, 1, 5}, {look, left(1), 6, 7}}, false},
		{"two cancellations, one seat", oneBooked, []call{{cancel, yes, 1, 5}, {cancel, yes, 1, 5}, {look, left(5), 6, 7}}, true},
		{"two cancellations, two seats", oneBooked, []call{{cancel, yes, 1, 5}, {cancel, yes, 1, 5}, {look, left(6), 6, 7}}, false},
		{"a release of a booking", oneBooked, []call{{release, yes, 1, 5}, {look, left(4), 6, 7}}, true},
	} {
		h, began := history{start: test.start}, time.Now()
		for _, c := range test.calls {
			h.add(c.act, c.outcome, &probe.Exchange{StartedAt: began.Add(time.Duration(c.from)), Duration: time.Duration(c.to - c.from)})
		}
		if explained, o := h.explained(); o != nil || explained != test.explained {
			t.Errorf("%s: want explained %t, got %t, %v", test.name, test.explained, explained, o)
		}
		if drawn := h.picture(); (drawn == nil) != test.explained {
			t.Errorf("%s: want a picture where nothing explains the history, got %d bytes", test.name, len(drawn))
		}
	}
}

func TestCallsThatMeetAreInLanesOfTheirOwn(t *testing.T) {
	t.Parallel()
	calls := []porcupine.Operation{{Call: 6, Return: 7}, {Call: 1, Return: 3}, {Call: 2, Return: 5}, {Call: 3, Return: 4}}
	inLanes(calls)
	var lanes []int
	for _, call := range calls {
		lanes = append(lanes, call.ClientId)
	}
	if want := []int{0, 1, 2, 0}; !slices.Equal(lanes, want) {
		t.Errorf("want the calls, in the order of their sending, in the lanes %v, got %v", want, lanes)
	}
}

func TestCallsAtOnceAreAllUnderWayAtTheSameTime(t *testing.T) {
	t.Parallel()
	first, second := make(chan int), make(chan int)
	got := atOnce(
		func() int { first <- 1; return <-second },
		func() int { n := <-first; second <- 2; return n },
	)
	if got[0] != 2 || got[1] != 1 {
		t.Errorf("want what came of each call in its place, got %v", got)
	}
}

func TestThereAreNoMoreCallersThanCanBeServedOneAfterAnotherInTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		took time.Duration
		want int64
	}{
		{time.Millisecond, mostCallers}, {time.Second, 5}, {2 * time.Second, 2}, {4 * time.Second, 2}, {6 * time.Second, 2},
	} {
		s := &session{paces: newPaces(1)}
		s.paces[rule.ReserveLimit.ID].record(&probe.Exchange{Duration: time.Microsecond})
		s.paces[rule.ReserveLimit.ID].record(&probe.Exchange{Duration: test.took})
		if got := s.callers(); got != test.want {
			t.Errorf("want %d callers of a partner that takes %s, got %d", test.want, test.took, got)
		}
	}
}
