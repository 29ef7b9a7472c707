package platform

import (
	"encoding/json"
	"time"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
)

// Duration is a time.Duration that files write as 250ms, 2s or 1m30s.
type Duration time.Duration

// MaxDuration bounds every duration in a file. A caller that is kept longer has
// gone away long since.
const MaxDuration = 10 * time.Minute

// UnmarshalYAML reads a duration of at most ten minutes.
func (d *Duration) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	_, isScalar := node.(ast.ScalarNode)
	parsed, err := time.ParseDuration(text)
	if err != nil || parsed < 0 || parsed > MaxDuration || !isScalar {
		return yamlfile.At(node, "want a duration from 0s to %s, such as 250ms or 2s, got %q", MaxDuration, text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalJSON writes the duration as files do.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }
