package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"partnerkit.dev/internal/errtest"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	other  = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

func TestAnEventIsPrintedIfItsSignatureIsRightAndTheWebhookIsDeletedInTheEnd(t *testing.T) {
	t.Parallel()
	created, deleted := make(chan string, 1), make(chan string, 1)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-api-token") != "a-token" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		if r.Method == http.MethodDelete {
			deleted <- r.URL.Path
		} else {
			var asked struct{ URL string }
			_ = json.NewDecoder(r.Body).Decode(&asked)
			created <- asked.URL
		}
		fmt.Fprintf(w, `{"success": 1, "data": {"_id": "w-1", "secret": %q}}`, secret)
	}))
	defer service.Close()
	screen, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- listen(ctx, marketplace{service.URL + "/webhooks", "a-token"}, "127.0.0.1:0", []string{"booking.confirmed"}, out)
		_ = out.Close()
	}()
	url := <-created
	lines := make(chan string, 9)
	go func() {
		text, _ := io.ReadAll(screen)
		lines <- string(text)
	}()
	if status := send(t, url, other, `{"id": "forged"}`); status != http.StatusUnauthorized {
		t.Errorf("want another's event refused, got %d", status)
	}
	if status := send(t, url, secret, `{"id": "e-1"}`); status != http.StatusOK {
		t.Errorf("want the event taken, got %d", status)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if reported := <-lines; reported != "listening for booking.confirmed\n{\"id\": \"e-1\"}\n" {
		t.Errorf("want the one event, got %q", reported)
	}
	if path := <-deleted; path != "/webhooks/w-1" {
		t.Errorf("want the webhook deleted, got %s", path)
	}
}

func TestARefusalByTheMarketplaceIsReported(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"success": 0, "message": "unauthorized access"}`)
	}))
	defer service.Close()
	for token, words := range map[string]string{"": "set MARKETPLACE_API_TOKEN", "wrong": "401: unauthorized access"} {
		err := listen(t.Context(), marketplace{service.URL, token}, "127.0.0.1:0", nil, io.Discard)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("want %q, got %v", words, err)
		}
	}
}

// send posts a signed event as the marketplace does, and returns the status.
func send(t *testing.T, url, secret, body string) int {
	t.Helper()
	signed, err := standardwebhooks.NewWebhook(secret)
	check(t, err)
	at := time.Now()
	signature, err := signed.Sign("e-1", at, []byte(body))
	check(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	check(t, err)
	request.Header.Set("webhook-id", "e-1")
	request.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	request.Header.Set("webhook-signature", signature)
	answer, err := http.DefaultClient.Do(request)
	check(t, err)
	check(t, answer.Body.Close())
	return answer.StatusCode
}

// check ends the test on an error.
var check = errtest.Check
