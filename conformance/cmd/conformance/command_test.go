package main_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
)

// command builds the command, for the tests that need a process of their own.
var command = sync.OnceValue(func() string {
	if err := buildtest.Install(built, "partnerkit.dev/conformance/cmd/conformance"); err != nil {
		panic(err)
	}
	return filepath.Join(built, "conformance")
})

// built is the folder of the built command.
var built string

// concurrentRuns is how many runs are in progress at the same time. Most of them wait for a
// partner most of the time: one for each core would leave the cores idle.
const concurrentRuns = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", concurrentRuns); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if testing.Short() {
		fmt.Println("-short leaves out the tests of the command; those of package suitetest run the suite in one process")
		os.Exit(0)
	}
	os.Exit(func() (code int) {
		var err error
		if built, err = os.MkdirTemp("", "conformance-command-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(built)
		return m.Run()
	}())
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
// writes report.json, and those that args name.
func judge(t *testing.T, url string, args ...string) ran {
	t.Helper()
	r := start(t, withKey(), append([]string{"run", "--base-url", url, "--reports", "report.json"}, args...)...).wait(t)
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

// rulesWithoutExploring returns the rules that a run judges without --explore and --webhook-listen.
func (r ran) rulesWithoutExploring() []report.RuleResult {
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

// newMock makes a mock partner with the key of these tests. Unless the options choose its catalog it has one product: a
// run of the whole catalog costs twice as much.
func newMock(t *testing.T, options mockpartner.Options) *mockpartner.Mock {
	t.Helper()
	options.AuthKey = key
	if options.Catalog == nil && options.Scenario == nil && options.Variants == nil {
		options.Catalog = oneProduct()
	}
	mock, err := mockpartner.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(mock.Close)
	return mock
}

func oneProduct() *catalog.Catalog {
	sold := catalog.Default()
	sold.Products = sold.Products[:1]
	return sold
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
