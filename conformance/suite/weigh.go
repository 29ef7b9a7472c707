package suite

import (
	"math"
	"time"

	"partnerkit.dev/conformance/internal/probe"
)

// A live partner has other customers, who move seats while a rule about seats is
// tried. So what is off is tried again, on quieter slots, until one of two
// explanations is far likelier than the other: others were at it, or the rule is
// broken. How likely the first is shows in slots that the suite leaves alone for
// a while. This is Wald's sequential test; its numbers are logarithms of odds.
const (
	// mostTries bounds the tries of one rule.
	mostTries = 8
	// seenIfBroken is how often a broken rule is taken to show itself.
	seenIfBroken = 0.8
	// convicted and acquitted are the odds for a breach at which it is one, 1,800
	// to 1, and at which it is none, 1 to 10.
	convicted, acquitted = 7.5, -2.3
	// mostWeight is what one try can weigh, a hundred to one: none decides alone, but
	// where there can be no other. Ten to one is asked of it then, after a long look.
	mostWeight, alone = 4.6, 2.3
)

// try is one try of a rule.
type try struct {
	flaw      string        // what was wrong; "" where nothing was
	off       int64         // by how many seats; tells one flaw from another
	sure      bool          // no other customer can be the reason
	disturbed bool          // others were seen to move the seats meanwhile: a flaw proves nothing
	took      time.Duration // how long others had to move them
	at        *reading      // of the slot that it was tried on; nil: nobody else counts
	shown     []*probe.Exchange
	picture   []byte    // HTML; nil where there is none
	stopped   *obstacle // why there is nothing to judge
}

// weight says by how much a try makes a breach that is so many seats off likelier
// than other customers.
func (t try) weight(off int64) float64 {
	still := 1.0
	if t.at != nil {
		still = t.at.watch.still(t.took)
	}
	switch {
	case t.flaw == "":
		return max(-mostWeight, min(0, math.Log((1-seenIfBroken)/still)))
	case t.disturbed || t.off != off:
		return 0
	default:
		// Others may as well have moved the seats the other way.
		return max(0, min(mostWeight, math.Log(seenIfBroken*still/((1-still)/2))))
	}
}

// odds are the odds of the likeliest breach that the tries show, and the try that
// shows it first; no try where none has a flaw.
func odds(tries []try) (odds float64, guilty *try) {
	odds = math.Inf(-1)
	for i, suspect := range tries {
		if suspect.flaw == "" {
			continue
		}
		sum := 0.0
		for _, t := range tries {
			sum += t.weight(suspect.off)
		}
		if sum > odds {
			odds, guilty = sum, &tries[i]
		}
	}
	return odds, guilty
}

// weigh tries until it is decided whether a rule is broken, or it is too late for
// more; to be believed a partner has to stand so many tries. It returns the try
// that shows the breach, or why there is nothing to judge by; nothing of both where
// the rule holds. Where tries cannot go on, watch looks at the slot of one for longer,
// and reports whether anybody else was seen, there or elsewhere.
func weigh(clean int, run func(attempt int) try, late func() bool, watch func(try) (others bool)) (*try, *obstacle) {
	var tries []try
	var stopped *obstacle
	held := 0
	for attempt := 0; attempt < mostTries && (attempt == 0 || !late()); attempt++ {
		t := run(attempt)
		if t.stopped != nil {
			stopped = t.stopped
			if !stopped.tryAnother {
				break
			}
			continue
		}
		if t.sure {
			return &t, nil
		}
		tries = append(tries, t)
		if t.flaw == "" {
			held++
		}
		odds, guilty := odds(tries)
		switch {
		case held >= clean && odds <= acquitted:
			return nil, nil
		case odds >= convicted:
			return guilty, nil
		}
	}
	return whatStands(tries, held, stopped, watch)
}

// whatStands judges by tries that have decided nothing and cannot go on. What was seen
// stands where nobody moves a seat, however long one looks: whoever was seen anywhere
// in the run may have been here as well.
func whatStands(tries []try, held int, stopped *obstacle, watch func(try) (others bool)) (*try, *obstacle) {
	_, guilty := odds(tries)
	switch {
	case len(tries) == 0:
		return nil, stopped
	case guilty == nil:
		return nil, nil
	}
	if 2*held < len(tries) && quiet(tries) && !watch(*guilty) {
		if odds, guilty := odds(tries); odds >= alone && quiet(tries) {
			return guilty, nil
		}
	}
	return nil, missing("other customers may have moved the seats of the slots that this was tried on; the first time it was: %s", guilty.flaw)
}

// quiet reports whether nobody was seen to move a seat of the slots.
func quiet(tries []try) bool {
	for _, t := range tries {
		if t.disturbed || t.at != nil && t.at.watch.moves > 0 {
			return false
		}
	}
	return true
}

// notHere is the obstacle of a test for which another slot may do.
func notHere(format string, args ...any) *obstacle {
	o := missing(format, args...)
	o.tryAnother = true
	return o
}
