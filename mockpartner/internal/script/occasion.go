package script

import (
	"crypto/sha256"
	"time"
)

// occasion says for which of the matches of a key a fault fires.
type occasion struct {
	after, until *Bound
	times        int
	probability  *float64
}

func (o occasion) check() error {
	if p := o.probability; p != nil && !(*p > 0 && *p <= 1) {
		return at("probability", "want a number above 0 and up to 1, got %v", *p)
	}
	return within("times", o.times, 0, maxCount)
}

// comes reports whether the fault fires for the match that the tally of the key
// has counted last.
func (o occasion) comes(seed uint64, fault, key string, t tally, now time.Time) bool {
	switch {
	case o.after != nil && !o.after.passed(t, now),
		o.until != nil && o.until.passed(t, now),
		o.times > 0 && t.fired >= o.times,
		o.probability != nil && draw(seed, fault, key, t.matched).Float64() >= *o.probability:
		return false
	}
	return true
}

// maxKeys bounds the keys that a set counts, of all its faults together.
// Beyond it new keys are left alone.
const maxKeys = 100_000

// tally counts for one key.
type tally struct {
	matched, fired int
	began          time.Time // the first match
}

// match counts a match.
func (t *tally) match(now time.Time) {
	if t.matched == 0 {
		t.began = now
	}
	t.matched++
}

// tallies are a fault's counters, by the digest of the key.
type tallies map[[8]byte]*tally

// of returns the counters of a key; false where there is no room for a new one
// among all the keys that the set counts.
func (t tallies) of(key string, keys *int, counts *Counts) (*tally, bool) {
	digest := sha256.Sum256([]byte(key))
	short := [8]byte(digest[:8])
	if known, ok := t[short]; ok {
		return known, true
	}
	if *keys >= maxKeys {
		return nil, false
	}
	*keys++
	counts.Keys++
	t[short] = &tally{}
	return t[short], true
}
