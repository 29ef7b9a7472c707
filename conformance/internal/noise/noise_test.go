package noise

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestSlotsThatMovedLessAreExpectedToStayUnchanged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		watch Watch
		took  time.Duration
		still float64
	}{
		{Watch{}, time.Second, 0.5},
		{Watch{Lasted: 10 * time.Second}, time.Second, math.Exp(-0.05)},
		{Watch{Lasted: 10 * time.Second}, 10 * time.Second, math.Exp(-0.5)},
		{Watch{Lasted: 10 * time.Second, Moves: 5}, time.Second, math.Exp(-0.55)},
		{Watch{Lasted: 10 * time.Second, Moves: 100}, 10 * time.Second, math.Exp(-100.5)},
	} {
		if got := test.watch.probabilityOfNoChange(test.took, 0, Watch{Moves: 1}); math.Abs(got-test.still) > 1e-9 {
			t.Errorf("%+v for %s: want %g, got %g", test.watch, test.took, test.still, got)
		}
	}
}

// newWatch is a slot that was watched for so many times as long as a try takes, and on
// which others moved the seats so often.
func newWatch(times, moves int) *Watch {
	return &Watch{Lasted: time.Duration(times) * time.Second, Moves: moves}
}

// holds and isOff are tries of a second, on a slot that was watched as seen says.
func holds(at *Watch) Try { return Try{Took: time.Second, Slot: at} }

func isOff(by int64, at *Watch) Try {
	return Try{Wrong: true, Off: by, Took: time.Second, Slot: at}
}

// empties is a try that is off and leaves no seats.
func empties(by int64, at *Watch) Try {
	t := isOff(by, at)
	t.Emptied = true
	return t
}

func TestTriesAreWeighedUntilOtherCustomersOrABreachIsFarLikelier(t *testing.T) {
	t.Parallel()
	var (
		passing         = newWatch(3, 0)
		calm, busy, mad = newWatch(10, 0), newWatch(20, 4), newWatch(10, 20)
		disturbed       = Try{Wrong: true, Disturbed: true, Took: time.Second, Slot: busy}
	)
	for _, test := range []struct {
		name   string
		clean  int
		tries  []Try // the last again and again
		most   int   // tries that there are
		want   Answer
		stands bool // where it is undecided: what was seen stands
		played int
	}{
		{"it holds", 1, []Try{holds(calm)}, MostTries, Holds, false, 1},
		{"it has to hold three times", 3, []Try{holds(calm)}, MostTries, Holds, false, 3},
		{"it is off in the same way where no one else is seen", 1, []Try{isOff(1, calm)}, MostTries, Broken, false, 4},
		{"it is off once, and holds then", 1, []Try{isOff(1, calm), holds(calm)}, MostTries, Holds, false, 5},
		{"it is off once where others are at it, and holds then", 1, []Try{isOff(1, busy), holds(calm)}, MostTries, Holds, false, 4},
		{"it is off each time in another way", 1, []Try{isOff(1, busy), isOff(-1, busy), isOff(2, busy), holds(calm), isOff(-2, busy), holds(calm)}, MostTries, Holds, false, 7},
		{"it is off in the same way where others are seen now and then", 1, []Try{isOff(1, busy)}, MostTries, Broken, false, 6},
		{"it is off where others move seats all the time", 1, []Try{isOff(1, mad)}, MostTries, Undecided, false, 8},
		{"others are seen at it each time", 1, []Try{disturbed}, MostTries, Undecided, false, 8},
		{"it is off once where no one else is seen for long, and cannot be tried again", 1, []Try{isOff(1, calm)}, 1, Undecided, true, 1},
		{"it is off once where no one else is seen for a moment, and cannot be tried again", 1, []Try{isOff(1, passing)}, 1, Undecided, false, 1},
		{"it is off by fewer seats where none are left then", 1, []Try{isOff(-3, calm), empties(-2, calm)}, 2, Undecided, true, 2},
		{"it is off by more seats, and none are left then", 1, []Try{isOff(-1, calm), empties(-2, calm)}, 2, Undecided, false, 2},
		{"it is off by fewer seats, and some are left", 1, []Try{isOff(-3, calm), isOff(-2, calm)}, 2, Undecided, false, 2},
		{"none are left by a try of another kind", 1, []Try{isOff(-3, calm), empties(-2+1<<32, calm)}, 2, Undecided, false, 2},
		{"it is off once where others are at it, and cannot be tried again", 1, []Try{isOff(1, busy)}, 1, Undecided, false, 1},
	} {
		w, got, played := Test{Clean: test.clean}, Undecided, 0
		for ; played < test.most && got == Undecided; played++ {
			got = w.Add(test.tries[min(played, len(test.tries)-1)])
		}
		if got != test.want || played != test.played {
			t.Errorf("%s: want %d after %d tries, got %d after %d", test.name, test.want, test.played, got, played)
		}
		if _, stands := w.Stands(); (got == Undecided && len(w.ToWatch()) > 0 && stands) != test.stands {
			t.Errorf("%s: want it to stand %t, got %t", test.name, test.stands, stands)
		}
		if suspect := w.Suspect(); test.tries[0].Wrong != (suspect >= 0) {
			t.Errorf("%s: want a suspect where something was off, got %d", test.name, suspect)
		}
	}
}

