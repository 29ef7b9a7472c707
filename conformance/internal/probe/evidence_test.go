package probe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

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
