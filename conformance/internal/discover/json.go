package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"partnerkit.dev/schemas"
)

// Decode reads raw as one complete JSON text in UTF-8. Numbers stay json.Number.
func Decode(raw []byte) (any, error) {
	if err := wellFormed(raw); err != nil {
		return nil, err
	}
	value, problem := schemas.Read(raw)
	if problem != nil {
		return nil, errors.New(problem.String())
	}
	return value, nil
}

// Object reads raw as one JSON object, or returns nil.
func Object(raw []byte) map[string]any {
	value, err := Decode(raw)
	if err != nil {
		return nil
	}
	object, _ := value.(map[string]any)
	return object
}

// largestElement is the largest product or slot, in bytes, that is decoded. Decoded, it takes
// twenty times the space.
const largestElement = 2 << 20

// DecodeElement reads one element of an array, like Decode.
func DecodeElement(element json.RawMessage) (any, error) {
	if len(element) > largestElement {
		return nil, fmt.Errorf("it is larger than %d MiB, the most that is read", largestElement>>20)
	}
	return Decode(element)
}

const (
	// shortestElement is less than the bytes of the shortest valid product or slot.
	shortestElement = 100
	// fewElements is the number of elements that are always returned, however short.
	fewElements = 1000
)

// Elements splits raw, a JSON array, into its elements without decoding them, so that a large
// catalog can be decoded one product at a time. The elements are parts of raw.
//
// If the array has more elements than valid ones would fit into its length, Elements returns only
// as many as would fit. At least one of these is too short to be valid, and millions of elements
// such as 0 would use up the memory.
func Elements(raw []byte) ([]json.RawMessage, error) {
	if err := wellFormed(raw); err != nil {
		return nil, err
	}
	raw = bytes.TrimSpace(raw)
	if raw[0] != '[' {
		return nil, fmt.Errorf("%w: expected an array, received %s", ErrShape, kind(raw[0]))
	}
	return split(raw, fewElements+len(raw)/shortestElement), nil
}

// newLenientDecoder accepts what encoding/json accepts as well formed.
func newLenientDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func split(array []byte, most int) []json.RawMessage {
	elements := []json.RawMessage{}
	decoder := newLenientDecoder(array)
	_, err := decoder.ReadToken() // the bracket
	for err == nil && len(elements) < most && decoder.PeekKind() != ']' {
		var element jsontext.Value
		if element, err = decoder.ReadValue(); err == nil {
			end := decoder.InputOffset()
			elements = append(elements, array[end-int64(len(element)):end])
		}
	}
	return elements
}

// ErrShape is returned for complete JSON of another shape than expected.
var ErrShape = errors.New("unexpected shape")

func wellFormed(raw []byte) error {
	wrapping := schemas.Wrapping(raw)
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return errors.New("the body is empty")
	case wrapping != "":
		return fmt.Errorf("expected JSON, received %s", wrapping)
	case !utf8.Valid(raw):
		return errors.New("the body is not UTF-8")
	case !json.Valid(raw):
		return notJSON(raw)
	case bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) > schemas.MaxDepth && Depth(raw) > schemas.MaxDepth:
		return fmt.Errorf("the body is nested too deeply: expected at most %d levels of arrays and objects", schemas.MaxDepth)
	default:
		return nil
	}
}

func notJSON(raw []byte) error {
	err := json.Unmarshal(raw, new(json.RawMessage))
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("the body is not JSON: %w, at byte %d of %d", syntax, syntax.Offset, len(raw))
	}
	return fmt.Errorf("the body is not JSON: %w", err)
}

// Depth returns how deeply arrays and objects are nested in a well-formed text.
func Depth(text []byte) (deepest int) {
	decoder := newLenientDecoder(text)
	for {
		if _, err := decoder.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, decoder.StackDepth())
	}
}

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

func text(object map[string]any, name string) string {
	s, _ := object[name].(string)
	return s
}

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

func integer(object map[string]any, name string) *int64 {
	number, ok := object[name].(json.Number)
	if !ok {
		return nil
	}
	if i, err := number.Int64(); err == nil {
		return &i
	}
	// 12.0 is an integer in JSON Schema.
	f, err := number.Float64()
	if i := int64(f); err == nil && float64(i) == f {
		return &i
	}
	return nil
}
