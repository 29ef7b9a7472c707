package main_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"partnerkit.dev/mockpartner"
)

// watched is a run with --watch that is in progress.
type watched struct {
	*exec.Cmd
	keys  io.Writer
	lines *bufio.Scanner
	seen  []string
}

// readUntil reads the output up to a line that has these words.
func (w *watched) readUntil(t *testing.T, words string) {
	t.Helper()
	for w.lines.Scan() {
		w.seen = append(w.seen, w.lines.Text())
		if strings.Contains(w.lines.Text(), words) {
			return
		}
	}
	t.Fatalf("Expected %q, received\n%s", words, strings.Join(w.seen, "\n"))
}

func startWatch(t *testing.T, address string, args ...string) *watched {
	t.Helper()
	free <- struct{}{}
	t.Cleanup(func() { <-free })
	w := &watched{Cmd: exec.CommandContext(t.Context(), command(), append([]string{"run", "--watch", "--base-url", address, "--report-dir", t.TempDir(), "--reports", "report.json"}, args...)...)}
	w.Env = append(os.Environ(), withKey()...)
	output, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if w.keys, err = w.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	w.lines = bufio.NewScanner(output)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// interrupt interrupts the command, which has to end well.
func (w *watched) interrupt(t *testing.T) {
	t.Helper()
	if err := w.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for w.lines.Scan() {
		w.seen = append(w.seen, w.lines.Text())
	}
	if err := w.Wait(); err != nil {
		t.Errorf("Expected exit 0 after an interrupt, received %v\n%s", err, strings.Join(w.seen, "\n"))
	}
}

func TestWatchingJudgesAgainOnEnterTheFailingRulesFirstAndShowsWhatChanged(t *testing.T) {
	t.Parallel()
	mock := newMock(t, mockpartner.Options{})
	var broken atomic.Bool
	broken.Store(true)
	w := startWatch(t, serve(t, func(answer http.ResponseWriter, request *http.Request) {
		if broken.Load() && request.Header.Get("Authorization") == "" {
			answer.WriteHeader(http.StatusForbidden)
			return
		}
		mock.ServeHTTP(answer, request)
	}), "--label", "products")
	w.readUntil(t, "FAILED products.auth.missing-key")
	w.readUntil(t, "Press Enter to run again")
	broken.Store(false)
	if _, err := io.WriteString(w.keys, "\n"); err != nil {
		t.Fatal(err)
	}
	w.readUntil(t, "Enter was pressed. Running again.")
	w.readUntil(t, "fixed          products.auth.missing-key")
	w.readUntil(t, "Since the last run: 1 fixed, 0 new, 0 still failing.")
	w.readUntil(t, "Press Enter to run again")
	w.interrupt(t)
}

func TestWatchingThatIsInterruptedDuringARunReleasesWhatItHolds(t *testing.T) {
	t.Parallel()
	mock := newMock(t, mockpartner.Options{})
	held := make(chan struct{})
	var once atomic.Bool
	w := startWatch(t, serve(t, func(answer http.ResponseWriter, request *http.Request) {
		mock.ServeHTTP(answer, request)
		if strings.HasSuffix(request.URL.Path, "/reserve") && len(mock.Default().Holds()) > 0 && !once.Swap(true) {
			close(held)
		}
	}))
	<-held
	w.interrupt(t)
	everythingUndone(t, mock)
}
