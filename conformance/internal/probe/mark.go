package probe

import (
	"encoding/json"
	"strconv"
	"strings"
)

// longestExcerpt bounds the part of an answer that is shown beside it, in bytes.
const longestExcerpt = 500

// Marked returns the exchange with the place in its answer that a reader looks for:
// a JSON pointer into value, which is the answer or a part of it.
func (e *Exchange) Marked(value any, place string, redact func(string) string) *Exchange {
	if e.Response == nil {
		return e
	}
	shown, response := *e, *e.Response
	response.Body.Excerpt, response.Body.Place = excerpt(value, place, redact)
	shown.Response = &response
	return &shown
}

// excerpt renders as much as fits of what is around a place of value. It returns
// the text, and the place in it; "" where that is too large to be shown whole.
func excerpt(value any, place string, redact func(string) string) (text, within string) {
	for {
		text, whole := rendered(value, redact)
		if whole {
			return text, place
		}
		token, rest, _ := strings.Cut(strings.TrimPrefix(place, "/"), "/")
		part, found := child(value, token)
		if place == "" || !found {
			return text + "\n…", ""
		}
		if rest != "" {
			rest = "/" + rest
		}
		value, place = part, rest
	}
}

// rendered returns the beginning of value as indented JSON, and whether that is
// all of it.
func rendered(value any, redact func(string) string) (text string, whole bool) {
	encoded, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return "", true
	}
	return Beginning(string(encoded), longestExcerpt, redact)
}

// pointerUnescaper undoes the escapes of a JSON pointer's token.
var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

// child returns the member or the element of value that a token of a JSON pointer
// names.
func child(value any, token string) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		part, found := value[pointerUnescaper.Replace(token)]
		return part, found
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(value) {
			return value[i], true
		}
	}
	return nil, false
}
