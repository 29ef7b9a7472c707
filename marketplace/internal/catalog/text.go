package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// checkJSON returns an error that says where a body is not JSON.
func checkJSON(body []byte) error {
	if json.Valid(body) {
		return nil
	}
	var any json.RawMessage
	return fmt.Errorf("expected JSON: %w", json.Unmarshal(body, &any))
}

// parts yields the raw elements of a JSON array, or the raw members of an object. The text must be
// valid JSON. It copies nothing and scans only the outermost level, which is much cheaper than
// decoding.
func parts(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		depth, start := 0, 0
		for i := 0; i < len(text); i++ {
			switch b := text[i]; {
			case b == '"':
				i = endOfString(text, i)
			case b == '[' || b == '{':
				if depth++; depth == 1 {
					start = i + 1
				}
			case b == ',' && depth == 1:
				if !yield(bytes.TrimSpace(text[start:i])) {
					return
				}
				start = i + 1
			case b == ']' || b == '}':
				if depth--; depth == 0 {
					if last := bytes.TrimSpace(text[start:i]); len(last) > 0 {
						yield(last)
					}
					return
				}
			}
		}
	}
}

// endOfString returns the index of the quote that ends a string, by the index of the one that begins it.
func endOfString(text []byte, begin int) int {
	for end := begin + 1; ; end++ {
		next := bytes.IndexByte(text[end:], '"')
		if next < 0 {
			return len(text)
		}
		end += next
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
	}
}

// member returns the raw value of an object's member, or nil if it is absent.
func member(object []byte, name string) []byte { return members(object, name)[0] }

// members returns the raw values of an object's members, nil for absent ones. Of duplicate members it
// returns the last, like encoding/json. Unlike encoding/json it compares names exactly.
func members(object []byte, names ...string) [][]byte {
	values := make([][]byte, len(names))
	for part := range parts(object) {
		if part[0] != '"' {
			break // an array
		}
		end := endOfString(part, 0)
		if end >= len(part) {
			continue
		}
		for i, name := range names {
			if spells(part[1:end], name) {
				_, value, _ := bytes.Cut(part[end+1:], []byte(":"))
				values[i] = bytes.TrimSpace(value)
			}
		}
	}
	return values
}

// spells reports whether a quoted text is that name.
func spells(quoted []byte, name string) bool {
	if !bytes.Contains(quoted, []byte(`\`)) {
		return string(quoted) == name
	}
	var plain string
	return json.Unmarshal(slices.Concat([]byte(`"`), quoted, []byte(`"`)), &plain) == nil && plain == name
}
