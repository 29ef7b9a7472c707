package probe

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Redacted stands where the key stood.
const Redacted = "[redacted]"

// shortestSearched is the length below which a key is no longer searched for
// in running text: it would be found inside ordinary words. The Authorization
// header is redacted whatever the key's length.
const shortestSearched = 6

// Redactor removes a key from text, in every encoding in which it may appear.
type Redactor struct {
	forms    []string
	replacer *strings.Replacer
}

// NewRedactor returns the redactor of key.
func NewRedactor(key string) *Redactor {
	forms := encodings(key)
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, Redacted)
	}
	return &Redactor{forms: forms, replacer: strings.NewReplacer(pairs...)}
}

// Redact returns s without the key.
func (r *Redactor) Redact(s string) string { return r.replacer.Replace(s) }

// Scanner returns a search for the key in finished documents. Forms of the key
// that the documents' own fixed text contains (a key such as "products") are
// left out: finding them would prove nothing.
func (r *Redactor) Scanner(fixedText ...[]byte) *Scanner {
	scanner := &Scanner{}
	for _, form := range r.forms {
		known := slices.ContainsFunc(fixedText, func(text []byte) bool { return bytes.Contains(text, []byte(form)) })
		if !known {
			scanner.forms = append(scanner.forms, []byte(form))
		}
	}
	return scanner
}

// Scanner searches documents for a key.
type Scanner struct{ forms [][]byte }

// Leaks reports whether b contains the key in any encoding.
func (s *Scanner) Leaks(b []byte) bool {
	return slices.ContainsFunc(s.forms, func(form []byte) bool { return bytes.Contains(b, form) })
}

// encodings returns the forms in which key may appear in text, longest first,
// so that a form is replaced before another that is part of it.
func encodings(key string) []string {
	if len(key) < shortestSearched {
		return nil
	}
	quoted, _ := json.Marshal(key) // a string always marshals
	forms := []string{
		key,
		url.QueryEscape(key),
		url.PathEscape(key),
		html.EscapeString(key),
		strings.Trim(string(quoted), `"`),
		hex.EncodeToString([]byte(key)),
		strings.ToUpper(hex.EncodeToString([]byte(key))),
	}
	forms = append(forms, base64Forms(key)...)
	slices.SortFunc(forms, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(forms)
}

// base64Forms returns what any base64 text that contains key must contain:
// three letters hold two bytes and a bit, so the key shows in three ways, by
// the number of bytes before it modulo three ("Bearer " and "user:" included).
func base64Forms(key string) []string {
	var forms []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString(append(make([]byte, before), key...))
			// The letters that also hold bits of the bytes around the key vary.
			first := (before*8 + 5) / 6
			last := (before + len(key)) * 8 / 6
			forms = append(forms, text[first:last])
		}
	}
	return forms
}
