package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/errtest"
)

// check ends the test on an error.
var check = errtest.Check

// patience limits how long a test waits. It is far longer than a busy machine needs.
const patience = 10 * time.Minute

// built is the folder of the built command.
var built string

// binary builds the command once for all tests, and returns its path.
var binary = sync.OnceValue(func() string {
	if err := buildtest.Install(built, "partnerkit.dev/mockpartner/cmd/mockpartner"); err != nil {
		panic(err)
	}
	return filepath.Join(built, "mockpartner")
})

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "mockpartner"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// outcome is how the command ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// finish runs the command in this process, which costs much less.
func finish(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// finishAs runs the command in a process with these attributes.
func finishAs(t *testing.T, attributes *syscall.SysProcAttr, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, binary(), args...)
	command.SysProcAttr = attributes
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// requireFailure expects the command to have ended with that code and one line with these words,
// which show no secret.
func (o outcome) requireFailure(t *testing.T, code int, words ...string) {
	t.Helper()
	if o.code != code || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, "mockpartner: ") ||
		strings.Contains(o.stderr, key) || strings.Contains(o.stderr, webhookSecret) {
		t.Errorf("want exit %d and one line without a secret, got %d: %s%s", code, o.code, o.stdout, o.stderr)
	}
	for _, word := range words {
		if !strings.Contains(o.stderr, word) {
			t.Errorf("want %q in %s", word, o.stderr)
		}
	}
}

// errorLog is what a running command has written to stderr so far.
type errorLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *errorLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *errorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serving is a mock that is up.
type serving struct {
	t       *testing.T
	command *exec.Cmd
	base    string
	output  *bufio.Reader
	greeted string
	errors  *errorLog
}

var listening = regexp.MustCompile(`^mockpartner listening on (https?://\S+)\n$`)

// serve starts the command on a free port and waits for the lines that it begins with.
func serve(t *testing.T, environment []string, args ...string) serving {
	t.Helper()
	command := exec.Command(binary(), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	command.Env = append(os.Environ(), environment...)
	stdout, err := command.StdoutPipe()
	check(t, err)
	s := serving{t: t, command: command, output: bufio.NewReader(stdout), errors: &errorLog{}}
	command.Stderr = s.errors
	check(t, command.Start())
	t.Cleanup(func() { command.Process.Kill() })
	for !strings.Contains(s.greeted, ", clock at ") {
		line, err := s.output.ReadString('\n')
		if err != nil {
			t.Fatalf("want the address and the rest, got %q, %v: %s", s.greeted, err, s.errors)
		}
		if found := listening.FindStringSubmatch(line); found != nil {
			s.base = found[1]
		}
		s.greeted += line
	}
	if s.base == "" {
		t.Fatalf("want the address in its line, got %q", s.greeted)
	}
	return s
}

func (s serving) get(path, authorization string) (int, string) {
	s.t.Helper()
	return s.ask(http.MethodGet, path, authorization, "")
}

func (s serving) ask(method, path, authorization, body string) (int, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	check(s.t, err)
	request.Header.Set("Authorization", authorization)
	response, err := http.DefaultTransport.RoundTrip(request)
	check(s.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(s.t, err)
	return response.StatusCode, string(text)
}

// stop sends the signal and expects the command to end well.
func (s serving) stop(signal os.Signal) {
	s.t.Helper()
	check(s.t, s.command.Process.Signal(signal))
	rest, err := io.ReadAll(s.output)
	if err != nil || string(rest) != "stopped\n" {
		s.t.Fatalf("want it to say that it stopped, got %q, %v", rest, err)
	}
	if err := s.command.Wait(); err != nil {
		s.t.Fatalf("want exit 0 after %s, got %v: %s", signal, err, s.errors)
	}
}

const key = "a-key-for-tests"

func TestServeAnswersAndStopsOnASignal(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		s := serve(t, nil, "--auth-key", key)
		if status, body := s.get("/products", "Bearer "+key); status != 200 || !strings.Contains(body, "lisbon-walk") {
			t.Fatalf("want the default catalog, got %d: %.100s", status, body)
		}
		if status, _ := s.get("/products", "Bearer wrong"); status != 401 {
			t.Fatalf("want 401 for a wrong key, got %d", status)
		}
		if strings.Count(s.greeted, "\n") > 10 || !strings.Contains(s.greeted, " "+s.base+"/_mock/\n") {
			t.Errorf("want at most ten lines, with the console, got\n%s", s.greeted)
		}
		s.stop(signal)
		if s.errors.String() != "" || strings.Contains(s.greeted, key) {
			t.Fatalf("want no error and no key printed, got %s\n%s", s.errors, s.greeted)
		}
	}
}

func TestServePrintsEveryRouteOnRequest(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--auth-key", key, "--routes")
	var printed strings.Builder
	for !strings.Contains(printed.String(), "delete a snapshot\n") {
		line, err := s.output.ReadString('\n')
		if err != nil {
			t.Fatalf("want the routes, got %v: %s", err, printed.String())
		}
		printed.WriteString(line)
	}
	for _, route := range []string{"/products", "/availability", "/bookings/reserve", "/bookings/confirm", "/bookings/{reservationCode}", "/_mock/", "/_mock/clock", "/_mock/sandboxes"} {
		if !strings.Contains(printed.String(), " "+s.base+route+" ") {
			t.Errorf("want %s%s printed, got\n%s", s.base, route, printed.String())
		}
	}
	s.stop(os.Interrupt)
}

func TestServeLetsRequestsUnderWayComeToTheirEnd(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--auth-key", key)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	check(t, err)
	defer conn.Close()
	const body = `{"reservationConfirmationCode":"x"}`
	fmt.Fprintf(conn, "POST /bookings/confirm HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", key, len(body))
	reader := bufio.NewReader(conn)
	// The mock asks for the body: the request has arrived.
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("Expected a line that says to continue, received %q, %v", line, err)
	}
	check(t, s.command.Process.Signal(os.Interrupt))
	// It listens no longer once it has heard the signal.
	for {
		other, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		if err != nil {
			break
		}
		other.Close()
	}
	fmt.Fprint(conn, body)
	reader.ReadString('\n')
	answer, err := http.ReadResponse(reader, nil)
	if err != nil || answer.StatusCode != 400 {
		t.Fatalf("want the answer of the request under way, got %v, %v", answer, err)
	}
	answer.Body.Close()
	if err := s.command.Wait(); err != nil {
		t.Fatalf("want exit 0, got %v: %s", err, s.errors)
	}
}

