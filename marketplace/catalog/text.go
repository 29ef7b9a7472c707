package catalog

import (
	"bytes"
	"encoding/json"
	"iter"
)

// parts yields what stands between the commas of a JSON array or object: elements, or
// members with their names. The text is known to be JSON; nothing is copied, and nothing
// but the outermost level is looked at, so that it costs a fraction of decoding.
func parts(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		depth, start, quoted := 0, 0, false
		for i := 0; i < len(text); i++ {
			switch b := text[i]; {
			case quoted && b == '\\':
				i++
			case b == '"':
				quoted = !quoted
			case quoted:
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

// member returns the value of an object's member as it is written: of several of one
// name the last, as encoding/json has it, and of that very name, which it has not. It
// is nil where there is none.
func member(object []byte, name string) (value []byte) {
	for part := range parts(object) {
		end := 1
		for end < len(part) && part[end] != '"' {
			if part[end] == '\\' {
				end++
			}
			end++
		}
		var found string
		if end >= len(part) || json.Unmarshal(part[:end+1], &found) != nil || found != name {
			continue // an element of an array
		}
		_, value, _ = bytes.Cut(part[end+1:], []byte(":"))
	}
	return bytes.TrimSpace(value)
}
