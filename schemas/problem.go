package schemas

import (
	"regexp"
	"strings"
)

// Problem is one location in a JSON text that violates its schema.
type Problem struct {
	// Pointer is the location, an RFC 6901 JSON pointer; "" is the complete text. For a missing
	// property it is the location where that property should be.
	Pointer string
	// Keyword is the violated JSON Schema keyword, such as "required", "type" or "format". Two are
	// our own: "json" and "schema".
	Keyword string
	// Message states the expected and the received value, without the location.
	Message string
}

const (
	// keywordJSON marks a text that is not JSON, or that exceeds the limits of Validate.
	keywordJSON = "json"
	// keywordSchema marks a call with an unknown schema name, which is the caller's mistake.
	keywordSchema = "schema"
)

// MaxProblems is the maximum number of problems that one call reports. A text with that many is not
// checked to its end.
const MaxProblems = 100

// Path returns the location in readable form, such as options[0].units[1].pricingFrom[0].original.
// It is "" for the complete text. Unusual names are quoted. Long names and long paths are
// shortened.
func (p Problem) Path() string {
	var path strings.Builder
	shown := 0
	for _, token := range pointerTokens(p.Pointer) {
		if shown += min(len(token), longestPath); shown > longestPath && path.Len() > 0 {
			return path.String() + "…"
		}
		switch {
		case len(token) > maxGot || !isIndex(token) && !isIdentifier(token):
			path.WriteString("[" + quotedWithin(token, longestPath) + "]")
		case isIndex(token):
			path.WriteString("[" + token + "]")
		case path.Len() == 0:
			path.WriteString(token)
		default:
			path.WriteString("." + token)
		}
	}
	return path.String()
}

// String returns the location and the message in one line.
func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Path() + ": " + p.Message
}

// WithPrefix returns the same problem for a text that contains the validated value at pointer: a problem
// of a product under "/products/2" is one of products[2].
func (p Problem) WithPrefix(pointer string) Problem {
	p.Pointer = pointer + p.Pointer
	return p
}

func pointerTokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = pointerUnescaper.Replace(token)
	}
	return tokens
}

func pointerToken(name string) string { return "/" + pointerEscaper.Replace(name) }

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

var (
	isIndex      = regexp.MustCompile(`^[0-9]+$`).MatchString
	isIdentifier = regexp.MustCompile(`^[A-Za-z_$][0-9A-Za-z_$]*$`).MatchString
)

// comparePointers orders locations as they occur in a text: indexes by number, names by alphabet, a
// value before its members.
func comparePointers(a, b string) int {
	as, bs := pointerTokens(a), pointerTokens(b)
	for i := range min(len(as), len(bs)) {
		if as[i] == bs[i] {
			continue
		}
		return compareTokens(as[i], bs[i])
	}
	return len(as) - len(bs)
}

func compareTokens(a, b string) int {
	if len(a) != len(b) && isIndex(a) && isIndex(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
