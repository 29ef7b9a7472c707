package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"partnerkit.dev/internal/redact"
)

// keys are keys of all kinds, none of them of any worth.
var keys = map[string]string{
	"plain":              "tour-operator-key-0815",
	"capitals":           "TourOperatorKEY0815",
	"hexadecimal":        "deadbeefcafe00112233",
	"base64":             "c2VjcmV0LXNlY3JldA+/==",
	"marks of a URL":     "a+b c%2Fd/e?f&g=h#i",
	"quotes":             `say "hello" it's \o/`,
	"marks of HTML":      "<b>&amp;key</b>",
	"of other languages": "schlüssel-ключ-鍵-🔑",
	"shortest searched":  "k3y-6b",
}

// encodings are the ways in which a text may come to hold a key.
var encodings = map[string]func(key string) string{
	"unchanged":        func(key string) string { return key },
	"in capitals":      strings.ToUpper,
	"in small letters": strings.ToLower,
	"in a query":       url.QueryEscape,
	"in a path":        url.PathEscape,
	"in a path, in small letters": func(key string) string {
		return strings.ToLower(url.PathEscape(key))
	},
	"every byte escaped": func(key string) string {
		var escaped strings.Builder
		for _, b := range []byte(key) {
			fmt.Fprintf(&escaped, "%%%02X", b)
		}
		return escaped.String()
	},
	"escaped twice": func(key string) string { return url.QueryEscape(url.QueryEscape(key)) },
	"in JSON": func(key string) string {
		text, _ := json.Marshal(key)
		return strings.Trim(string(text), `"`)
	},
	"in JSON in JSON": func(key string) string {
		inner, _ := json.Marshal(map[string]string{"key": key})
		outer, _ := json.Marshal(string(inner))
		return string(outer)
	},
	"in JSON, in escapes alone": func(key string) string {
		var escaped strings.Builder
		for _, unit := range utf16.Encode([]rune(key)) {
			fmt.Fprintf(&escaped, `\u%04x`, unit)
		}
		return escaped.String()
	},
	"in HTML":               html.EscapeString,
	"in HTML, in JSON":      func(key string) string { return html.EscapeString(fmt.Sprintf("%q", key)) },
	"in hexadecimal":        func(key string) string { return hex.EncodeToString([]byte(key)) },
	"in HEXADECIMAL":        func(key string) string { return strings.ToUpper(hex.EncodeToString([]byte(key))) },
	"in base64":             inBase64(base64.StdEncoding, ""),
	"in base64 behind 1":    inBase64(base64.StdEncoding, ":"),
	"in base64 behind 2":    inBase64(base64.StdEncoding, "u:"),
	"in base64 of Bearer":   inBase64(base64.StdEncoding, "Bearer "),
	"in base64url":          inBase64(base64.RawURLEncoding, ""),
	"in base64url behind 1": inBase64(base64.URLEncoding, ":"),
	"in base64url behind 2": inBase64(base64.URLEncoding, "u:"),
	"in base64, in a query": func(key string) string { return url.QueryEscape(inBase64(base64.StdEncoding, "x:")(key)) },
	"as ISO 8859-1": func(key string) string {
		var shown strings.Builder
		for _, b := range []byte(key) {
			shown.WriteRune(rune(b))
		}
		return shown.String()
	},
}

func inBase64(encoding *base64.Encoding, before string) func(string) string {
	return func(key string) string { return encoding.EncodeToString([]byte(before + key)) }
}

