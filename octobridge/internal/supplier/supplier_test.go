package supplier_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/supplier"
)

// check ends the test on an error.
var check = errtest.Check

const key = "a-key-for-tests"

func newClient(t *testing.T, address string) *supplier.Client {
	t.Helper()
	base, err := url.Parse(address)
	check(t, err)
	return supplier.New(supplier.Config{URL: base, Key: key, UserAgent: "test/1"})
}

// answering serves one answer.
func answering(t *testing.T, status int, body string) *supplier.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return newClient(t, server.URL)
}

func TestClient_SendsWhatOCTORequires(t *testing.T) {
	t.Parallel()
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		_, _ = w.Write([]byte(`{"status": "CONFIRMED"}`))
	}))
	defer server.Close()
	_, err := newClient(t, server.URL+"/octo/v1/").Confirm(t.Context(), "a/b", octo.ConfirmationRequest{})
	check(t, err)
	if got.Method != "POST" || got.URL.EscapedPath() != "/octo/v1/bookings/a%2Fb/confirm" || got.Header.Get("Authorization") != "Bearer "+key ||
		got.Header.Get(octo.CapabilitiesHeader) != octo.Pricing || got.Header.Get("Content-Type") != "application/json" || got.Header.Get("User-Agent") != "test/1" {
		t.Errorf("got %s %s %v", got.Method, got.URL, got.Header)
	}
}

func TestRefusals_SayWhetherTheRequestIsDecidedAndWithoutEffect(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status               int
		final, withoutEffect bool
	}{
		{400, true, true}, {404, true, true}, {409, true, true}, {422, true, true},
		{401, false, true}, {403, false, true}, {429, false, true},
		{408, false, false}, {500, false, false}, {502, false, false}, {503, false, false}, {302, false, false},
	} {
		_, err := answering(t, test.status, `{"error": "BAD_REQUEST", "errorMessage": "No."}`).Find(t.Context(), "u")
		refused := (*supplier.Refusal)(nil)
		if !errors.As(err, &refused) || refused.Status != test.status || refused.IsFinal() != test.final || refused.IsWithoutEffect() != test.withoutEffect {
			t.Errorf("%d: want final %t, without effect %t, got %+v", test.status, test.final, test.withoutEffect, err)
		}
	}
}

func TestErrors_NameTheCallAndShowNoSecretAndNoLongText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status     int
		body, want string
	}{
		{400, `{"error": "BAD_REQUEST", "errorMessage": "No."}`, "GET /bookings/{uuid}: 400 BAD_REQUEST: No."},
		{400, `{"errorMessage": "wrong key ` + key + `"}`, "GET /bookings/{uuid}: 400: wrong key "},
		{500, `{"errorMessage": "a\nb\u001b[2J` + strings.Repeat("x", 2000) + `"}`, "xx…"},
		{500, `nonsense`, "GET /bookings/{uuid}: 500"},
		{200, `nonsense`, "GET /bookings/{uuid}: the answer is not as OCTO has it: "},
		{200, `{"status": 7}`, "GET /bookings/{uuid}: the answer is not as OCTO has it: "},
		{200, `{}`, "GET /bookings/{uuid}: the answer is no booking: it has no status"},
		{200, `{"status": "` + strings.Repeat("x", 5<<20) + `"}`, "GET /bookings/{uuid}: the answer is too large"},
	} {
		_, err := answering(t, test.status, test.body).Find(t.Context(), "u")
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), key) || strings.ContainsAny(err.Error(), "\n\u001b") || len(err.Error()) > 700 {
			t.Errorf("%.60s: want %q, got %.900v", test.body, test.want, err)
		}
	}
}

func TestErrors_SayWhyThereWasNoAnswer(t *testing.T) {
	t.Parallel()
	stalled := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stalled }))
	defer server.Close()
	defer close(stalled)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := newClient(t, server.URL).Find(ctx, "u")
	if failed := (*supplier.Failure)(nil); !errors.As(err, &failed) || !failed.Timeout || failed.Call != "GET /bookings/{uuid}" {
		t.Errorf("want a timeout, got %v", err)
	}
	_, err = newClient(t, "http://127.0.0.1:1").Find(t.Context(), "u")
	if failed := (*supplier.Failure)(nil); !errors.As(err, &failed) || failed.Timeout || !strings.Contains(err.Error(), "refused") {
		t.Errorf("want a refused connection, got %v", err)
	}
}

// A redirect would carry the key to another host.
func TestClient_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("want no call elsewhere") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	_, err := newClient(t, server.URL).Products(t.Context())
	if refused := (*supplier.Refusal)(nil); !errors.As(err, &refused) || refused.Status != 307 {
		t.Errorf("want the redirect refused, got %v", err)
	}
}
