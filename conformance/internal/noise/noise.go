// Package noise distinguishes a breach of the contract from the actions of other customers.
//
// A live partner has other customers, who change seats while a rule about seats is tested. So an
// unexpected result is tried again, on quieter slots, until one of two explanations is far
// likelier: other customers, or a broken rule. Slots that the suite leaves alone for a while show
// how likely other customers are. This is Wald's sequential test; its numbers are logarithms of
// odds.
//
// Nothing here sends a request or reads a clock.
package noise

import (
	"math"
	"time"
)

const (
	// MostTries is the maximum number of tries of one rule; mostAmongOthers where other customers
	// are seen.
	MostTries, mostAmongOthers = 8, 12
	// usually is the assumed probability that a try shows a broken rule.
	usually = 0.8
	// certain and ruledOut are the log odds at which a breach counts as certain, 1,800 to 1, and
	// at which it is ruled out, 1 to 10. certainAmongOthers, 100,000 to 1, is for partners whose
	// other customers are seen: they make many of the thousands of results of a run unexpected,
	// and one of these would otherwise count as certain by chance.
	certain, certainAmongOthers, ruledOut = 7.5, 11.5, -2.3
	// mostWeight is the maximum weight of one try, a hundred to one, so that one try alone does not
	// decide. If no other try is possible, alone is enough after a long watch: ten to one.
	mostWeight, alone = 4.6, 2.3
)

// Watch is what was seen of a slot while the suite left it alone. Seats that changed then were
// changed by other customers.
type Watch struct {
	Lasted time.Duration
	Moves  int
}

// calmShare is the divisor of the time for which all slots were watched, if none changed: so
// much of it counts for each slot, since customers may come to this one alone.
const calmShare = 4

// probabilityOfNoChange returns the probability that no other customer changes a seat of the slot for that long. It
// assumes that changes are equally likely at any time, at the rate that was seen plus half a
// change. unexpected is the number of earlier results of the slot that others must have caused if no
// rule is broken. run is the watch of all slots of the run together.
func (w *Watch) probabilityOfNoChange(took time.Duration, unexpected int, run Watch) float64 {
	lasted := w.Lasted
	if run.Moves == 0 {
		lasted += run.Lasted / calmShare
	}
	if lasted <= 0 {
		return 0.5 // no information
	}
	return math.Exp(-(float64(w.Moves+unexpected) + 0.5) * float64(took) / float64(lasted))
}

// Try is one attempt at what a rule is about.
type Try struct {
	Wrong     bool          // the result was unexpected
	Off       int64         // by how many seats, or the sign of that; distinguishes one breach from another
	Emptied   bool          // no seats were left, so that more could not be taken than Off
	Disturbed bool          // others were seen to change the seats meanwhile, so a flaw proves nothing
	Took      time.Duration // how long others had to change them
	Slot      *Watch        // of the slot used; nil: other customers do not matter
}

// fits reports whether a try is unexpected in the way of a breach by this number of seats. A try that
// left no seats may show fewer. Tries of different kinds are off by very different numbers.
func (t Try) fits(off int64) bool {
	return t.Off == off || t.Emptied && t.Off > off && t.Off-off < math.MaxInt32
}

// weight returns by how much a try makes a breach that shows at a rate, with this number of seats,
// likelier than other customers, who leave the seats unchanged during the try with the probability
// still.
func (t Try) weight(off int64, rate, still float64) float64 {
	switch {
	case !t.Wrong:
		return max(-mostWeight, min(0, math.Log((1-rate)/still)))
	case t.Disturbed || !t.fits(off):
		return 0
	default:
		// Others might equally have changed the seats the other way.
		return max(0, min(mostWeight, math.Log(rate*still/((1-still)/2))))
	}
}

// Slots is how many slots were compared with what they were before, and how many of them differ in the same way.
type Slots struct{ Compared, Differ int }

