package script

import (
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
		return yamlfile.At(node, "want a duration above 0s, such as 10m or 36h, got %q", text)
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
		return yamlfile.At(node, "want a date-time such as 2026-07-01T09:00:00Z, got %q", node.GetToken().Value)
	}
	i.Time = read
	return nil
}
