package main_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

// command is the built command: Ginkgo runs its specs once a process, so every run
// of a test is a process of its own. The suite's own test runs it with the race detector.
var command string

// concurrentRuns is how many runs are in progress at the same time. Most of them wait for a
// partner most of the time: one for each core would leave the cores idle.
const concurrentRuns = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", concurrentRuns); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "conformance-command-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		if detected {
			return runWithoutDetector(filepath.Join(dir, "tests"))
		}
		command = filepath.Join(dir, "conformance")
		if err := goTool("build", "-o", command, "."); err != nil {
			fmt.Fprintf(os.Stderr, "build the command: %v\n", err)
			return 1
		}
		return m.Run()
	}())
}

// runWithoutDetector runs these tests in a process without the race detector, and
// returns its exit code. They are about the command; the detector would watch the
// partners that it judges in this process, for most of the time that the tests take.
// Those are tested with it in their own module.
func runWithoutDetector(binary string) int {
	if err := goTool("test", "-c", "-vet=off", "-o", binary, "."); err != nil {
		fmt.Fprintf(os.Stderr, "build the tests without the race detector: %v\n", err)
		return 1
	}
	tests := exec.Command(binary, os.Args[1:]...)
	tests.Stdin, tests.Stdout, tests.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := tests.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "the tests without the race detector: %v\n", err)
		return 1
	}
	return 0
}

// goTool runs the go command. What it says is part of the error.
func goTool(args ...string) error {
	tool := exec.Command("go", args...)
	tool.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := tool.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// key is the key of every partner in these tests.
const key = "a-key-for-the-commands-tests"

// ran is a run of the command that has ended.
type ran struct {
	code           int
	stdout, stderr string
	dir            string         // of the reports
	result         *report.Result // nil where no report was written
	took           time.Duration
}

// patience limits how long a test waits. It is far longer than a busy machine needs.
const patience = 10 * time.Minute

// free limits the concurrent runs.
var free = make(chan struct{}, 6)

func readReport(t *testing.T, dir string) *report.Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	result := &report.Result{}
	if err := json.Unmarshal(text, result); err != nil {
		t.Fatal(err)
	}
	return result
}

// judge runs the command against a partner, which it must report on. Of the reports it
// writes report.json, and those that args name; it takes memory rather than
// time: there are some hundred runs.
func judge(t *testing.T, url string, args ...string) ran {
	t.Helper()
	r := start(t, append(withKey(), "GOGC=400"), append([]string{"run", "--base-url", url, "--reports", "report.json"}, args...)...).wait(t)
	if r.result == nil {
		t.Fatalf("want a report, got exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	return r
}

// ofMock returns the flags for a mock partner that is set up to be judged in full.
func ofMock(url string, args ...string) []string {
	return append([]string{"--handles-ticket-delivery", "--clock-url", url + "/_mock/clock"}, args...)
}

// outcomes returns the ids of the rules with this outcome.
func (r ran) outcomes(outcome report.Outcome) []string {
	var ids []string
	for _, one := range r.result.Rules {
		if one.Outcome == outcome {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// plain returns the rules that a run judges without --explore and --webhook-listen.
func (r ran) plain() []report.RuleResult {
	return slices.DeleteFunc(slices.Clone(r.result.Rules), func(one report.RuleResult) bool {
		return one.ID == rule.AvailabilityLifecycle.ID || one.Endpoint == rule.Webhooks
	})
}

// rule returns what came of one rule.
func (r ran) rule(t *testing.T, id string) report.RuleResult {
	t.Helper()
	for _, one := range r.result.Rules {
		if one.ID == id {
			return one
		}
	}
	t.Fatalf("want rule %s in the report", id)
	return report.RuleResult{}
}

// notPassed lists the rules that did not pass, for the message of a failed test.
func (r ran) notPassed() string {
	var lines []string
	for _, one := range r.result.Rules {
		if one.Outcome != report.Passed && one.Outcome != report.NotApplicable {
			lines = append(lines, fmt.Sprintf("  %s %s: %s", one.Outcome, one.ID, one.Message))
		}
	}
	return strings.Join(lines, "\n")
}

// newMock makes a mock partner with the key of these tests.
func newMock(t *testing.T, options mockpartner.Options) *mockpartner.Mock {
	t.Helper()
	options.AuthKey = key
	mock, err := mockpartner.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(mock.Close)
	return mock
}

// startMock serves a mock partner.
func startMock(t *testing.T, options mockpartner.Options) (*mockpartner.Mock, string) {
	t.Helper()
	mock := newMock(t, options)
	return mock, serve(t, mock.ServeHTTP)
}

// serve starts a partner made of one handler.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}
