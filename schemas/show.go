package schemas

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// These limit what a message shows of a wrong value and of the path to it.
const (
	maxGot      = 60  // characters of a value or a name
	longestGot  = 120 // bytes of a value
	longestPath = 80  // bytes of a path
)

// describe returns a short form of a wrong value.
func describe(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return quoteText(value)
	case json.Number:
		return shortenText(string(value))
	case []any:
		if len(value) == 0 {
			return "an empty array"
		}
		return "an array"
	case map[string]any:
		return "an object"
	default:
		return shortenText(fmt.Sprint(value))
	}
}

// quoteText quotes, shortens and escapes a string, so that no control character of an untrusted text
// reaches a terminal or a log.
func quoteText(s string) string { return quotedWithin(s, longestGot) }

func quotedWithin(s string, longest int) string {
	short, rest := shorten(s, longest)
	return strconv.Quote(short) + rest
}

func shortenText(s string) string {
	short, rest := shorten(s, longestGot)
	return short + rest
}

// shorten cuts s after maxGot characters or longest bytes. If it cuts, rest is an ellipsis.
func shorten(s string, longest int) (short, rest string) {
	n := 0
	for offset, r := range s {
		if n == maxGot || offset+utf8.RuneLen(r) > longest {
			return s[:offset], "…"
		}
		n++
	}
	return s, ""
}