// Other customers make thousands of results of a run unexpected, and a partner that gives no seats back
// makes them book elsewhere, so it seems busier in some slots than it seemed before.
func TestABreachNeedsAThirdTryWhereOthersWereSeen(t *testing.T) {
	t.Parallel()
	calm := newWatch(200, 0)
	for others, most := range map[int]int{0: 2, 1: 3} {
		test, got, played := Test{Clean: 1, Run: Watch{Moves: others}}, Undecided, 0
		for ; played < test.MaxTries() && got == Undecided; played++ {
			got = test.Add(isOff(-1, calm))
		}
		if got != Broken || played != most {
			t.Errorf("others seen %d times: expected it to be broken after %d tries, received %d after %d", others, most, got, played)
		}
	}
}

// These were the results of a slot at a partner without a breach, whose customers came as soon as
// the suite had booked it. It had been watched for seconds.
func TestTriesThatAreOffInDifferentWaysShowOtherCustomers(t *testing.T) {
	t.Parallel()
	calm := newWatch(40, 1)
	for _, offs := range [][]int64{{1, 1, -4, 1, -3, 1}, {-3, 4, -3, 3, -3, -3}, {-3, 1, 1, 1, 1}} {
		test := Test{Clean: 1, Run: Watch{Moves: 1}}
		for i, off := range offs {
			if got := test.Add(isOff(off, calm)); got == Broken {
				t.Errorf("%v: expected no breach, received one after %d tries", offs, i+1)
			}
		}
	}
}

// A slot that was watched for a moment only is as calm as the others of the run, as far as anyone can tell.
func TestARunInWhichNoSlotMovedNeedsFewerTries(t *testing.T) {
	t.Parallel()
	for run, most := range map[Watch]int{{}: 3, {Lasted: 100 * time.Second}: 2} {
		test, got, played := Test{Clean: 1, Run: run}, Undecided, 0
		for ; played < test.MaxTries() && got == Undecided; played++ {
			got = test.Add(isOff(-1, newWatch(6, 0)))
		}
		if got != Broken || played != most {
			t.Errorf("all slots watched for %s: expected it to be broken after %d tries, received %d after %d", run.Lasted, most, got, played)
		}
	}
}

func TestABreachThatShowsNowAndThenIsFoundWhereNoOneElseIs(t *testing.T) {
	t.Parallel()
	const off, fine = true, false
	calm := newWatch(200, 0)
	for _, test := range []struct {
		name       string
		others     int
		offs       []bool // then fine
		want       Answer
		mostPlayed int
	}{
		{"once", 0, []bool{off}, Holds, 6},
		{"in one of three", 0, []bool{off, fine, fine, off}, Broken, 4},
		{"in one of five", 0, []bool{off, fine, fine, fine, fine, off}, Broken, 6},
		{"in one of five, where others are seen", 1, []bool{off, fine, fine, fine, fine, off}, Holds, 10},
	} {
		w, got, played := Test{Clean: 1, Run: Watch{Lasted: 1000 * time.Second, Moves: test.others}}, Undecided, 0
		for ; played < w.MaxTries() && got == Undecided; played++ {
			if played < len(test.offs) && test.offs[played] {
				got = w.Add(isOff(-1, calm))
			} else {
				got = w.Add(holds(calm))
			}
		}
		if got != test.want || played > test.mostPlayed {
			t.Errorf("%s: expected %d after at most %d tries, received %d after %d", test.name, test.want, test.mostPlayed, got, played)
		}
	}
}

// Around the end of a hold of 20 minutes two minutes pass in which others may move
// its seats: no short look at the slot would show that they do not.
func TestASeatThatIsGoneWithAnExpiredHoldIsABreachWhereItsSlotWasWatchedMeanwhile(t *testing.T) {
	t.Parallel()
	for live, around := range map[time.Duration]time.Duration{14 * time.Second: 2 * time.Second, 19 * time.Minute: 2 * time.Minute} {
		lost, test, got := Try{Wrong: true, Off: -1, Took: around, Slot: &Watch{}}, Test{Clean: 1}, Undecided
		for range 3 {
			lost.Slot.Lasted += live
			got = test.Add(lost)
		}
		if got != Broken {
			t.Errorf("%s: want three holds to show it, got %d", live, got)
		}
	}
}

