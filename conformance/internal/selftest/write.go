package selftest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"partnerkit.dev/conformance/internal/view"
)

// WriteJSON writes the matrix for machines: the fields and names of its tags,
// indented. No list in it is null.
func (m *Matrix) WriteJSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // no browser reads it as HTML
	return encoder.Encode(m)
}

// WriteAll writes selftest.json and selftest.md into dir and returns their paths.
// Each appears whole or not at all.
func (m *Matrix) WriteAll(dir string) (written []string, err error) {
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{"selftest.json", m.WriteJSON}, {"selftest.md", m.WriteMarkdown}} {
		var content bytes.Buffer
		path := filepath.Join(dir, file.name)
		if err := file.write(&content); err != nil {
			return written, fmt.Errorf("write %s: %w", path, err)
		}
		if err := view.WriteFile(path, content.Bytes()); err != nil {
			return written, fmt.Errorf("write %s: %w", path, err)
		}
		written = append(written, path)
	}
	return written, nil
}
