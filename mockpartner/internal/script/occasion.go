package script

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// occasion says for which of the matches of a key a fault fires.
type occasion struct {
	after, until *Bound
	times        int
	probability  *float64
}

func (o occasion) check() error {
	if p := o.probability; p != nil && !(*p > 0 && *p <= 1) {
		return invalid.At("probability", "expected a number above 0 and up to 1, received %v", *p)
	}
	return invalid.Within("times", o.times, 0, maxCount)
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

// usedUp reports whether a fault that counts by the key will not fire again. With a key
// there can always be another one.
func (o occasion) usedUp(key Key, c Counts, now time.Time) bool {
	keyed := key != "" && key != KeyNone
	switch u := o.until; {
	case u != nil && !u.At.IsZero():
		return !now.Before(u.At)
	case keyed:
		return false
	case u != nil && u.For == 0 && c.Matched >= uint64(u.Matches):
		return true
	}
	return o.times > 0 && c.Fired >= uint64(o.times)
}

// maxKeys bounds the keys that a set counts, of all its faults together.
// Beyond it new keys are left alone.
const maxKeys = 100_000

type tally struct {
	matched, fired int
	began          time.Time // the first match
}

func (t *tally) match(now time.Time) {
	if t.matched == 0 {
		t.began = now
	}
	t.matched++
}

// counter counts what becomes of a fault.
type counter struct {
	counts Counts
	byKey  tallies
}

// match counts a request that the fault applies to, of a key, and decides: it returns the
// number of the match that the fault fires for, and 0 where it does not fire. The keys are
// those of all that the set counts.
func (c *counter) match(o occasion, seed uint64, fault, key string, now time.Time, keys *int) int {
	c.counts.Matched++
	t, ok := c.byKey.of(key, keys, &c.counts)
	if !ok {
		c.counts.LeftAlone++
		return 0
	}
	t.match(now)
	if !o.comes(seed, fault, key, *t, now) {
		return 0
	}
	t.fired++
	c.counts.Fired++
	return t.matched
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

// Bound is a point in a fault's life: a number of matches, or a time by the
// sandbox's clock, or so long after the key's first match, by that clock.
type Bound struct {
	Matches int
	At      time.Time // zero: Matches or For counts
	For     Span      // 0: Matches or At counts
}

// UnmarshalYAML reads a number, a date-time or a duration.
func (b *Bound) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	if scalar(node) {
		if n, err := strconv.Atoi(text); err == nil && n >= 0 && node.Type() == ast.IntegerType {
			b.Matches = n
			return nil
		}
		if at, err := partnerapi.ParseDateTime(text); err == nil {
			b.At = at
			return nil
		}
		if b.For.UnmarshalYAML(node) == nil {
			return nil
		}
	}
	return yamlfile.At(node, "expected a number of matches, a date-time such as 2026-07-01T09:00:00Z, or a duration such as 1m, received %q", text)
}

// MarshalJSON writes the bound as files do.
func (b Bound) MarshalJSON() ([]byte, error) {
	switch {
	case b.For != 0:
		return json.Marshal(b.For)
	case b.At.IsZero():
		return json.Marshal(b.Matches)
	default:
		return json.Marshal(b.At)
	}
}

// passed reports whether the match that the tally has counted last, at the given
// time, lies beyond the bound.
func (b Bound) passed(t tally, now time.Time) bool {
	switch {
	case b.For != 0:
		return now.Sub(t.began) >= time.Duration(b.For)
	case b.At.IsZero():
		return t.matched > b.Matches
	default:
		return !now.Before(b.At)
	}
}

// Counts tell what became of a fault.
type Counts struct {
	Considered uint64 `json:"considered"`        // requests that it was held against
	Matched    uint64 `json:"matched"`           // of those, the ones that it applies to
	Fired      uint64 `json:"fired"`             // of those, the ones that it broke
	Keys       int    `json:"keys"`              // how many keys it has counted by
	LeftAlone  uint64 `json:"leftAlone"`         // matches of keys that there was no room to count
	Problem    string `json:"problem,omitempty"` // what kept it from being decided, last
}

const maxCount = 1_000_000_000

// draw returns the randomness of a fault's n-th match of a key. It depends on
// nothing else, so that concurrent callers cannot take each other's chances.
func draw(seed uint64, fault, key string, n int) *rand.Rand {
	text := binary.BigEndian.AppendUint64(nil, seed)
	text = binary.BigEndian.AppendUint64(text, uint64(n))
	text = binary.BigEndian.AppendUint64(text, uint64(len(fault)))
	digest := sha256.Sum256(append(append(text, fault...), key...))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(digest[:8]), binary.BigEndian.Uint64(digest[8:16])))
}

// Duration is a duration as files write it.
type Duration = platform.Duration

func scalar(node ast.Node) bool {
	_, ok := node.(ast.ScalarNode)
	return ok
}

// Span is a time.Duration by the sandbox's clock, which files write as 10m, 36h
// or 1h30m.
type Span time.Duration

const (
	// maxSpan bounds a span. Clocks of a mock move far.
	maxSpan = Span(10 * 365 * 24 * time.Hour)
	// minEvery bounds how often a trigger is sent.
	minEvery = Span(time.Second)
)

// UnmarshalYAML reads a duration above 0, of at most ten years.
func (s *Span) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	parsed, err := time.ParseDuration(text)
	if err != nil || parsed <= 0 || Span(parsed) > maxSpan || !scalar(node) {
		return yamlfile.At(node, "expected a duration above 0s, such as 10m or 36h, received %q", text)
	}
	*s = Span(parsed)
	return nil
}

// MarshalText writes the span as files do.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// Instant is a time by the sandbox's clock.
type Instant struct{ time.Time }

// UnmarshalYAML reads a date-time.
func (i *Instant) UnmarshalYAML(node ast.Node) error {
	read, err := partnerapi.ParseDateTime(node.GetToken().Value)
	if err != nil || !scalar(node) {
		return yamlfile.At(node, "expected a date-time such as 2026-07-01T09:00:00Z, received %q", node.GetToken().Value)
	}
	i.Time = read
	return nil
}