// ShowsBreach reports whether a rule is far likelier than other customers to be the cause of what differs in the slots that
// the run has touched. Those that it left alone, at the same time and of the same options, show how often other customers
// change one; where there are any, they may come to those that the run books several times as often. others: some were
// seen in the run.
func ShowsBreach(touched, untouched Slots, others bool) bool {
	if touched.Differ == 0 {
		return false
	}
	sure, byOthers := certain, (float64(untouched.Differ)+0.5)/float64(untouched.Compared+1)
	if others || untouched.Differ > 0 {
		sure, byOthers = certainAmongOthers, min(calmShare*byOthers, usually)
	}
	share := min(float64(touched.Differ)/float64(touched.Compared), usually)
	return float64(touched.Differ)*math.Log(share/byOthers)+float64(touched.Compared-touched.Differ)*math.Log((1-share)/max(1-byOthers, 1-usually)) >= sure
}

// Answer is the conclusion from the tries of a rule.
type Answer int

// The conclusions.
const (
	Undecided Answer = iota
	Holds            // the rule passes
	Broken           // the rule is broken, as the suspect shows
)

// Test weighs the tries of one rule.
type Test struct {
	Clean int // tries that must pass before the rule passes
	// Rare means that a broken rule may show in few of the tries, because a race is not lost every
	// time.
	Rare  bool
	Least int // tries of a race that must pass before others may be the cause of the flaws in the rest
	// Run is the watch of all slots of the run together.
	Run   Watch
	tries []Try
	held  int
}

// hasOthers reports whether other customers were seen in this run.
func (t *Test) hasOthers() bool { return t.Run.Moves > 0 }

// MaxTries returns the maximum number of tries.
func (t *Test) MaxTries() int {
	if t.hasOthers() {
		return mostAmongOthers
	}
	return MostTries
}

// Add adds a try and returns the result of all tries.
func (t *Test) Add(try Try) Answer {
	sure := certain
	if t.hasOthers() {
		sure = certainAmongOthers
	}
	t.tries = append(t.tries, try)
	if !try.Wrong {
		t.held++
	}
	odds, _ := t.odds()
	switch {
	case t.Rare && t.held >= t.Clean && t.held == len(t.tries):
		return Holds
	case odds >= sure && !t.isCrowded():
		return Broken
	}
	if often, _ := t.oddsAt(usually); !t.Rare && t.held >= t.Clean && often <= ruledOut {
		return Holds
	}
	return Undecided
}

// calmRates lists how often a broken rule may show in the tries of a run in which no other customer
// was seen, so that two unexpected tries of several are enough; raceRates how often a race may be
// lost.
var (
	calmRates = []float64{usually, 0.5, 0.2}
	raceRates = []float64{0.5, 0.2, 0.1, 0.05, 0.02, 0.01}
)

// odds returns the odds of the likeliest breach, and the index of the first try that shows it; -1
// if no try showed a flaw.
func (t *Test) odds() (odds float64, suspect int) {
	switch {
	case t.Rare:
		return t.oddsAt(raceRates...)
	case t.hasOthers():
		return t.oddsAt(usually)
	default:
		return t.oddsAt(calmRates...)
	}
}

// oddsAt returns the odds of the likeliest breach that shows at one of the rates, like odds.
func (t *Test) oddsAt(rates ...float64) (odds float64, suspect int) {
	odds, suspect = math.Inf(-1), -1
	for i, wrong := range t.tries {
		if !wrong.Wrong {
			continue
		}
		for _, rate := range rates {
			if sum := t.sum(wrong.Off, rate); sum > odds {
				odds, suspect = sum, i
			}
		}
	}
	return odds, suspect
}

// sum returns the weight of the tries for a breach that shows at a rate, with this number of seats.
func (t *Test) sum(off int64, rate float64) (sum float64) {
	mostStill, weight := t.mostStill(off), Try.weight
	if t.Rare {
		sameWay := 0.5
		if t.hasOthers() { // those who are seen only return seats of a slot that is sold out
			sameWay = 1
		}
		weight = func(try Try, off int64, rate, still float64) float64 {
			return try.rareWeight(off, rate, still, sameWay)
		}
	}
	unexpected := map[*Watch]int{}
	for _, try := range t.tries {
		sum += weight(try, off, rate, t.probabilityOfCalm(try, unexpected[try.Slot], mostStill))
		if try.Wrong && !try.Disturbed { // what disturbed a try is in the watch
			unexpected[try.Slot]++
		}
	}
	return sum
}

