// Listen creates a webhook at a marketplace, verifies and prints the events that arrive,
// and deletes the webhook when it is stopped.
//
//	MARKETPLACE_API_TOKEN=… go run ./examples/cmd/listen
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	api := flag.String("marketplace", "http://127.0.0.1:8080", "the marketplace's `URL`")
	addr := flag.String("addr", "127.0.0.1:8090", "the `address` to listen on; the marketplace must be able to reach it")
	events := flag.String("events", "booking.confirmed,booking.cancelled,booking.released,booking.attention", "the types of events, separated by commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m := marketplace{*api + "/api/v1/resellers/webhooks", os.Getenv("MARKETPLACE_API_TOKEN")}
	if err := listen(ctx, m, *addr, strings.Split(*events, ","), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "listen:", err)
		os.Exit(1)
	}
}

// listen prints the events that arrive until ctx ends.
func listen(ctx context.Context, m marketplace, addr string, events []string, out io.Writer) (err error) {
	if m.token == "" {
		return errors.New("set MARKETPLACE_API_TOKEN to a reseller's API token")
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	made, err := m.call(ctx, http.MethodPost, m.webhooks, map[string]any{"url": "http://" + listener.Addr().String(), "events": events})
	if err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		_, failed := m.call(last, http.MethodDelete, m.webhooks+"/"+made.ID, nil)
		err = errors.Join(err, failed)
	}()
	signed, err := standardwebhooks.NewWebhook(made.Secret)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: printer(signed, out), ReadTimeout: time.Minute}
	defer server.Close()
	fmt.Fprintln(out, "listening for", strings.Join(events, ", ")) // before any event
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// printer prints each event whose signature is valid. An event may arrive more than once, so a
// program that acts on events must remember their ids.
func printer(signed *standardwebhooks.Webhook, out io.Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || signed.Verify(body, r.Header) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(out, "%s\n", body)
	})
}

// marketplace is the API with a reseller's token.
type marketplace struct{ webhooks, token string }

type webhook struct {
	ID     string `json:"_id"`
	Secret string `json:"secret"`
}

func (m marketplace) call(ctx context.Context, method, url string, body any) (made webhook, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return made, err
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
	if err != nil {
		return made, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("x-api-token", m.token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return made, err
	}
	defer answer.Body.Close()
	frame := struct {
		Data    *webhook `json:"data"`
		Message string   `json:"message"`
	}{Data: &made}
	if err := json.NewDecoder(answer.Body).Decode(&frame); err != nil {
		return made, fmt.Errorf("%s %s: %w", method, url, err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return made, fmt.Errorf("%s %s: %d: %s", method, url, answer.StatusCode, frame.Message)
	}
	return made, nil
}