func TestTheKeyIsRemovedInEveryEncoding(t *testing.T) {
	t.Parallel()
	for kind, key := range keys {
		redactor := redact.New(key)
		scanner := redactor.Scanner()
		for how, encode := range encodings {
			text := `{"before": "` + encode(key) + `", "after": true}`
			if !scanner.Leaks([]byte(text)) {
				t.Errorf("%s, %s: want the key found in %s", kind, how, text)
			}
			clean := redactor.Redact(text)
			if !strings.Contains(clean, redact.Mark) || scanner.Leaks([]byte(clean)) {
				t.Errorf("%s, %s: want the key removed from %s, got %s", kind, how, text, clean)
			}
			if !strings.HasPrefix(clean, `{"before": "`) || !strings.HasSuffix(clean, `", "after": true}`) {
				t.Errorf("%s, %s: want the text around the key kept, got %s", kind, how, clean)
			}
			if again := redactor.Redact(clean); again != clean {
				t.Errorf("%s, %s: want a clean text left alone, got %s", kind, how, again)
			}
		}
	}
}

func TestTextWithoutTheKeyIsUnchanged(t *testing.T) {
	t.Parallel()
	redactor := redact.New("tour-operator-key")
	for _, text := range []string{
		"", "tour-opera", "100% of \\ & %zz \\u00 &nothing; …", `{"a":"\u0041"}`, "\xff\xfe",
	} {
		if got := redactor.Redact(text); got != text {
			t.Errorf("want %q unchanged, got %q", text, got)
		}
	}
}

func TestTheBeginningOfAKeyIsRemovedWhereATextWasCutShort(t *testing.T) {
	t.Parallel()
	redactor := redact.New("tour-operator-key")
	for text, want := range map[string]string{
		"the key is tour-oper…":         "the key is " + redact.Mark + "…",
		`{"key": "tour-oper" …`:         `{"key": "` + redact.Mark + `" …`,
		"the key is tou…":               "the key is tou…", // as many words begin
		"first tour-…, then tour-oper…": "first " + redact.Mark + "…, then " + redact.Mark + "…",
	} {
		if got := redactor.Redact(text); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

func TestAShortKeyIsNotSearchedForInWords(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "a", "slots", "12345"} {
		redactor := redact.New(key)
		text := "12345 slots of a product"
		if got := redactor.Redact(text); got != text {
			t.Errorf("%q: want ordinary words left alone, got %q", key, got)
		}
		if redactor.Scanner().Leaks([]byte(text)) {
			t.Errorf("%q: want nothing found in ordinary words", key)
		}
	}
}

func TestAKeyThatTheFixedTextContainsProvesNothing(t *testing.T) {
	t.Parallel()
	redactor := redact.New("products")
	scanner := redactor.Scanner([]byte("GET /Products is answered with 200"), []byte("other text"))
	if scanner.Leaks([]byte("<h1>products</h1>")) {
		t.Error("want a form that the document's own words contain left out of the search")
	}
	if !scanner.Leaks([]byte(hex.EncodeToString([]byte("products")))) {
		t.Error("want the forms that they do not contain still searched for")
	}
	if redact.New("redacted").Scanner().Leaks([]byte(redact.Mark)) {
		t.Error("want the mark of a removed key never taken for a key")
	}
}

func TestTheDepthOfEscapesThatAreUndoneIsBounded(t *testing.T) {
	t.Parallel()
	key := "tour operator key"
	text := key
	for range 50 {
		text = url.QueryEscape(text)
	}
	if got := redact.New(key).Redact(text); got != text {
		t.Errorf("want a text beyond all layers left alone, got %q", got)
	}
}

func TestALongPartOfTheKeyIsRemovedInEveryEncoding(t *testing.T) {
	t.Parallel()
	const key = "pk_live_9f86d081884c7d659a2feaa0c55ad015"
	redactor := redact.New(key)
	for how, encode := range encodings {
		for what, part := range map[string]string{"beginning": key[:20], "middle": key[10:30], "end": key[20:]} {
			clean := redactor.Redact("wrong key " + encode(part) + ", sorry")
			if !strings.Contains(clean, redact.Mark) {
				t.Errorf("the %s, %s: want it removed, got %q", what, how, clean)
			}
		}
	}
	for _, text := range []string{"pk_live_ is what a key begins with", "9f86d081", "order 884c7d65"} {
		if got := redactor.Redact(text); got != text {
			t.Errorf("want a short part left alone, got %q", got)
		}
	}
}
