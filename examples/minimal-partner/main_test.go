package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
)

func noEnvironment(string) string { return "" }

func TestItDoesNotStartWithoutAKey(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"-addr", "127.0.0.1:0"}, noEnvironment, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "PARTNER_AUTH_KEY") {
		t.Errorf("want an error that names PARTNER_AUTH_KEY, got %v", err)
	}
}

func TestItSaysWhyItCannotListen(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"-addr", "127.0.0.1:no-port", "-auth-key", testKey}, noEnvironment, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no-port") {
		t.Errorf("want an error that names the address, got %v", err)
	}
}

func TestOnShutdownItTakesNoMoreCallsAndFinishesThoseInProgress(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	environment := func(name string) string { return map[string]string{"PARTNER_AUTH_KEY": testKey}[name] }
	stdout, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-addr", "127.0.0.1:0"}, environment, out) }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, address, found := strings.Cut(strings.TrimSpace(line), "http://")
	if !found {
		t.Fatalf("want a line with the address, got %q", line)
	}

	// The server requests the rest of the body once it handles the call.
	inProgress := make(chan struct{})
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(inProgress) }})
	body, rest := io.Pipe()
	request, err := http.NewRequestWithContext(traced, "POST", "http://"+address+"/bookings/confirm", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+testKey)
	request.Header.Set("Expect", "100-continue")
	answered := make(chan int, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Errorf("the call under way must be answered: %v", err)
			close(answered)
			return
		}
		response.Body.Close()
		answered <- response.StatusCode
	}()

	<-inProgress
	stop()
	for taken := true; taken; {
		connection, err := net.Dial("tcp", address)
		if taken = err == nil; taken {
			connection.Close()
		}
	}
	if _, err := io.WriteString(rest, "{}"); err != nil {
		t.Error(err)
	}
	rest.Close()
	if status := <-answered; status != 400 {
		t.Errorf("confirm without a code: want 400, got %d", status)
	}
	if err := <-ended; err != nil {
		t.Errorf("want a clean end, got %v", err)
	}
}