func TestARaceThatIsLostNowAndThenIsFoundOrSaidToBeUnsure(t *testing.T) {
	t.Parallel()
	rounds := func(n int, off ...int) []Try {
		tries := make([]Try, n)
		for i := range tries {
			tries[i] = holds(newWatch(1000, 0))
		}
		for _, i := range off {
			tries[i] = isOff(1, newWatch(1000, 0))
		}
		return tries
	}
	for name, test := range map[string]struct {
		tries    []Try
		want     Answer
		stands   bool
		rulesOut bool
	}{
		"it never shows": {rounds(120), Holds, false, true},
		"one of three":   {rounds(120, 2, 5, 8), Broken, false, false},
		"one of twenty":  {rounds(120, 19, 39, 59, 79), Broken, false, false},
		"once, where no one else was seen for long": {rounds(120, 60), Undecided, true, false},
	} {
		race, got := Test{Clean: 120, Rare: true, Least: 3}, Undecided
		for _, try := range test.tries {
			if got = race.Add(try); got != Undecided {
				break
			}
		}
		if got != test.want {
			t.Errorf("%s: expected %d, received %d", name, test.want, got)
		}
		if _, stands := race.Stands(); got == Undecided && (stands != test.stands || race.Unsettled() < 0 != test.rulesOut) {
			t.Errorf("%s: expected stands %t and acquits %t, received %t and suspect %d", name, test.stands, test.rulesOut, stands, race.Unsettled())
		}
	}
	// Two results of a hundred are unexpected by chance where other customers are active.
	for others, want := range map[int]Answer{0: Broken, 1: Undecided} {
		race, got := Test{Clean: 120, Rare: true, Run: Watch{Moves: others}}, Undecided
		for _, try := range rounds(20, 5, 19) {
			got = race.Add(try)
		}
		if got != want {
			t.Errorf("two of twenty rounds, others seen %d times: expected %d, received %d", others, want, got)
		}
		if got = race.Add(isOff(1, newWatch(1000, 0))); got != Broken {
			t.Errorf("three of 21 rounds, others seen %d times: expected a breach, received %d", others, got)
		}
	}
	// Others who return seats of a slot that is sold out are off by as many as a breach, each time.
	returning := Test{Clean: 120, Rare: true, Run: Watch{Moves: 1}}
	for i := range 20 {
		if got := returning.Add(isOff(1, newWatch(1000, min(1, i)))); got == Broken {
			t.Errorf("seats that come back in a slot where others were seen: expected no breach, received one after %d rounds", i+1)
		}
	}
	bothWays := Test{Clean: 120, Rare: true, Run: Watch{Moves: 1}}
	for i, off := range []int64{1, 0, 0, -1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, -1} {
		if try := isOff(off, newWatch(1000, 0)); off != 0 && bothWays.Add(try) == Broken || off == 0 && bothWays.Add(holds(newWatch(1000, 0))) == Broken {
			t.Errorf("seats that are too many in some rounds and too few in others: expected no breach, received one after %d", i+1)
		}
	}
	busy := Test{Clean: 10, Rare: true, Least: 3}
	for i := range 10 {
		try := holds(newWatch(20, 4))
		try.Wrong = i%5 == 0
		busy.Add(try)
	}
	if busy.Unsettled() >= 0 {
		t.Error("expected tries that were off where others were seen to prove nothing")
	}
}

// Others who return seats of a slot that is sold out are off by as many as a breach, and the moments in
// which the slot is watched may be too few to see them.
func TestCustomersWhoReturnSeatsNowAndThenAreNotTakenForARaceThatIsLost(t *testing.T) {
	t.Parallel()
	const runs, rounds = 100, 60
	for _, perRound := range []float64{0.01, 0.02, 0.05, 0.1, 0.2} {
		accused := 0
		for seed := range uint64(runs) {
			dice := rand.New(rand.NewPCG(seed, 0))
			// Calm moments, which others happened to leave out.
			slot := &Watch{Lasted: 8 * time.Second}
			race, got := Test{Clean: rounds, Rare: true, Run: Watch{Moves: 1}}, Undecided
			for played := 0; played < rounds && got == Undecided; played++ {
				if dice.Float64() < perRound {
					got = race.Add(isOff(1, slot))
				} else {
					slot.Lasted += time.Second
					got = race.Add(holds(slot))
				}
			}
			if got == Broken {
				accused++
			}
		}
		if accused > 0 {
			t.Errorf("others who return seats in %g of the rounds: %d of %d partners without a breach were accused", perRound, accused, runs)
		}
	}
}

func TestTheProbabilityOfAMissedRaceIsStated(t *testing.T) {
	t.Parallel()
	if got := MissProbability(20, 90); math.Abs(got-0.0099) > 0.0001 {
		t.Errorf("expected 90 tries to miss a breach in 1 of 20 with 0.99%%, received %g", got)
	}
}
