package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
)

// check ends the test on an error.
var check = errtest.Check

const (
	authKey = "a-key-for-the-marketplace"
	octoKey = mocktest.Key
)

// patience limits how long a test waits. It is far longer than a busy machine needs.
const patience = 10 * time.Minute

// built is the folder of the built command.
var built string

// binary builds the command once for all tests, and returns its path.
var binary = sync.OnceValue(func() string {
	if err := buildtest.Install(built, "partnerkit.dev/octobridge/cmd/octobridge"); err != nil {
		panic(err)
	}
	return filepath.Join(built, "octobridge")
})

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "octobridge"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// supply serves the mock partner as an OCTO supplier, and returns its address.
func supply(t testing.TB, o mockpartner.Options) (*mocktest.Server, string) {
	t.Helper()
	mock := mocktest.Start(t, o)
	server := httptest.NewServer(mock.OCTO())
	t.Cleanup(server.Close)
	return mock, server.URL
}

// outcome is how the command ended.
type outcome struct {
	code           int
	stdout, stderr string
}

var keys = []string{"OCTOBRIDGE_OCTO_KEY=" + octoKey, "OCTOBRIDGE_AUTH_KEY=" + authKey}

// finish runs the command to its end, with these settings in the environment.
func finish(t *testing.T, environment []string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, binary(), args...)
	command.Env = environment
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// serving is a bridge that is up.
type serving struct {
	command *exec.Cmd
	url     string
	output  *record
}

// record is what a running command has written so far.
type record struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *record) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(text)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

var listening = regexp.MustCompile(`^octobridge listening on (https?://\S+)\n$`)

// serve starts the command on a free port.
func serve(environment []string, args ...string) (*serving, error) {
	command := exec.Command(binary(), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	command.Env = environment
	s := &serving{command: command, output: &record{}}
	command.Stderr = s.output
	stdout, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return nil, err
	}
	reader := bufio.NewReader(stdout)
	line, _ := reader.ReadString('\n')
	found := listening.FindStringSubmatch(line)
	if found == nil {
		_ = command.Wait()
		return nil, fmt.Errorf("expected the address, received %q: %s", line, s.output)
	}
	s.url = found[1]
	go func() { _, _ = io.Copy(s.output, reader) }() // ends with the command
	return s, nil
}

func startServing(t testing.TB, environment []string, args ...string) *serving {
	t.Helper()
	s, err := serve(environment, append(args, "--store", filepath.Join(t.TempDir(), "bridge.db"))...)
	check(t, err)
	t.Cleanup(func() { _ = s.command.Process.Kill(); _ = s.command.Wait() })
	return s
}

// get returns the answer to a request with the marketplace's key.
func (s *serving) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	check(t, err)
	request.Header.Set("Authorization", "Bearer "+authKey)
	answer, err := http.DefaultClient.Do(request)
	check(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(t, err)
	return answer.StatusCode, string(text)
}

