package probe_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"

	"partnerkit.dev/conformance/internal/probe"
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
	"as it is":         func(key string) string { return key },
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
		redactor := probe.NewRedactor(key)
		scanner := redactor.Scanner()
		for how, encode := range encodings {
			text := `{"before": "` + encode(key) + `", "after": true}`
			if !scanner.Leaks([]byte(text)) {
				t.Errorf("%s, %s: want the key found in %s", kind, how, text)
			}
			clean := redactor.Redact(text)
			if !strings.Contains(clean, probe.Redacted) || scanner.Leaks([]byte(clean)) {
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

func TestTextWithoutTheKeyStaysAsItIs(t *testing.T) {
	t.Parallel()
	redactor := probe.NewRedactor("tour-operator-key")
	for _, text := range []string{
		"", "tour-operator", "100% of \\ & %zz \\u00 &nothing; …", `{"a":"\u0041"}`, "\xff\xfe",
	} {
		if got := redactor.Redact(text); got != text {
			t.Errorf("want %q unchanged, got %q", text, got)
		}
	}
}

func TestTheBeginningOfAKeyIsRemovedWhereATextWasCutShort(t *testing.T) {
	t.Parallel()
	redactor := probe.NewRedactor("tour-operator-key")
	for text, want := range map[string]string{
		"the key is tour-oper…":         "the key is " + probe.Redacted + "…",
		`{"key": "tour-oper" …`:         `{"key": "` + probe.Redacted + `" …`,
		"the key is tou…":               "the key is tou…", // as many words begin
		"first tour-…, then tour-oper…": "first " + probe.Redacted + "…, then " + probe.Redacted + "…",
	} {
		if got := redactor.Redact(text); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

func TestAShortKeyIsNotSearchedForInWords(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "a", "slots", "12345"} {
		redactor := probe.NewRedactor(key)
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
	redactor := probe.NewRedactor("products")
	scanner := redactor.Scanner([]byte("GET /Products is answered with 200"), []byte("other text"))
	if scanner.Leaks([]byte("<h1>products</h1>")) {
		t.Error("want a form that the document's own words contain left out of the search")
	}
	if !scanner.Leaks([]byte(hex.EncodeToString([]byte("products")))) {
		t.Error("want the forms that they do not contain searched for all the same")
	}
	if probe.NewRedactor("redacted").Scanner().Leaks([]byte(probe.Redacted)) {
		t.Error("want the mark of a removed key never taken for a key")
	}
}

func TestTheBeginningOfATextHoldsNoPartOfTheKey(t *testing.T) {
	t.Parallel()
	const most = 4000
	key := "tour-operator-key-0815-of-the-harbour"
	redact := probe.NewRedactor(key).Redact
	for name, text := range map[string]string{
		"across the cut":         strings.Repeat("x", most-8) + key + strings.Repeat("y", 20_000),
		"many times":             strings.Repeat(key, 2_000),
		"many times, apart":      strings.Repeat(key+" ", 2_000),
		"many times, escaped":    strings.Repeat(encodings["every byte escaped"](key), 2_000),
		"at its end, and no cut": strings.Repeat("x", most-len(key)) + key,
	} {
		shown, _ := probe.Beginning(text, most, redact)
		for from := range len(key) - 5 {
			if part := key[from : from+6]; strings.Contains(shown, part) {
				t.Errorf("%s: want no part of the key, got %q in %q", name, part, shown)
				break
			}
		}
		if strings.Contains(shown, "%74%6F%75%72") {
			t.Errorf("%s: want no part of the escaped key, got %q", name, shown)
		}
		if len(shown) > most {
			t.Errorf("%s: want at most %d bytes, got %d", name, most, len(shown))
		}
	}
}

func TestTheBeginningOfATextSaysWhetherItIsAll(t *testing.T) {
	t.Parallel()
	same := func(text string) string { return text }
	for _, test := range []struct {
		text, want string
		whole      bool
	}{
		{"", "", true}, {"0123456789", "0123456789", true}, {"0123456789a", "0123456789", false},
		{"012345678é", "012345678", false}, {"01234567é", "01234567é", true},
	} {
		if got, whole := probe.Beginning(test.text, 10, same); got != test.want || whole != test.whole {
			t.Errorf("%q: want %q, %t, got %q, %t", test.text, test.want, test.whole, got, whole)
		}
	}
}

func TestTheDepthOfEscapesThatAreUndoneIsBounded(t *testing.T) {
	t.Parallel()
	key := "tour operator key"
	text := key
	for range 50 {
		text = url.QueryEscape(text)
	}
	if got := probe.NewRedactor(key).Redact(text); got != text {
		t.Errorf("want a text beyond all layers left alone, got %q", got)
	}
}

func TestAnAnswerFullOfKeysShowsNoPartOfOne(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Echo", strings.Repeat(goodKey, 1500))
		_, _ = io.WriteString(w, strings.Repeat(goodKey, 5000))
	})
	answer := newClient(t, address, "").Do(t.Context(), get())
	if !answer.OK(http.StatusOK) || !answer.Response.Body.Cut {
		t.Fatalf("want an answer whose body is cut, got %+v", answer.Exchange)
	}
	shown := answer.Response.Body.Text + answer.Response.Header.Get("X-Echo")
	for from := range len(goodKey) - 3 {
		if part := goodKey[from : from+4]; strings.Contains(shown, part) {
			t.Fatalf("want no part of the key, got %q in %q", part, shown)
		}
	}
}

func TestTheKeyIsSentToNoHostButThePartners(t *testing.T) {
	t.Parallel()
	var strayed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, status) })
		if answer := newClient(t, address, "").Do(t.Context(), get()); !answer.OK(status) {
			t.Errorf("%d: want the redirect itself as the answer, got %+v", status, answer.Exchange)
		}
	}
	if n := strayed.Load(); n > 0 {
		t.Errorf("want no call to another host, got %d", n)
	}
}
