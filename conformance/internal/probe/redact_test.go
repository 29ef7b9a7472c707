package probe_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
)

func TestTheBeginningOfATextHoldsNoPartOfTheKey(t *testing.T) {
	t.Parallel()
	const most = 4000
	key := "tour-operator-key-0815-of-the-harbour"
	redact := probe.NewRedactor(key).Redact
	escaped := ""
	for _, b := range []byte(key) {
		escaped += fmt.Sprintf("%%%02X", b)
	}
	for name, text := range map[string]string{
		"across the cut":         strings.Repeat("x", most-8) + key + strings.Repeat("y", 20_000),
		"many times":             strings.Repeat(key, 2_000),
		"many times, apart":      strings.Repeat(key+" ", 2_000),
		"many times, escaped":    strings.Repeat(escaped, 2_000),
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

func TestAnAnswerFullOfKeysShowsNoPartOfOne(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Echo", strings.Repeat(goodKey, 1500))
		_, _ = io.WriteString(w, strings.Repeat(goodKey, 5000))
	})
	answer := newClient(t, address, "").Do(t.Context(), get())
	if !answer.HasStatus(http.StatusOK) || !answer.Response.Body.Cut {
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
	var redirected atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected.Add(1) }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, status) })
		if answer := newClient(t, address, "").Do(t.Context(), get()); !answer.HasStatus(status) {
			t.Errorf("%d: want the redirect itself as the answer, got %+v", status, answer.Exchange)
		}
	}
	if n := redirected.Load(); n > 0 {
		t.Errorf("want no call to another host, got %d", n)
	}
}

func TestALongAnswerIsKeptCompleteWithoutTheKey(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a long answer, ", 2_000)
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text+goodKey+text) })
	body := newClient(t, address, "").Do(t.Context(), get()).Response.Body
	if want := text + probe.Redacted + text; !body.Cut || len(body.Text) >= len(text) || body.Whole != want {
		t.Errorf("want the beginning, and %d bytes for run.har, got %d and %d", len(want), len(body.Text), len(body.Whole))
	}
}