// waitFor waits until the command has written a text.
func (s *serving) waitFor(t *testing.T, text string) {
	t.Helper()
	for began := time.Now(); !strings.Contains(s.output.String(), text); {
		if time.Since(began) > patience {
			t.Fatalf("want %q, got %s", text, s.output)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func TestServe_SellsWhatTheSupplierOffersUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	_, octo := supply(t, mockpartner.Options{})
	s := startServing(t, keys, "--octo-url", octo)
	s.waitFor(t, "8 products can be sold")
	if status, body := s.get(t, "/products"); status != 200 || !strings.Contains(body, `"id":"unit-adult"`) {
		t.Errorf("want the products, got %d %.200s", status, body)
	}
	if status, body := s.get(t, "/metrics"); status != 200 || !strings.Contains(body, "\noctobridge_open_bookings 0\n") ||
		!strings.Contains(body, `octobridge_octo_calls_total{call="GET /products",status="200"}`) {
		t.Errorf("want the metrics, got %d %.200s", status, body)
	}
	if up := finish(t, nil, "health", "--addr", strings.TrimPrefix(s.url, "http://")); up.code != 0 || !strings.Contains(up.stdout, "the bridge is up") {
		t.Errorf("got %+v", up)
	}
	check(t, s.command.Process.Signal(os.Interrupt))
	s.waitFor(t, "stopped\n")
	if err := s.command.Wait(); err != nil {
		t.Error(err)
	}
	if down := finish(t, nil, "health", "--addr", strings.TrimPrefix(s.url, "http://")); down.code == 0 {
		t.Errorf("want it down, got %+v", down)
	}
}

// It starts anyway, because the marketplace retries, and a restart would not help.
func TestServe_StartsWithoutTheSupplierAndKeepsItsKeySecret(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"error": "FORBIDDEN", "errorMessage": "wrong: %s"}`, r.Header.Get("Authorization"))
	}))
	defer refusing.Close()
	s := startServing(t, keys, "--octo-url", refusing.URL)
	s.waitFor(t, "the supplier's catalog cannot be read")
	status, body := s.get(t, "/products")
	if status != http.StatusBadGateway || !strings.Contains(body, `"octo":{"call":"GET /products","status":403,"error":"FORBIDDEN"`) {
		t.Errorf("want the call that failed, got %d %s", status, body)
	}
	if all := body + s.output.String(); strings.Contains(all, octoKey) || strings.Contains(all, authKey) {
		t.Errorf("want no key, got %s", all)
	}
}

func TestServe_ReportsAllMistakesOfItsSettings(t *testing.T) {
	t.Parallel()
	got := finish(t, []string{"OCTOBRIDGE_AUTH_KEY= spaces "}, "serve", "--octo-url", "ftp://x", "--hold", "90s", "--auth-type", "basic", "--units", "none.yaml")
	if got.code != 2 || got.stdout != "" {
		t.Errorf("want the code 2, got %+v", got)
	}
	for _, want := range []string{
		"--octo-url: expected an address", "--octo-key-env: the environment variable OCTOBRIDGE_OCTO_KEY has no key", "--units: ", "--hold: expected whole minutes",
		"--auth-key-env: the key in OCTOBRIDGE_AUTH_KEY has spaces", `--auth-type: expected bearer or api_key, received "basic"`,
	} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("want %q in %s", want, got.stderr)
		}
	}
	for _, wrong := range [][]string{
		{"serve", "--octo-url", "http://x", "--store", filepath.Join(t.TempDir(), "no", "such.db")},
		{"serve", "--octo-url", "http://x", "--store", filepath.Join(t.TempDir(), "b.db"), "--addr", "127.0.0.1:99999"},
	} {
		if got := finish(t, keys, wrong...); got.code == 0 || !strings.Contains(got.stderr, wrong[len(wrong)-2]) {
			t.Errorf("%v: want a mistake, got %+v", wrong, got)
		}
	}
}

func TestCatalog_ShowsWhatIsSoldAndWhatIsSetAside(t *testing.T) {
	t.Parallel()
	supplier := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `[{"id": "walk", "internalName": "Walk", "locale": "en", "timeZone": "Europe/Lisbon", "availabilityType": "START_TIME", "instantConfirmation": true,
			"instantDelivery": true, "options": [{"id": "group", "internalName": "In a group", "requiredContactFields": ["country"], "units": [
				{"id": "adult", "internalName": "Adult", "type": "ADULT", "pricingFrom": [{"original": 2500, "currency": "EUR", "currencyPrecision": 2}]},
				{"id": "family", "internalName": "Family", "type": "FAMILY", "pricingFrom": [{"original": 6000, "currency": "EUR", "currencyPrecision": 2}]}]}]}]`)
	}))
	defer supplier.Close()
	want := `walk  Walk
  group  In a group
    unit-adult     Adult  from 2500 EUR
1 product can be sold; the contract cannot say this:
  product walk, option group, unit family: set aside: the contract has no guest type FAMILY: map it in the file of --units
  product walk, option group: the supplier requires of the guest what the contract does not have, and may refuse: country
`
	if got := finish(t, keys, "catalog", "--octo-url", supplier.URL); got.code != 0 || got.stdout != want {
		t.Errorf("want\n%s\ngot %+v", want, got)
	}
	file := filepath.Join(t.TempDir(), "units.yaml")
	check(t, os.WriteFile(file, []byte("types: {FAMILY: STUDENT}\n"), 0o600))
	if got := finish(t, append(keys, "OCTOBRIDGE_UNITS="+file), "catalog", "--octo-url", supplier.URL); !strings.Contains(got.stdout, "    family         Family  from 6000 EUR\n") {
		t.Errorf("want the family sold, got %+v", got)
	}
}
