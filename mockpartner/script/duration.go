package script

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/mockpartner/internal/yamlfile"
	"partnerkit.dev/mockpartner/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Duration is a duration as files write it.
type Duration = platform.Duration

func scalar(node ast.Node) bool {
	_, ok := node.(ast.ScalarNode)
	return ok
}

// Bound is a point in a fault's life: a number of matches, or a time by the
// sandbox's clock.
type Bound struct {
	Matches int
	At      time.Time // zero: Matches counts
}

// UnmarshalYAML reads a number or a date-time.
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
	}
	return yamlfile.At(node, "want a number of matches, or a date-time such as 2026-07-01T09:00:00Z, got %q", text)
}

// MarshalJSON writes the bound as files do.
func (b Bound) MarshalJSON() ([]byte, error) {
	if b.At.IsZero() {
		return json.Marshal(b.Matches)
	}
	return json.Marshal(b.At)
}

// passed reports whether the n-th match, from 1, at the given time lies beyond
// the bound.
func (b Bound) passed(n int, now time.Time) bool {
	if b.At.IsZero() {
		return n > b.Matches
	}
	return !now.Before(b.At)
}
