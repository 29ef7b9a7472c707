package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Decode reads raw as one whole JSON text in UTF-8; numbers stay json.Number.
func Decode(raw []byte) (any, error) {
	if err := wellFormed(raw); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// Elements splits raw, a JSON array, into its elements without decoding them:
// a large catalog is decoded one product at a time.
func Elements(raw []byte) ([]json.RawMessage, error) {
	if err := wellFormed(raw); err != nil {
		return nil, err
	}
	elements := []json.RawMessage{}
	if first := bytes.TrimLeft(raw, " \t\r\n"); first[0] != '[' {
		return nil, fmt.Errorf("%w: want an array, got %s", ErrShape, kind(first[0]))
	}
	err := json.Unmarshal(raw, &elements)
	return elements, err
}

// ErrShape marks a JSON text that is whole, but not of the shape wanted.
var ErrShape = errors.New("unexpected shape")

func wellFormed(raw []byte) error {
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return errors.New("the body is empty")
	case !utf8.Valid(raw):
		return errors.New("the body is not UTF-8")
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(raw, new(json.RawMessage)); errors.As(err, &syntax) {
		return fmt.Errorf("the body is not JSON: %w, at byte %d of %d", syntax, syntax.Offset, len(raw))
	} else if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return nil
}

// kind names the kind of the JSON value that begins with this byte.
func kind(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// text returns the string under name, or "".
func text(object map[string]any, name string) string {
	s, _ := object[name].(string)
	return s
}

// list returns the objects in the array under name.
func list(object map[string]any, name string) []map[string]any {
	array, _ := object[name].([]any)
	objects := make([]map[string]any, 0, len(array))
	for _, element := range array {
		if o, ok := element.(map[string]any); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

// integer returns the integer under name, or nil.
func integer(object map[string]any, name string) *int64 {
	number, ok := object[name].(json.Number)
	if !ok {
		return nil
	}
	if i, err := number.Int64(); err == nil {
		return &i
	}
	// 12.0 is an integer to JSON Schema.
	f, err := number.Float64()
	if i := int64(f); err == nil && float64(i) == f {
		return &i
	}
	return nil
}
