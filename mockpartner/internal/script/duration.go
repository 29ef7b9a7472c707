package script

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Duration is a duration as files write it.
type Duration = platform.Duration

func scalar(node ast.Node) bool {
	_, ok := node.(ast.ScalarNode)
	return ok
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
	return yamlfile.At(node, "want a number of matches, a date-time such as 2026-07-01T09:00:00Z, or a duration such as 1m, got %q", text)
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