// mostStill returns the maximum probability that others change no seat during a try: 1 unless tries
// were disturbed, or off by another number of seats than off. Others come in bursts, and to slots
// that the suite books, so a watch of the slot may have missed them.
func (t *Test) mostStill(off int64) float64 {
	moved := 0
	for _, try := range t.tries {
		if try.Disturbed || try.Wrong && !try.fits(off) {
			moved++
		}
	}
	if moved == 0 {
		return 1
	}
	return 1 - (float64(moved)+0.5)/float64(len(t.tries)+1)
}

// probabilityOfCalm returns the probability that others change no seat of the slot of a try meanwhile, after so
// many unexpected tries there.
func (t *Test) probabilityOfCalm(try Try, unexpected int, most float64) float64 {
	if try.Slot == nil {
		return 1
	}
	return min(most, try.Slot.probabilityOfNoChange(try.Took, unexpected, t.Run))
}

// rareWeight returns by how much a try makes a breach likelier that shows at a rate, with this
// number of seats. It compares that with other customers alone, who are present in either case.
// sameWay is the probability that they change the seats in the way of the breach.
func (t Try) rareWeight(off int64, rate, still, sameWay float64) float64 {
	switch {
	case !t.Wrong:
		return math.Log(1 - rate)
	case t.Disturbed || !t.fits(off):
		return 0
	default:
		others := (1 - still) * sameWay
		return min(mostWeight, math.Log((rate*still+others)/others))
	}
}

// MissProbability returns the probability that all tries pass although a breach shows in one of n.
func MissProbability(n, tries int) float64 { return math.Pow(1-1/float64(n), float64(tries)) }

// Suspect returns the index of the try that shows the likeliest breach; -1 if no try showed a flaw.
func (t *Test) Suspect() int {
	_, suspect := t.odds()
	return suspect
}

// Unsettled returns the suspect of tries that are undecided and cannot continue; -1 if no try showed a flaw, or if those of a
// race indicate other customers and no breach: enough of them passed, and other customers were seen.
func (t *Test) Unsettled() (suspect int) {
	odds, suspect := t.odds()
	if t.Rare && t.held >= t.Least && odds < alone && !t.isQuiet() {
		return -1
	}
	return suspect
}

// mostWatched is the maximum number of slots with the same unexpected result that are watched for long.
const mostWatched = 4

// ToWatch returns the indexes of the undecided tries that justify a longer watch of their slots, one by one: those that were
// off like the suspect. It returns none if no watch can decide. The flaw counts if no other customer changes a seat meanwhile.
func (t *Test) ToWatch() (watched []int) {
	_, suspect := t.odds()
	if suspect < 0 || !t.isQuiet() || !t.Rare && 2*t.held >= len(t.tries) {
		return nil
	}
	for i, try := range t.tries {
		if try.Wrong && try.Off == t.tries[suspect].Off && len(watched) < mostWatched {
			watched = append(watched, i)
		}
	}
	return watched
}

// Stands reports whether the tries show a breach after such a watch, and which of them does.
func (t *Test) Stands() (suspect int, stands bool) {
	odds, suspect := t.odds()
	return suspect, odds >= alone && t.isQuiet()
}

// isCrowded reports whether others were seen in the slots of a race. They may be off in one direction each
// time, so few unexpected rounds prove nothing: others only return seats of a slot that is sold out, and
// come to the slots that the suite books.
func (t *Test) isCrowded() bool { return t.Rare && t.hasOthers() && !t.isQuiet() }

// isQuiet reports whether no seat of the slots was seen to change.
func (t *Test) isQuiet() bool {
	for _, try := range t.tries {
		if try.Disturbed || try.Slot != nil && try.Slot.Moves > 0 {
			return false
		}
	}
	return true
}
