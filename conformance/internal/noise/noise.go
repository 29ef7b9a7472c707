// Package noise tells a breach of the contract from the doings of other customers.
//
// A live partner has other customers, who move seats while a rule about seats is
// tried. So what is off is tried again, on quieter slots, until one of two
// explanations is far likelier than the other: others were at it, or the rule is
// broken. How likely the first is shows in slots that the suite leaves alone for
// a while. This is Wald's sequential test; its numbers are logarithms of odds.
//
// Nothing here sends a request or reads a clock.
package noise

import (
	"math"
	"time"
)

const (
	// MostTries bounds the tries of one rule.
	MostTries = 8
	// seenIfBroken is how often a broken rule is taken to show itself.
	seenIfBroken = 0.8
	// convicted and acquitted are the odds for a breach at which it is one, 1,800
	// to 1, and at which it is ruled out, 1 to 10.
	convicted, acquitted = 7.5, -2.3
	// mostWeight is what one try can weigh, a hundred to one: none decides alone, but
	// where there can be no other. Ten to one is asked of it then, after a long look.
	mostWeight, alone = 4.6, 2.3
)

// Watch is what was seen of a slot while the suite left it alone: seats
// that change then were changed by another customer.
type Watch struct {
	Lasted time.Duration
	Moves  int
}

// still is the probability that no other customer changes a seat of the slot for so long.
// Seats are taken to be moved at any time alike, at the rate that was seen, or
// half a move where none was.
func (w *Watch) still(took time.Duration) float64 {
	if w.Lasted <= 0 {
		return 0.5 // nothing is known
	}
	return math.Exp(-(float64(w.Moves) + 0.5) * float64(took) / float64(w.Lasted))
}

type Try struct {
	Wrong     bool          // something was off
	Off       int64         // by how many seats; tells one breach from another
	Disturbed bool          // others were seen to move the seats meanwhile: what is off proves nothing
	Took      time.Duration // how long others had to move them
	Slot      *Watch        // of the slot that it was tried on; nil: there are no other customers
}

// weight says by how much a try makes a breach that is so many seats off likelier
// than other customers.
func (t Try) weight(off int64) float64 {
	still := 1.0
	if t.Slot != nil {
		still = t.Slot.still(t.Took)
	}
	switch {
	case !t.Wrong:
		return max(-mostWeight, min(0, math.Log((1-seenIfBroken)/still)))
	case t.Disturbed || t.Off != off:
		return 0
	default:
		// Others may as well have moved the seats the other way.
		return max(0, min(mostWeight, math.Log(seenIfBroken*still/((1-still)/2))))
	}
}

type Answer int

const (
	Undecided Answer = iota
	Holds            // the rule holds
	Broken           // the rule is broken, as the suspect shows
)

// Test weighs the tries of one rule.
type Test struct {
	Clean int // tries that have to hold before the partner is believed
	// Rare says that a broken rule may show itself in few of the tries: a race is lost now and
	// then.
	Rare  bool
	tries []Try
	held  int
}

// Add enters a try, and says what all of them come to.
func (t *Test) Add(try Try) Answer {
	t.tries = append(t.tries, try)
	if !try.Wrong {
		t.held++
	}
	switch odds, _ := t.odds(); {
	case t.Rare && t.held >= t.Clean && t.held == len(t.tries):
		return Holds
	case !t.Rare && t.held >= t.Clean && odds <= acquitted:
		return Holds
	case odds >= convicted:
		return Broken
	default:
		return Undecided
	}
}

// odds are the odds of the likeliest breach that the tries show, and the number of
// the try that shows it first; -1 where nothing was off.
func (t *Test) odds() (odds float64, suspect int) {
	odds, suspect = math.Inf(-1), -1
	for i, wrong := range t.tries {
		if !wrong.Wrong {
			continue
		}
		if sum := t.sum(wrong.Off); sum > odds {
			odds, suspect = sum, i
		}
	}
	return odds, suspect
}

// rates are how often a race is taken to be lost, where it can be.
var rates = []float64{0.5, 0.2, 0.1, 0.05, 0.02, 0.01}

// sum is what the tries weigh for a breach that is so many seats off.
func (t *Test) sum(off int64) float64 {
	if !t.Rare {
		return t.summed(func(try Try) float64 { return try.weight(off) })
	}
	likeliest := math.Inf(-1)
	for _, rate := range rates {
		likeliest = max(likeliest, t.summed(func(try Try) float64 { return try.rareWeight(off, rate) }))
	}
	return likeliest
}

func (t *Test) summed(weight func(Try) float64) (sum float64) {
	for _, try := range t.tries {
		sum += weight(try)
	}
	return sum
}

// rareWeight says by how much a try makes a breach that shows at a rate, and is so many seats off,
// likelier than other customers alone, who are there in either case.
func (t Try) rareWeight(off int64, rate float64) float64 {
	still := 1.0
	if t.Slot != nil {
		still = t.Slot.still(t.Took)
	}
	switch {
	case !t.Wrong:
		return math.Log(1 - rate)
	case t.Disturbed || t.Off != off:
		return 0
	default:
		others := (1 - still) / 2
		return min(mostWeight, math.Log((rate*still+others)/others))
	}
}

// Acquits reports whether the tries of a race, of which some were off, tell of other customers
// and no breach: enough have held, and others were seen.
func (t *Test) Acquits(least int) bool {
	odds, suspect := t.odds()
	return suspect < 0 || t.held >= least && odds < alone && !t.quiet()
}

// Missed is how likely it is that so many tries all hold, where a breach shows in one of n.
func Missed(n, tries int) float64 { return math.Pow(1-1/float64(n), float64(tries)) }

// Suspect is the number of the try that shows the likeliest breach; -1 where nothing
// was off.
func (t *Test) Suspect() int {
	_, suspect := t.odds()
	return suspect
}

// MayStand reports whether tries that have decided nothing, and cannot go on, are
// worth a longer look at the slot of the suspect: what was seen stands if no other
// customer changes a seat during that time.
func (t *Test) MayStand() bool { return (t.Rare || 2*t.held < len(t.tries)) && t.quiet() }

// Stands reports whether they show a breach after that look.
func (t *Test) Stands() bool {
	odds, _ := t.odds()
	return odds >= alone && t.quiet()
}

// quiet reports whether no seat of the slots was seen to change.
func (t *Test) quiet() bool {
	for _, try := range t.tries {
		if try.Disturbed || try.Slot != nil && try.Slot.Moves > 0 {
			return false
		}
	}
	return true
}