func TestServeTakesItsFlags(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mine.yaml")
	check(t, os.WriteFile(file, []byte(mine), 0o600))
	for name, c := range map[string]struct {
		environment   []string
		args          []string
		authorization string
		path          string
		want          []string
	}{
		"a key from the environment": {[]string{"MOCKPARTNER_AUTH_KEY=" + key}, nil, "Bearer " + key, "/products", []string{"lisbon-walk"}},
		"the flag takes precedence":  {[]string{"MOCKPARTNER_AUTH_KEY=other"}, []string{"--auth-key", key}, "Bearer " + key, "/products", []string{"lisbon-walk"}},
		"a raw key":                  {nil, []string{"--auth-key", key, "--auth-type", "api_key"}, key, "/products", []string{"lisbon-walk"}},
		"a file":                     {nil, []string{"--auth-key", key, "--catalog", file}, "Bearer " + key, "/products", []string{`"id":"mine"`}},
		"a generated catalog":        {nil, []string{"--auth-key", key, "--products", "3", "--options", "1", "--seed", "9"}, "Bearer " + key, "/products", []string{"product-00003"}},
		"a clock that stands":        {nil, []string{"--auth-key", key, "--now", "2026-07-01T09:00:00+02:00", "--frozen"}, "", "/_mock/clock", []string{`{"now":"2026-07-01T07:00:00Z","frozen":true}`}},
		"a policy": {nil, []string{"--auth-key", key, "--holds=false", "--cancel=false", "--tickets=false", "--codes", "awkward"}, "", "/_mock/sandboxes",
			[]string{`"policy":{"noHolds":true,"noCancel":true,"noTickets":true,"codes":"awkward"}`}},
		"a flag before the file's policy": {nil, []string{"--auth-key", key, "--catalog", file, "--cancel"}, "", "/_mock/sandboxes", []string{`"policy":{"noHolds":true}`}},
		"a control token":                 {[]string{"MOCKPARTNER_CONTROL_TOKEN=a-token"}, []string{"--auth-key", key}, "Bearer a-token", "/_mock/clock", []string{`"frozen":false`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.environment, c.args...)
			status, body := s.get(c.path, c.authorization)
			for _, want := range c.want {
				if status != 200 || !strings.Contains(body, want) {
					t.Errorf("want %s, got %d: %.500s", want, status, body)
				}
			}
			s.stop(os.Interrupt)
		})
	}
}

const mine = `noHolds: true
noCancel: true
products:
  - id: mine
    internalName: Mine
    locale: en
    timeZone: UTC
    instantConfirmation: true
    options:
      - id: o
        internalName: O
        availabilityType: OPENING_HOURS
        units: [{id: unit-adult, internalName: Adult, type: ADULT, pricingFrom: [{original: 1, currency: EUR}]}]
    schedules:
      o: {opens: "09:00", closes: "18:00", capacity: {min: 1, max: 9}}
`

// Two processes that share nothing but their flags.
func TestTwoProcessesAnswerAlike(t *testing.T) {
	t.Parallel()
	answers := func() []string {
		s := serve(t, nil, "--auth-key", key, "--products", "20", "--seed", "7", "--now", "2026-07-01T09:00:00Z", "--frozen")
		_, slots := s.ask("POST", "/availability", "Bearer "+key, `{"productId":"product-00004","optionId":"option-1","localDateStart":"2026-07-01","localDateEnd":"2026-08-30","units":[{"id":"unit-adult","quantity":1}]}`)
		_, refusal := s.ask("POST", "/bookings/confirm", "Bearer "+key, `{"reservationConfirmationCode":"x"}`)
		_, catalog := s.get("/products", "Bearer "+key)
		s.stop(os.Interrupt)
		return []string{slots, refusal, catalog}
	}
	one, two := answers(), answers()
	for i := range one {
		if one[i] != two[i] || len(one[i]) < 10 {
			t.Errorf("want the same bytes, got\n%.500s\n%.500s", one[i], two[i])
		}
	}
}

