package bounded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// JSON returns an error if a text, read as JSON, would exceed the limits. It does not find other faults.
func JSON(text []byte, l Limits) error {
	m := meter{limits: l}
	return m.read(text)
}

// Values returns how many names and values a text has, as JSON counts it against its limits.
func Values(text []byte) int {
	m := meter{limits: Limits{Bytes: math.MaxInt64, Depth: math.MaxInt, Values: math.MaxInt}}
	_ = m.read(text) // nothing exceeds these limits
	return m.values
}

// Decode decodes one JSON text within the limits. Numbers stay json.Number.
func Decode(text []byte, into any, l Limits) error {
	if int64(len(text)) > l.Bytes {
		return ErrTooLarge
	}
	if err := JSON(text, l); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return fmt.Errorf("expected one JSON text, received more after its end")
	}
	return nil
}

// meter measures JSON while it passes, without decoding it.
type meter struct {
	limits        Limits
	bytes         int64
	depth, values int
	text, escaped bool // within a text, after a backslash
}

func (m *meter) read(p []byte) error {
	if m.bytes += int64(len(p)); m.bytes > m.limits.Bytes {
		return fmt.Errorf("%w: more than %d MiB", ErrTooLarge, m.limits.Bytes>>20)
	}
	for _, c := range p {
		switch {
		case m.escaped:
			m.escaped = false
		case m.text:
			m.text, m.escaped = c != '"', c == '\\'
		case c == '"':
			m.text = true
		case c == '[' || c == '{':
			m.depth++
			m.values++
		case c == ']' || c == '}':
			m.depth--
		case c == ',' || c == ':':
			m.values++
		}
		if m.depth > m.limits.Depth {
			return fmt.Errorf("%w: more than %d levels of arrays and objects", ErrTooLarge, m.limits.Depth)
		}
		if m.values > m.limits.Values {
			return fmt.Errorf("%w: more than %d names and values", ErrTooLarge, m.limits.Values)
		}
	}
	return nil
}

// Stream reads a stream of JSON values. Next begins another one, to which the limits apply again.
type Stream struct {
	from  io.Reader
	meter meter
	err   error
}

// NewStream returns a stream of values, each within the limits.
func NewStream(from io.Reader, l Limits) *Stream { return &Stream{from: from, meter: meter{limits: l}} }

// Next lets the stream read another value.
func (s *Stream) Next() { s.meter.bytes, s.meter.values = 0, 0 }

// mostAhead is how many bytes a decoder may read of the values after the current one.
const mostAhead = 32 << 10

// Read reads the stream, until a value exceeds the limits.
func (s *Stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.from.Read(p[:min(len(p), mostAhead)])
	if s.err = s.meter.read(p[:n]); s.err != nil {
		return 0, s.err
	}
	return n, err
}
