package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// beTheCommand makes the test binary act as the command, so that nothing has to be built.
const beTheCommand = "TEST_IS_THE_COMMAND"

// clockAhead is the offset of the command's clock.
const clockAhead = "TEST_CLOCK_AHEAD"

func TestMain(m *testing.M) {
	if os.Getenv(beTheCommand) != "" {
		scaleLimits = partnertest.Unhurried
		if ahead, err := time.ParseDuration(os.Getenv(clockAhead)); err == nil {
			localTime = func() time.Time { return time.Now().Add(ahead) }
		}
		main()
		os.Exit(0)
	}
	pgtest.Main(m)
}

// patience limits how long a test waits. It is far longer than a busy machine needs.
const patience = 10 * time.Minute

// command returns a process of the command with only the given environment variables.
func command(t *testing.T, variables []string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	binary, err := os.Executable()
	must(t, err)
	process := exec.CommandContext(ctx, binary, args...)
	process.Env = append([]string{beTheCommand + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "GORACE=" + os.Getenv("GORACE")}, variables...)
	return process
}

// ran is the result of a process.
type ran struct {
	code        int
	out, errors string
}

func run(t *testing.T, stdin string, variables []string, args ...string) ran {
	t.Helper()
	return runProcess(t, command(t, variables, args...), stdin)
}

// executed runs the command in this process, which costs much less.
func executed(t *testing.T, args []string) ran {
	t.Helper()
	var out, errs strings.Builder
	return ran{execute(t.Context(), args, &out, &errs), out.String(), errs.String()}
}

// runProcess runs a process and waits for its end.
func runProcess(t *testing.T, process *exec.Cmd, stdin string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	process.Stdin, process.Stdout, process.Stderr = strings.NewReader(stdin), &out, &errs
	err := process.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{process.ProcessState.ExitCode(), out.String(), errs.String()}
}

// fails requires exit code 1, a line for each of the words, and no secret in the output.
func (r ran) fails(t *testing.T, words ...string) {
	t.Helper()
	r.says(t, cli.ExitFailed, words)
}

// requireUsageError requires exit code 2.
func (r ran) requireUsageError(t *testing.T, words ...string) {
	t.Helper()
	r.says(t, cli.ExitUsage, words)
}

func (r ran) says(t *testing.T, code int, words []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(r.errors, "\n"), "\n")
	if r.code != code || len(lines) != len(words) {
		t.Errorf("want %d and %d lines, got %d: %s", code, len(words), r.code, r.errors)
	}
	for _, word := range words {
		if !strings.Contains(r.errors, word) {
			t.Errorf("want %q in %s", word, r.errors)
		}
	}
	if strings.Contains(r.errors+r.out, "hush") {
		t.Errorf("want no secret shown, got %s%s", r.errors, r.out)
	}
}

func (r ran) succeeds(t *testing.T) string {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("want 0, got %d: %s", r.code, r.errors)
	}
	return r.out
}

// service is a process that runs the service.
type service struct {
	*exec.Cmd
	base   string
	scrape string      // the address of the metrics, if they have their own
	began  string      // the log until it serves
	log    chan string // its lines
	errors bytes.Buffer
}

// mostLines is the number of lines of a log that are kept until a test reads them.
const mostLines = 1 << 16

func startService(t *testing.T, variables []string, args ...string) *service {
	t.Helper()
	return awaitService(t, command(t, variables, append([]string{"serve", "--addr", "127.0.0.1:0", "--allow-private-partners"}, args...)...))
}

// awaitService starts a process and waits until it serves.
func awaitService(t *testing.T, process *exec.Cmd) *service {
	t.Helper()
	s := &service{Cmd: process}
	out, err := s.StdoutPipe()
	must(t, err)
	s.Stderr, s.log = &s.errors, make(chan string, mostLines)
	must(t, s.Start())
	t.Cleanup(func() { _ = s.Process.Kill() })
	go func() { // always, because a process stops at a full pipe
		defer close(s.log)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			s.log <- line
			if err != nil {
				return
			}
		}
	}()
	for line := range s.log {
		s.began += line
		var entry struct{ Msg, Address string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving metrics" {
			s.scrape = entry.Address
		}
		if entry.Msg == "serving" {
			s.base = entry.Address
			return s
		}
	}
	_ = s.Wait()
	t.Fatalf("want it to serve, got %s", s.errors.String())
	return nil
}

// ends waits for the process and returns its result.
func (s *service) ends(t *testing.T) ran {
	t.Helper()
	var rest strings.Builder
	for line := range s.log {
		rest.WriteString(line)
	}
	_ = s.Wait() // the exit code is checked instead
	return ran{code: s.ProcessState.ExitCode(), out: rest.String(), errors: s.errors.String()}
}

func (s *service) stop(t *testing.T) {
	t.Helper()
	must(t, s.Process.Signal(syscall.SIGTERM))
	r := s.ends(t)
	if r.code != 0 || r.errors != "" {
		t.Errorf("want it to end with 0 and without a word, got %d: %s", r.code, r.errors)
	}
	if !strings.HasSuffix(r.out, "}\n") || !strings.Contains(r.out, `"msg":"stopping"`) {
		t.Errorf("want the log's last lines, whole, got %s", r.out)
	}
}

// shutDown requires that SIGTERM ends the process with exit code 0, whatever it logs.
func (s *service) shutDown(t *testing.T) {
	t.Helper()
	must(t, s.Process.Signal(syscall.SIGTERM))
	if r := s.ends(t); r.code != 0 {
		t.Errorf("want it to end with 0, got %d: %s", r.code, r.errors)
	}
}

// ask sends a request and returns the answer's status and body.
func (s *service) ask(t *testing.T, method, path, body string, header http.Header) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
	must(t, err)
	request.Header = header
	if body != "" {
		request.Header = http.Header{"Content-Type": {"application/json"}}
	}
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(text)
}

// must ends the test on an error.
var must = errtest.Check