func TestBadUsageIsOneLineAndExit2(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	check(t, os.WriteFile(broken, []byte("products:\n  - identity: x\n"), 0o600))
	with := func(args ...string) []string { return append([]string{"serve", "--auth-key", key}, args...) }
	for _, c := range []struct {
		args  []string
		words string
	}{
		{[]string{"serve"}, "--auth-key or MOCKPARTNER_AUTH_KEY"},
		{[]string{"serve", "--auth-key", "a\nb"}, "no header can carry"},
		{[]string{"sevre"}, `there is no command "sevre"; see mockpartner --help`},
		{[]string{"scenario", "chekc"}, `there is no command "chekc"; see mockpartner scenario --help`},
		{[]string{"scenario", "check"}, "expected one FILE or more"},
		{with("--scenario", missing), "missing.yaml: no such file"},
		{with("--scenario", filepath.Dir(missing)), "is a directory"},
		{with("--scenario", broken), `broken.yaml:1:1: unknown field "products"`},
		{[]string{"scenario", "check", broken}, `mockpartner: ` + broken + `:1:1: unknown field "products"`},
		{with("--webhook-secret", webhookSecret), "webhooks: url: expected"},
		{with("--webhook-url", "http://127.0.0.1:1/"), "webhooks: secret: expected"},
		{with("--webhook-url", "127.0.0.1:1", "--webhook-secret", webhookSecret), "http or https URL"},
		{with("--addr", "nowhere.invalid:8081"), "--addr nowhere.invalid:8081: "},
		{[]string{"--nope"}, "--nope"},
		{with("extra"), "extra"},
		{with("--nope"), "mockpartner serve --help"},
		{with("--seed", "-1"), "--seed"},
		{with("--hold-for", "soon"), "--hold-for"},
		{with("--hold-for", "1ms"), "--hold-for: expected at least 1s"},
		{with("--now", "noon"), "--now: "},
		{with("--auth-type", "basic"), "expected bearer or api_key"},
		{with("--codes", "odd"), "expected plain or awkward"},
		{with("--cors", "http://localhost:3000/"), "cors: a browser sends"},
		{with("--products", "0"), "products: expected a number from 1"},
		{with("--options", "2"), "--options requires --products"},
		{with("--products", "2", "--options", "-2"), "options: expected a number from 1"},
		{with("--products", "2", "--catalog", broken), "not both"},
		{with("--catalog", missing), "missing.yaml"},
		{with("--catalog", broken), "broken.yaml:2:5: unknown field"},
		{with("--max-sandboxes", "0"), "--max-sandboxes: expected at least 1"},
		{with("--addr", "nonsense"), "--addr: expected host:port"},
		{with("--addr", "127.0.0.1:99999"), "--addr: expected host:port"},
		{with("--addr", ":0"), "not loopback"},
		{with("--addr", "0.0.0.0:0"), "--control-token or MOCKPARTNER_CONTROL_TOKEN"},
	} {
		finish(t, c.args...).requireFailure(t, cli.ExitUsage, c.words)
	}
}

func TestATakenPortIsOneLineAndExit1(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer taken.Close()
	finish(t, "serve", "--auth-key", key, "--addr", taken.Addr().String()).
		requireFailure(t, cli.ExitFailed, "mockpartner: cannot listen on "+taken.Addr().String()+": ", "address already in use")
}

func TestHelpHasExamples(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--help"}, {"help", "serve"}, {"serve", "--help"}} {
		got := finish(t, args...)
		if got.code != 0 || !strings.Contains(got.stdout, "Examples:\n  mockpartner serve --auth-key a-test-key") {
			t.Errorf("%q: want help with examples, got %d: %s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	if got := finish(t, "version"); got.code != 0 || !strings.HasPrefix(got.stdout, "mockpartner ") {
		t.Errorf("want the version, got %+v", got)
	}
}

func TestServe_IsAlsoASupplierOfOCTO(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, "--auth-key", key, "--octo-addr", "127.0.0.1:0")
	printed := regexp.MustCompile(`OCTO +(http://\S+)\n`).FindStringSubmatch(s.greeted)
	if printed == nil {
		t.Fatalf("want the address of the supplier, got %s", s.greeted)
	}
	supplier := s
	supplier.base = printed[1]
	if status, body := supplier.get("/supplier", "Bearer "+key); status != 200 || !strings.Contains(body, supplier.base) {
		t.Errorf("got %d %s", status, body)
	}
	s.stop(os.Interrupt)
	finish(t, "serve", "--auth-key", key, "--octo-addr", "0.0.0.0:0").requireFailure(t, 2, "--octo-addr", "not loopback")
}
