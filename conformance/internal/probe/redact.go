package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"partnerkit.dev/schemas/partnerapi"
)

const Redacted = "[redacted]"

const (
	// shortestSearched is the length in bytes below which a key is no longer
	// searched for in running text: it would be found inside ordinary words. The
	// Authorization header is redacted whatever the key's length.
	shortestSearched = 6
	// shortestStump is how many letters of the key give it away where a text
	// was cut short in the middle of it.
	shortestStump = 4
	// ellipsis marks where a text was cut short.
	ellipsis = "…"

	// layersRedacted is how many encodings, one inside the other, the key is
	// looked for in. A document adds one to what its parts have, so that fewer
	// are searched in a finished one: what was redacted is never found again.
	layersRedacted = 8
	layersSearched = 6
)

// Redactor removes a key from text, in every encoding in which it may appear:
// as it is, in base64 at any alignment, in hexadecimal, and each of these
// escaped for URLs, JSON, HTML or XML, once or several times over, in either case.
type Redactor struct{ forms [][]byte }

func NewRedactor(key string) *Redactor { return &Redactor{forms: formsOf(key)} }

// Redact returns s without the key. Where s was cut short, with an ellipsis, in
// the middle of the key, the beginning of the key is removed too.
func (r *Redactor) Redact(s string) string {
	var found []span
	if len(r.forms) > 0 {
		for l := range layers(s, layersRedacted) {
			found = append(append(found, l.occurrences(r.forms)...), l.stumps(r.forms)...)
		}
	}
	if len(found) == 0 {
		return s
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var out strings.Builder
	end := 0
	for _, span := range found {
		if span.from >= end {
			out.WriteString(s[end:span.from])
			out.WriteString(Redacted)
		}
		end = max(end, span.to)
	}
	out.WriteString(s[end:])
	return out.String()
}

// Scanner returns a search for the key in finished documents. Forms of the key
// that the documents' own fixed text contains (a key such as "products") are
// left out: finding them would prove nothing.
func (r *Redactor) Scanner(fixedText ...[]byte) *Scanner {
	unsearchable := make([]bool, len(r.forms))
	for _, text := range append(fixedText, []byte(Redacted)) {
		for l := range layers(string(text), layersSearched) {
			for i, form := range r.forms {
				unsearchable[i] = unsearchable[i] || bytes.Contains(l.text, form)
			}
		}
	}
	scanner := &Scanner{}
	for i, form := range r.forms {
		if !unsearchable[i] {
			scanner.forms = append(scanner.forms, form)
		}
	}
	return scanner
}

type Scanner struct{ forms [][]byte }

// Leaks reports whether b contains the key in any encoding.
func (s *Scanner) Leaks(b []byte) bool {
	if len(s.forms) == 0 {
		return false
	}
	for l := range layers(string(b), layersSearched) {
		if len(l.occurrences(s.forms)) > 0 {
			return true
		}
	}
	return false
}

// occurrences returns where the layer holds one of the forms.
func (l layer) occurrences(forms [][]byte) []span {
	var found []span
	for _, form := range forms {
		for from := 0; ; from++ {
			at := bytes.Index(l.text[from:], form)
			if at < 0 {
				break
			}
			from += at
			found = append(found, l.span(from, from+len(form)))
		}
	}
	return found
}

// stumps returns where the layer ends, before an ellipsis, in the beginning of
// one of the forms.
func (l layer) stumps(forms [][]byte) []span {
	var found []span
	for from := 0; ; {
		at := bytes.Index(l.text[from:], []byte(ellipsis))
		if at < 0 {
			return found
		}
		cut := len(bytes.TrimRight(l.text[:from+at], `"'\ `))
		longest := 0
		for _, form := range forms {
			longest = max(longest, overlap(l.text[:cut], form))
		}
		if longest >= shortestStump {
			found = append(found, l.span(cut-longest, cut))
		}
		from += at + len(ellipsis)
	}
}

// overlap returns how many of the first bytes of form text ends in.
func overlap(text, form []byte) int {
	for n := min(len(text), len(form)-1); n > 0; n-- {
		if bytes.HasSuffix(text, form[:n]) {
			return n
		}
	}
	return 0
}

// header returns a redacted copy of h, cut to a bounded length. Credentials are
// redacted by their header's name as well, for keys too short to be searched for.
func (r *Redactor) header(h http.Header, auth partnerapi.AuthType) http.Header {
	shown := make(http.Header, len(h))
	left := longestText
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			switch {
			case name != "Authorization", strings.Contains(value, wrongKey):
				value = r.shown(value, longestText)
			case strings.HasPrefix(value, "Bearer ") && auth != partnerapi.APIKey:
				value = "Bearer " + Redacted
			default:
				value = Redacted
			}
			label := r.shown(name, longestText)
			if left -= len(label) + len(value); left < 0 {
				shown.Add("(more)", "the rest of the header is left out")
				return shown
			}
			shown.Add(label, value)
		}
	}
	return shown
}

// body returns raw as evidence shows it.
func (r *Redactor) body(raw []byte) Body {
	enough := raw[:min(len(raw), 3*longestText)] // a copy of all of a catalog would double it
	text, whole := Beginning(string(enough), longestText, r.Redact)
	return Body{Text: strings.ToValidUTF8(text, "\uFFFD"), Size: int64(len(raw)), Cut: !whole}
}

// shown returns text as evidence shows it: without the key, and cut, which it
// says with an ellipsis.
func (r *Redactor) shown(text string, most int) string {
	beginning, whole := Beginning(text, most, r.Redact)
	if !whole {
		beginning += ellipsis
	}
	return beginning
}

const (
	longestText    = 8 << 10 // bytes of a body, an address or a header that evidence shows
	longestMessage = 512     // bytes of what went wrong
)

// wrongKey is sent where a wrong key is wanted.
const wrongKey = "conformance-suite-wrong-key"

// longestWords is how many bytes of a message or an id a report shows.
const longestWords = 1000

// Words returns text as a report shows it: without the key, and cut.
func (r *Redactor) Words(text string) string { return r.shown(text, longestWords) }

// Beginning returns the first bytes of text, at most so many, without the key,
// and whether they are all of it. Of a longer text some more is redacted and then
// dropped, lest a key that straddles a cut show its first half.
func Beginning(text string, most int, redact func(string) string) (beginning string, whole bool) {
	const spare = longestText // no encoding of a key is longer
	var clean string
	if whole = len(text) <= most+spare; whole {
		clean = redact(text)
	} else {
		clean = redact(text[:most+spare])
		clean = clean[:max(0, len(clean)-spare)]
	}
	if len(clean) <= most {
		return clean, whole
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(clean[end]) {
		end--
	}
	return clean[:end], false
}

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
