package client_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/judge"
	"partnerkit.dev/schemas/partnerapi"
)

// TestACallerIsAProcess is no test: it is the process that is killed. It asks for the
// catalog, says so, and reserves.
func TestACallerIsAProcess(t *testing.T) {
	base := os.Getenv("CALLED")
	if base == "" {
		t.Skip("a caller of another test")
	}
	for _, call := range []struct{ method, target string }{{"GET", "/products?limit=1"}, {"DELETE", "/bookings/x"}} {
		request, err := http.NewRequestWithContext(t.Context(), call.method, base+call.target, nil)
		done(t, err)
		response, err := http.DefaultTransport.RoundTrip(request)
		done(t, err)
		response.Body.Close()
		fmt.Println("answered")
	}
}

// caller starts a process that calls the mock, and returns it once its call hangs.
func (b bench) caller(executable string) *exec.Cmd {
	b.t.Helper()
	process := exec.Command(executable, "-test.run", "^TestACallerIsAProcess$")
	process.Env = append(os.Environ(), "CALLED="+b.URL)
	said, err := process.StdoutPipe()
	done(b.t, err)
	done(b.t, process.Start())
	b.t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || !strings.Contains(line, "answered") {
		b.t.Fatalf("want it to call, got %q, %v", line, err)
	}
	return process
}

func TestAProcessIsKilledAndWhatThatExplainsIsNotHeldAgainstIt(t *testing.T) {
	t.Parallel()
	executable, err := os.Executable()
	done(t, err)
	b, ctx := start(t), t.Context()
	ok[[]client.Fault](t)(b.Control.Arm(ctx, `{match: {endpoint: release}, delay: 20s}`))
	one, another := b.caller(executable), b.caller(executable)
	hanging := func() (n int) {
		for _, e := range b.Default().Journal().Record().Exchanges {
			if e.Endpoint == partnerapi.Release && e.LeftAfter == nil {
				n++
			}
		}
		return n
	}
	until(t, "both calls under way", func() bool { return hanging() == 2 })
	if err := b.Control.Kill(ctx, one.Process, 0); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	until(t, "the mock notice it", func() bool { return hanging() == 1 })
	told := ok[[]client.Testimony](t)(b.Control.Testimony(ctx))
	if len(told) != 1 || len(told[0].Died) != 1 || told[0].At.Sub(told[0].Since) < time.Second {
		t.Fatalf("want one connection testified, and from a second before, got %+v", told)
	}
	patience := func() judge.Outcome {
		for _, j := range ok[judge.Verdict](t)(b.Control.Verdict(ctx)).Rules {
			if j.ID == "call.patient" {
				return j.Verdict
			}
		}
		return ""
	}
	if got := patience(); got != judge.NotJudged {
		t.Errorf("want the death of a process not held against it, got %s", got)
	}
	done(t, another.Process.Kill())
	until(t, "the mock notice it", func() bool { return hanging() == 0 })
	if got := patience(); got != judge.Broken {
		t.Errorf("want a call held against the caller who left it without a testimony, got %s", got)
	}
	_ = one.Wait()
	if err := b.Control.Kill(ctx, one.Process, 0); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("want to be told that it has ended, got %v", err)
	}
	done(t, b.Control.ClearJournal(ctx))
	if told := ok[[]client.Testimony](t)(b.Control.Testimony(ctx)); len(told) != 0 {
		t.Errorf("want testimony cleared with the journal, got %+v", told)
	}
}

// until waits for what is sure to come.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("want %s", what)
		}
	}
}
