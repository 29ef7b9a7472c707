package schemas

import (
	"regexp"
	"strings"
)

// Problem is one place of a JSON text that breaks its schema.
type Problem struct {
	// Pointer is the place, an RFC 6901 JSON pointer; "" is the whole text. Of
	// a missing property it is where that property should be.
	Pointer string
	// Keyword is the keyword of JSON Schema that is broken, such as "required",
	// "type" or "format". Two are our own: "json" and "schema".
	Keyword string
	// Message names the expected and the received value, without the place.
	Message string
}

const (
	// keywordJSON marks a text that is no JSON, or beyond the limits of Validate.
	keywordJSON = "json"
	// keywordSchema marks a call that names no schema: the caller's mistake.
	keywordSchema = "schema"
)

// MaxProblems is how many problems one call reports at most. A text with as
// many is not looked through to its end.
const MaxProblems = 100

// Path returns the place as people write it, such as
// options[0].units[1].pricingFrom[0].original. It is "" for the whole text.
// Names that a stranger chose are quoted, and shortened where they are long, as is a
// long path.
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

// String returns the place and the message in one line.
func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Path() + ": " + p.Message
}

// Under returns the same problem, seen from a text that holds the judged value
// at pointer: a problem of a product under "/products/2" is one of products[2].
func (p Problem) Under(pointer string) Problem {
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

// comparePointers orders places as they stand in a text: indexes by number,
// names by alphabet, a value before what it holds.
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
