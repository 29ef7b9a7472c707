package probe

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/redact"
	"partnerkit.dev/schemas/partnerapi"
)

// Redacted replaces the key.
const Redacted = redact.Mark

// ellipsis marks where a text was cut short.
const ellipsis = "…"

// Redactor removes the partner's key from texts.
type Redactor struct {
	*redact.Redactor
	near *redact.Redactor // of a similar key; nil: none was sent
}

// NewRedactor returns the redactor of the partner's key and of further secrets.
func NewRedactor(keys ...string) *Redactor { return &Redactor{Redactor: redact.New(keys...)} }

// withNearKey returns a redactor that also removes a similar key, because it reveals most of the partner's
// key. near is "" for none.
func (r *Redactor) withNearKey(near string) *Redactor {
	if near == "" {
		return r
	}
	return &Redactor{r.Redactor, redact.New(near)}
}

// Redact returns the text without secrets, and without keys near the registered one.
func (r *Redactor) Redact(text string) string {
	if r.near != nil {
		text = r.near.Redact(text)
	}
	return r.Redactor.Redact(text)
}

// header returns a redacted copy of h, cut to a bounded length. Credentials are also redacted by
// the name of their header, for keys too short to be searched for.
func (r *Redactor) header(h http.Header, auth partnerapi.AuthType) http.Header {
	shown := make(http.Header, len(h))
	left := longestText
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			switch {
			case name == otherHeader && value != "":
				value = Redacted
			case name != "Authorization", strings.Contains(value, wrongKey), value == "", value == bearer:
				value = r.shorten(value, longestText)
			case strings.HasPrefix(value, bearer+" ") && auth != partnerapi.APIKey:
				value = bearer + " " + Redacted
			default:
				value = Redacted
			}
			label := r.shorten(name, longestText)
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
func (r *Redactor) body(raw []byte) report.Body {
	enough := raw[:min(len(raw), 3*longestText)] // a copy of a complete catalog would double it
	text, whole := Beginning(string(enough), longestText, r.Redact)
	return report.Body{Text: strings.ToValidUTF8(text, "\uFFFD"), Size: int64(len(raw)), Cut: !whole}
}

func (r *Redactor) shorten(text string, most int) string { return shorten(text, most, r.Redact) }

// shorten returns text as evidence shows it: without the key, and shortened, with an ellipsis.
func shorten(text string, most int, redact func(string) string) string {
	beginning, whole := Beginning(text, most, redact)
	if !whole {
		beginning += ellipsis
	}
	return beginning
}

const (
	longestText    = 8 << 10 // maximum bytes shown of a body, an address or a header
	longestMessage = 512     // maximum bytes shown of an error
)

// longestWords is the maximum number of bytes of a message or an id that a report shows.
const longestWords = 1000

// Words returns text as a report shows it: without the key, and shortened.
func (r *Redactor) Words(text string) string { return r.shorten(text, longestWords) }

// Beginning returns the first bytes of text, no more than most and without the key, and whether
// that is the complete text. It redacts some more of a longer text and then drops it, so that a key
// at the cut does not show its first half.
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
