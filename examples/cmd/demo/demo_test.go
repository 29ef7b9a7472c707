//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/tooltest"
)

// wait limits how long a test waits. It is far longer than a busy machine needs.
const wait = 10 * time.Minute

// binaries is the folder for the built commands.
var binaries = filepath.Join(os.TempDir(), fmt.Sprintf("demo-test-%d", os.Getpid()))

// built returns the folder of the commands. They are built once for all tests, where any user can
// run them.
var built = sync.OnceValues(func() (string, error) {
	dir := binaries
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	err := buildtest.Install(dir, "partnerkit.dev/mockpartner/cmd/mockpartner", "partnerkit.dev/conformance/cmd/conformance", "partnerkit.dev/marketplace/cmd/marketplace", "partnerkit.dev/examples/cmd/demo")
	return dir, errors.Join(err, os.Chmod(dir, 0o755))
})

// registry returns npm's registry, for the user's own home, or "" without npm.
var registry = sync.OnceValue(func() string {
	address, _ := exec.Command("npm", "config", "get", "registry").Output()
	return strings.TrimSpace(string(address))
})

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

// show is a running demo in its own process.
type show struct {
	*exec.Cmd
	bin, out, temp string
	screen         *bufio.Reader
	printed        strings.Builder
	complaint      bytes.Buffer
}

// nobody is the id of the Unix user without privileges.
const nobody = 65534

// begin starts a demo. If root runs the tests, ordinary starts it as an ordinary user.
func begin(t *testing.T, ordinary bool, args ...string) *show {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out built commands")
	}
	bin, err := built()
	check(t, err)
	temp, err := os.MkdirTemp("", "demo-test-") // short enough for a socket's path, and open to PostgreSQL's user
	check(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(temp)) })
	check(t, os.Chmod(temp, 0o777))
	s := &show{bin: bin, temp: temp, out: filepath.Join(temp, "left")}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	t.Cleanup(cancel)
	s.Cmd = exec.CommandContext(ctx, filepath.Join(bin, "demo"), append([]string{"-bin", bin, "-out", s.out}, args...)...)
	// The demo must not use an existing database. If the machine has no PostgreSQL, it downloads one.
	s.Env = append(os.Environ(), "TMPDIR="+temp, "HOME="+temp, "MARKETPLACE_NPM_REGISTRY="+cmp.Or(os.Getenv("MARKETPLACE_NPM_REGISTRY"), registry()), "MARKETPLACE_DATABASE_URL=postgres://127.0.0.1:1/nowhere", "CONFORMANCE_BASE_URL=http://127.0.0.1:1")
	s.Cancel = func() error { return s.Process.Signal(syscall.SIGTERM) }
	if cache, err := os.UserCacheDir(); err == nil && !(ordinary && os.Geteuid() == 0) {
		s.Env = append(s.Env, "XDG_CACHE_HOME="+cache)
	}
	if ordinary && os.Geteuid() == 0 {
		s.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	s.Stderr = &s.complaint
	pipe, err := s.StdoutPipe()
	check(t, err)
	s.screen = bufio.NewReader(pipe)
	check(t, s.Start())
	return s
}

// readUntil reads the output until a line contains the words.
func (s *show) readUntil(t *testing.T, words string) {
	t.Helper()
	for {
		line, err := s.screen.ReadString('\n')
		s.printed.WriteString(line)
		if strings.Contains(line, words) {
			return
		}
		if err != nil {
			t.Fatalf("Expected %q in the output, received\n%s%s", words, s.printed.String(), s.ends(t))
		}
	}
}

// ends waits for the end, and returns the exit code and the errors. It requires that only the
// output folder is left.
func (s *show) ends(t *testing.T) string {
	t.Helper()
	rest, err := io.ReadAll(s.screen)
	check(t, err)
	s.printed.Write(rest)
	_ = s.Wait() // the exit code is checked instead
	if left, err := filepath.Glob(filepath.Join(s.temp, "partnerkit-demo-*")); err != nil || len(left) > 0 {
		t.Errorf("want no data left, got %v, %v", left, err)
	}
	// A killed process may take a moment to end, but what runs on is found.
	running := processesIn(t, s.temp)
	for end := time.Now().Add(wait / 20); len(running) > 0 && time.Now().Before(end); running = processesIn(t, s.temp) {
		<-time.After(again)
	}
	for _, process := range running {
		t.Errorf("want no process left, got %s", process)
	}
	if strings.Contains(s.complaint.String(), "no PostgreSQL found on this machine") {
		tooltest.Skip(t, tooltest.PostgreSQL, s.complaint.String())
	}
	return fmt.Sprintf("%d: %s", s.ProcessState.ExitCode(), s.complaint.String())
}

