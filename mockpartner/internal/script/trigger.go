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

// trigger decides for which matches of a key a fault fires.
type trigger struct {
	after, until *Bound
	times        int
	probability  *float64
}

func (o trigger) check() error {
	if p := o.probability; p != nil && !(*p > 0 && *p <= 1) {
		return invalid.ErrorAt("probability", "expected a number above 0 and up to 1, received %v", *p)
	}
	return invalid.RequireRange("times", o.times, 0, maxCount)
}

// fires reports whether the fault fires for the key's latest match in the tally.
func (o trigger) fires(seed uint64, fault, key string, t tally, now time.Time) bool {
	switch {
	case o.after != nil && !o.after.isPassed(t, now),
		o.until != nil && o.until.isPassed(t, now),
		o.times > 0 && t.fired >= o.times,
		o.probability != nil && draw(seed, fault, key, t.matched).Float64() >= *o.probability:
		return false
	}
	return true
}

// usedUp reports whether a fault with this key will not fire again. With a key it may, because a
// new key can always appear.
func (o trigger) usedUp(key Key, c Counts, now time.Time) bool {
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

// maxKeys limits the keys that a set counts, for all its faults together. Beyond it, faults ignore
// new keys.
const maxKeys = 100_000

type tally struct {
	matched, fired int
	began          time.Time // time of the first match
}

func (t *tally) match(now time.Time) {
	if t.matched == 0 {
		t.began = now
	}
	t.matched++
}

// counter counts the matches and firings of a fault.
type counter struct {
	counts Counts
	byKey  tallies
}

// match counts a matching request with its key and decides. It returns the number of the match if
// the fault fires, and 0 if not. keys is the number of keys in the set.
func (c *counter) match(o trigger, seed uint64, fault, key string, now time.Time, keys *int) int {
	c.counts.Matched++
	t, ok := c.byKey.tallyOf(key, keys, &c.counts)
	if !ok {
		c.counts.LeftAlone++
		return 0
	}
	t.match(now)
	if !o.fires(seed, fault, key, *t, now) {
		return 0
	}
	t.fired++
	c.counts.Fired++
	return t.matched
}

// tallies are a fault's counters, by the digest of the key.
type tallies map[[8]byte]*tally

// tallyOf returns the counters of a key. It returns false if the set cannot count another key.
func (t tallies) tallyOf(key string, keys *int, counts *Counts) (*tally, bool) {
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

// Bound is a point in a fault's life. It is a number of matches, a time by the sandbox's clock, or
// a duration by that clock from the key's first match.
type Bound struct {
	Matches int
	At      time.Time // zero if Matches or For is set
	For     Span      // 0 if Matches or At is set
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
	return yamlfile.ErrorAt(node, "expected a number of matches, a date-time such as 2026-07-01T09:00:00Z, or a duration such as 1m, received %q", text)
}

// MarshalJSON writes the bound in the form that files use.
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

// isPassed reports whether the latest match in the tally, at the given time, is beyond the bound.
func (b Bound) isPassed(t tally, now time.Time) bool {
	switch {
	case b.For != 0:
		return now.Sub(t.began) >= time.Duration(b.For)
	case b.At.IsZero():
		return t.matched > b.Matches
	default:
		return !now.Before(b.At)
	}
}

// Counts are the counters of a fault.
type Counts struct {
	Considered uint64 `json:"considered"`        // requests that it was checked against
	Matched    uint64 `json:"matched"`           // considered requests that it applies to
	Fired      uint64 `json:"fired"`             // matched requests for which it fired
	Keys       int    `json:"keys"`              // number of keys counted
	LeftAlone  uint64 `json:"leftAlone"`         // matches ignored because there were too many keys
	Problem    string `json:"problem,omitempty"` // the last error that prevented a decision
}

const maxCount = 1_000_000_000

// draw returns the randomness of a fault's n-th match of a key. It depends on nothing else, so
// concurrent callers do not affect each other's results.
func draw(seed uint64, fault, key string, n int) *rand.Rand {
	text := binary.BigEndian.AppendUint64(nil, seed)
	text = binary.BigEndian.AppendUint64(text, uint64(n))
	text = binary.BigEndian.AppendUint64(text, uint64(len(fault)))
	digest := sha256.Sum256(append(append(text, fault...), key...))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(digest[:8]), binary.BigEndian.Uint64(digest[8:16])))
}

// Duration is a duration in the form that files use.
type Duration = platform.Duration

func scalar(node ast.Node) bool {
	_, ok := node.(ast.ScalarNode)
	return ok
}

// Span is a time.Duration by the sandbox's clock, which files write as 10m, 36h or 1h30m.
type Span time.Duration

const (
	// maxSpan is the maximum span. It is long because clocks of a mock move far.
	maxSpan = Span(10 * 365 * 24 * time.Hour)
	// minEvery is the shortest interval between triggers.
	minEvery = Span(time.Second)
)

// UnmarshalYAML reads a duration above 0, of at most ten years.
func (s *Span) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	parsed, err := time.ParseDuration(text)
	if err != nil || parsed <= 0 || Span(parsed) > maxSpan || !scalar(node) {
		return yamlfile.ErrorAt(node, "expected a duration above 0s, such as 10m or 36h, received %q", text)
	}
	*s = Span(parsed)
	return nil
}

// MarshalText writes the span in the form that files use.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// Instant is a time by the sandbox's clock.
type Instant struct{ time.Time }

// UnmarshalYAML reads a date-time.
func (i *Instant) UnmarshalYAML(node ast.Node) error {
	read, err := partnerapi.ParseDateTime(node.GetToken().Value)
	if err != nil || !scalar(node) {
		return yamlfile.ErrorAt(node, "expected a date-time such as 2026-07-01T09:00:00Z, received %q", node.GetToken().Value)
	}
	i.Time = read
	return nil
}
