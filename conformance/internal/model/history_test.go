package model

import (
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// call is a call of a history under test, from one moment to another.
type call struct {
	Call
	Outcome
	from, to int
}

func ofOne(stage Stage) Hold { return Hold{Party: Party{Guests: 1}, Stage: stage} }

func TestAHistoryIsExplainedWhereSomeOrderOfItsCallsGivesItsAnswers(t *testing.T) {
	t.Parallel()
	yes, no, busy := Outcome{Done: true}, Outcome{}, Outcome{Busy: true}
	booked1, booked2 := Outcome{Done: true, Booking: 1}, Outcome{Done: true, Booking: 2}
	left := func(n int64) Outcome { return Outcome{Left: n} }
	counted := func(left int64) Seats { return Seats{Counted: true, Least: left} }
	uncounted := func() *History { return NewHistory(Seats{}, false, ofOne(Booked)) }
	twoLeft := func() *History { return NewHistory(counted(2), false) }
	oneHeld := func() *History { return NewHistory(counted(0), false, ofOne(Held)) }
	oneBooked := func() *History { return NewHistory(counted(4), false, ofOne(Booked)) }
	holdless := func() *History { return NewHistory(counted(3), true, ofOne(Held)) }
	look, release, confirm, cancel := Call{Kind: Look}, Call{Kind: Release}, Call{Kind: Confirm}, Call{Kind: Cancel}
	reserve := func(hold int) Call { return Call{Kind: Reserve, Hold: hold} }
	for _, test := range []struct {
		name      string
		start     func() *History
		calls     []call
		explained bool
	}{
		{"a hold before a cancellation, where seats are not counted", uncounted, []call{{reserve(1), yes, 1, 2}, {cancel, yes, 3, 4}, {cancel, yes, 3, 4}}, true},
		{"a refusal where seats are not counted", uncounted, []call{{cancel, yes, 1, 2}, {reserve(1), no, 3, 4}}, true},
		{"as many holds as seats", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), no, 1, 5}, {reserve(2), yes, 2, 6}, {look, left(0), 7, 8}}, true},
		{"a hold too many", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), yes, 1, 5}, {reserve(2), yes, 2, 6}}, false},
		{"a refusal though a seat is left", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), no, 1, 5}}, false},
		{"a call turned away though a seat is left", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), busy, 1, 5}, {look, left(1), 7, 8}}, true},
		{"a call turned away that takes a seat", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), busy, 1, 5}, {look, left(0), 7, 8}}, false},
		{"a seat that is still there", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), yes, 1, 5}, {look, left(1), 7, 8}}, false},
		{"a look in between", twoLeft, []call{{reserve(0), yes, 1, 5}, {reserve(1), yes, 1, 5}, {look, left(1), 2, 3}}, true},
		{"a refusal before anybody was served", twoLeft, []call{{reserve(0), no, 1, 2}, {reserve(1), yes, 3, 4}, {reserve(2), yes, 3, 4}}, false},
		{"a released seat for the first", oneHeld, []call{{release, yes, 1, 5}, {release, yes, 1, 5}, {reserve(1), yes, 1, 5}, {reserve(2), no, 1, 5}, {look, left(0), 6, 7}}, true},
		{"a released seat that no one gets", oneHeld, []call{{release, yes, 1, 5}, {release, yes, 1, 5}, {reserve(1), no, 1, 5}, {look, left(1), 6, 7}}, true},
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
		h, began := test.start(), time.Now()
		for _, c := range test.calls {
			h.Add(c.Call, c.Outcome, began.Add(time.Duration(c.from)), time.Duration(c.to-c.from))
		}
		if explained, o := h.IsLinearizable(); o != nil || explained != test.explained {
			t.Errorf("%s: want explained %t, got %t, %v", test.name, test.explained, explained, o)
		}
		if drawn := h.Picture(); (drawn == nil) != test.explained {
			t.Errorf("%s: want a picture where nothing explains the history, got %d bytes", test.name, len(drawn))
		}
	}
}

func TestConcurrentCallsAreDrawnInSeparateRows(t *testing.T) {
	t.Parallel()
	calls := []porcupine.Operation{{Call: 6, Return: 7}, {Call: 1, Return: 3}, {Call: 2, Return: 5}, {Call: 3, Return: 4}}
	inRows(calls)
	var rows []int
	for _, call := range calls {
		rows = append(rows, call.ClientId)
	}
	if want := []int{0, 1, 2, 0}; !slices.Equal(rows, want) {
		t.Errorf("want the calls, in the order of their sending, in the rows %v, got %v", want, rows)
	}
}
