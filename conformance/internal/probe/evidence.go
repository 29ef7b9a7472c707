package probe

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"partnerkit.dev/conformance/report"
)

// Abridge drops the bodies' text, and the headers that the contract does not mention, of an exchange that is not
// evidence. Keeping them for many thousands of exchanges would take too much memory.
func Abridge(e *report.Exchange) {
	abridge := func(header http.Header, body report.Body) (http.Header, report.Body) {
		return contractHeaders(header), report.Body{Size: body.Size, Cut: body.Size > 0}
	}
	e.Request.Header, e.Request.Body = abridge(e.Request.Header, e.Request.Body)
	if e.Response != nil {
		e.Response.Header, e.Response.Body = abridge(e.Response.Header, e.Response.Body)
	}
}

// contractHeaders returns the headers that the contract mentions. Other headers may contain anything.
func contractHeaders(header http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Authorization", "Content-Type", "Date", "Location", "Retry-After"} {
		if values := header.Values(name); len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// Marked returns an exchange with the relevant place in its answer: a JSON pointer into value,
// which is the answer or a part of it.
func Marked(e *report.Exchange, value any, place string, redact func(string) string) *report.Exchange {
	if e.Response == nil {
		return e
	}
	shown, response := *e, *e.Response
	response.Body.Excerpt, response.Body.Place = excerpt(value, place, redact)
	shown.Response = &response
	return &shown
}

// longestExcerpt is the longest excerpt of an answer, in bytes.
const longestExcerpt = 500

// excerpt renders as much as fits around a place of value. It returns the text and the place in it,
// which is "" if the value is too large to be shown completely.
func excerpt(value any, place string, redact func(string) string) (text, within string) {
	for {
		text, whole := renderExcerpt(value, redact)
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

// renderExcerpt returns the beginning of value as indented JSON, and whether that is the complete value.
func renderExcerpt(value any, redact func(string) string) (text string, whole bool) {
	encoded, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return "", true
	}
	return Beginning(string(encoded), longestExcerpt, redact)
}

// pointerUnescaper undoes the escapes in a token of a JSON pointer.
var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

// child returns the member or element of value that a token of a JSON pointer names.
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
