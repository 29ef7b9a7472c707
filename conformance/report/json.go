package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON returns r for machines: the fields and names of Result's tags, indented,
// ended by a newline. No list in it is null, and the summary names every outcome.
func JSON(r *Result) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false) // URLs and curl lines stay legible; no browser reads this file as HTML
	if err := enc.Encode(complete(r)); err != nil {
		return nil, fmt.Errorf("write the report as JSON: %w", err)
	}
	return out.Bytes(), nil
}
