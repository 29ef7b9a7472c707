package schemas

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// maxGot is how many characters of a wrong value a message shows.
const maxGot = 60

// describe shows a wrong value, shortly.
func describe(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return quoted(value)
	case json.Number:
		return shortened(string(value))
	case []any:
		if len(value) == 0 {
			return "an empty array"
		}
		return "an array"
	case map[string]any:
		return "an object"
	default:
		return shortened(fmt.Sprint(value))
	}
}

// quoted quotes, shortens and escapes a string, so that no control character of
// a stranger's text reaches a terminal or a log.
func quoted(s string) string {
	short, rest := shorten(s)
	return strconv.Quote(short) + rest
}

func shortened(s string) string {
	short, rest := shorten(s)
	return short + rest
}

// shorten cuts s after maxGot characters; rest is an ellipsis where it cuts.
func shorten(s string) (short, rest string) {
	n := 0
	for offset := range s {
		if n == maxGot {
			return s[:offset], "…"
		}
		n++
	}
	return s, ""
}