// processesIn returns the processes that work in a folder or have a file open in it.
func processesIn(t *testing.T, folder string) (found []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	check(t, err)
	folders, err := filepath.Glob("/proc/[0-9]*/cwd")
	check(t, err)
	for _, link := range append(links, folders...) {
		if strings.HasPrefix(link, fmt.Sprintf("/proc/%d/", os.Getpid())) {
			continue
		}
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, folder) { // otherwise it has just ended
			found = append(found, link+" to "+to)
		}
	}
	return found
}

// check ends the test on an error.
var check = errtest.Check

// secret matches a generated password, key or webhook secret.
var secret = regexp.MustCompile(`\b([A-Z2-7]{26}|[0-9a-f]{64})\b`)

func TestTheDemoHoldsForAnUnprivilegedUser(t *testing.T) {
	t.Parallel()
	s := begin(t, true, "-depth", "quick") // make docs-test runs the README's demo at the usual depth
	if end := s.ends(t); end != "0: " {
		log, _ := os.ReadFile(filepath.Join(s.out, "marketplace.log"))
		t.Fatalf("want every step to hold, got %s\n%s\n%s", end, s.printed.String(), log)
	}
	for _, words := range []string{
		"conformant: ", "24.09 USD", "CONFIRMED, the partner's booking", "ticket: TICKET QRCODE", "RELEASED, abandoned", "RELEASED, expired",
		"CANCELLED; ", "the shop shows it SOLD_OUT", "asked again, and booked once", "CONFIRMED after the operator", "DEGRADED since", "HEALTHY since",
		"kept: ", "nonconformant: ", "found: release.vacancies.one (REL-3)",
	} {
		if !strings.Contains(s.printed.String(), words) {
			t.Errorf("Expected %q in the output, received\n%s", words, s.printed.String())
		}
	}
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(s.out, name)); err != nil {
			t.Errorf("want it left: %v", err)
		}
	}
	transcript, err := os.ReadFile(filepath.Join(s.out, "demo.log"))
	check(t, err)
	if string(transcript) != s.printed.String() {
		t.Errorf("Expected the output in the transcript, received\n%s", transcript)
	}
	for _, name := range []string{"demo.log", "marketplace.log", "mockpartner.log"} {
		text, err := os.ReadFile(filepath.Join(s.out, name))
		check(t, err)
		if shown := secret.Find(text); shown != nil {
			t.Errorf("%s: want no secret in it, got %s", name, shown)
		}
	}
}

// It is not parallel to the other test of demo up, which uses the same ports.
func TestAnInterruptEndsAllThatWasStarted(t *testing.T) {
	s := begin(t, false, "up") // reaches the marketplace without a run of the suite
	s.readUntil(t, "serves")   // the marketplace and its PostgreSQL are running
	check(t, s.Process.Signal(syscall.SIGTERM))
	if end := s.ends(t); !strings.HasPrefix(end, "1: demo: interrupted\n") {
		t.Errorf("want it to end as interrupted, got %s\n%s", end, s.printed.String())
	}
}

func TestDemoUpCanBeTriedAsPrintedAndEndsWithCtrlC(t *testing.T) {
	t.Parallel()
	// The demo uses another port if its own is in use, by this test or another process.
	if taken, err := net.Listen("tcp", loopbackAddress(ports["marketplace"])); err == nil {
		t.Cleanup(func() { check(t, taken.Close()) })
	}
	tooltest.Require(t, tooltest.Curl) // the printed commands use it
	s := begin(t, false, "up")
	s.readUntil(t, "port 8080 is in use: marketplace uses port ")
	s.readUntil(t, "To begin with")
	s.readUntil(t, "DELETE")
	pages, commands, _ := strings.Cut(s.printed.String(), "in another terminal:")
	for _, path := range []string{"/console", "/docs", "/_mock/"} {
		page := regexp.MustCompile(`http://[0-9.:]+` + path).FindString(pages)
		answer, err := http.Get(page)
		check(t, err)
		check(t, answer.Body.Close())
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: want a page, got %s", page, answer.Status)
		}
	}
	check(t, os.WriteFile(filepath.Join(s.temp, ".curlrc"), []byte("fail\nsilent\nshow-error\n"), 0o600))
	try := exec.CommandContext(t.Context(), "sh", "-e", "-c", commands)
	try.Env = append(os.Environ(), "CURL_HOME="+s.temp)
	output, err := try.CombinedOutput()
	if err != nil {
		t.Errorf("want what it says to work, got %v: %s", err, output)
	}
	for _, words := range []string{`"currency":"USD"`, `"status":"HELD"`, `"reason":"confirm_refused"`, `"verdict":"kept"`} {
		if !strings.Contains(strings.ReplaceAll(string(output), `": "`, `":"`), words) {
			t.Errorf("want %s, got %s", words, output)
		}
	}
	check(t, s.Process.Signal(os.Interrupt))
	if end := s.ends(t); end != "0: " {
		t.Errorf("want it to end well, got %s", end)
	}
}
