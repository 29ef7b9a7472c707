package suitetest_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/mockpartner"
)

const key = "a-key-for-the-tests-of-its-faces"

// partner is a mock partner that counts what it is asked.
type partner struct {
	mock           *mockpartner.Mock
	url            *url.URL
	calls, changes atomic.Int64 // changes: calls that hold, book, release or cancel
}

func startPartner(t *testing.T, defects ...string) *partner {
	t.Helper()
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key, Defects: defects})
	if err != nil {
		t.Fatal(err)
	}
	p := &partner{mock: mock}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.Add(1)
		if strings.Contains(r.URL.Path, "/bookings/") {
			p.changes.Add(1)
		}
		mock.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		mock.Close()
	})
	if p.url, err = url.Parse(server.URL); err != nil {
		t.Fatal(err)
	}
	return p
}

// specs is the compiled test of package suite, which holds the specs.
var specs = sync.OnceValues(func() (string, error) {
	return filepath.Join(folder, "suite.test"), buildtest.InstallTest(folder, "partnerkit.dev/conformance/suite")
})

// ginkgo is the path of the ginkgo command. Without it, go tool looks for what to build at each call.
var ginkgo = sync.OnceValues(func() (string, error) {
	path, err := exec.Command("go", "tool", "-n", "ginkgo").Output()
	return strings.TrimSpace(string(path)), err
})

// folder is where the specs are compiled to.
var folder string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if folder, err = os.MkdirTemp("", "suitetest-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		return m.Run()
	}())
}

// runSpecs runs the specs as `go test` does, and returns what they print and whether they pass.
func runSpecs(t *testing.T, p *partner, settings []string, flags ...string) (output string, passed bool) {
	t.Helper()
	skipIfShort(t)
	binary, err := specs()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), binary, append([]string{"-test.v", "-ginkgo.no-color"}, flags...)...)
	run.Dir = t.TempDir()
	run.Env = append(os.Environ(), append(environment(p), settings...)...)
	out, err := run.CombinedOutput()
	if strings.Contains(string(out), key) {
		t.Error("Expected the key nowhere")
	}
	return string(out), err == nil
}

func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out built commands")
	}
}

func skipLongIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out long runs that take the same paths as others")
	}
}

func environment(p *partner) []string {
	return []string{"CONFORMANCE_BASE_URL=" + p.url.String(), "CONFORMANCE_AUTH_KEY=" + key, "CONFORMANCE_DEPTH=quick"}
}

func expectAll(t *testing.T, output string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(output, text) {
			t.Errorf("Expected %q, received\n%s", text, output)
		}
	}
}

func TestASpecThatFailsSaysWhatIsExpectedReceivedHowToFixItAndTheCallsThatShowIt(t *testing.T) {
	t.Parallel()
	output, passed := runSpecs(t, startPartner(t, "second-confirm-books-again", "hold-of-an-hour"), nil)
	if passed {
		t.Error("Expected the test to fail")
	}
	expectAll(t, output,
		"confirm.repeat.booking (MUST, CNF-4)",
		"expected: A second confirm of a code makes no second booking",
		"received: ",
		"fix: Store the booking under the reservation code",
		"curl ",
		"1 Failed",
		"warned", "RSV-7", // a SHOULD rule does not fail
	)
}

func TestAReadOnlyRunOfTheSpecsHoldsAndBooksNothing(t *testing.T) {
	t.Parallel()
	p := startPartner(t)
	output, passed := runSpecs(t, p, []string{"CONFORMANCE_READ_ONLY=true"}, "-ginkgo.v")
	if !passed || p.calls.Load() == 0 || len(p.mock.Default().Holds()) > 0 {
		t.Errorf("Expected calls, no hold and a passed test, received %d calls, %d holds and\n%s", p.calls.Load(), len(p.mock.Default().Holds()), output)
	}
	expectAll(t, output, "skipped: ")
}

func TestLimitsApplyToTheSpecs(t *testing.T) {
	t.Parallel()
	p := startPartner(t)
	runSpecs(t, p, []string{"CONFORMANCE_MAX_HOLDS=2", "CONFORMANCE_MAX_BOOKINGS=1"})
	if holds, bookings := len(p.mock.Default().Holds()), len(p.mock.Default().Bookings()); holds > 2 || bookings > 1 {
		t.Errorf("Expected at most 2 holds and 1 booking, received %d and %d", holds, bookings)
	}
}

func TestASettingThatTheSpecsDoNotKnowEndsThemBeforeAnythingIsCalled(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"CONFORMANCE_READONLY=true":         `there is no setting "CONFORMANCE_READONLY" (did you mean CONFORMANCE_READ_ONLY?)`,
		"CONFORMANCE_PLAN=true":             "CONFORMANCE_PLAN is a setting of the command 'conformance run' alone",
		"CONFORMANCE_MAX_HOLDS=few":         "CONFORMANCE_MAX_HOLDS: expected",
		"CONFORMANCE_RULE=reserve.cod":      "reserve.cod",
		"CONFORMANCE_BASE_URL=ftp://host":   "--base-url does not begin with http:// or https://",
		"CONFORMANCE_AUTH_KEY_ENV=OTHER":    "the key is missing: set OTHER",
		"CONFORMANCE_CONFIG=/no/such.yaml":  "/no/such.yaml",
		"CONFORMANCE_WEBHOOK_LISTEN=nohost": "CONFORMANCE_WEBHOOK_SECRET",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			p := startPartner(t)
			output, passed := runSpecs(t, p, []string{setting})
			if passed || p.calls.Load() > 0 {
				t.Errorf("Expected a failed test and no call, received %d calls", p.calls.Load())
			}
			expectAll(t, output, want)
		})
	}
}

func TestReportsAreWrittenToTheFolderThatTheEnvironmentNames(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "reports")
	runSpecs(t, startPartner(t), []string{"CONFORMANCE_REPORT_DIR=" + dir, "CONFORMANCE_REPORTS=report.json,junit.xml"})
	for _, name := range []string{"report.json", "junit.xml", "ledger.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestAPartnerThatCannotBeJudgedFailsTheSpecsWithTheReason(t *testing.T) {
	t.Parallel()
	p := startPartner(t)
	p.url.Host = "127.0.0.1:1"
	output, passed := runSpecs(t, p, nil)
	if passed {
		t.Error("Expected the test to fail")
	}
	expectAll(t, output, "the partner could not be judged: the partner could not be reached")
}

// testCase is a test case of the JUnit report that Ginkgo writes.
type testCase struct {
	Name    string    `xml:"name,attr"`
	Skipped *struct{} `xml:"skipped"`
}

func readJUnit(t *testing.T, path string) []testCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Cases []testCase `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	return written.Cases
}

func TestTheGinkgoCommandRunsOnlyTheRulesWithItsOwnFlags(t *testing.T) {
	t.Parallel()
	skipIfShort(t)
	ofRelease := func(r rule.Rule) bool { return r.Endpoint == "release" && r.Level == rule.Must }
	for name, run := range map[string]struct {
		flags  []string
		runs   func(rule.Rule) bool
		called bool
	}{
		"label filter": {[]string{"--label-filter=release && MUST"}, ofRelease, true},
		"focus":        {[]string{`--focus=release\.status:`}, func(r rule.Rule) bool { return r.ID == "release.status" }, true},
		"dry run":      {[]string{"--dry-run", "--label-filter=release && MUST"}, ofRelease, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, dir := startPartner(t), t.TempDir()
			binary, err := specs()
			if err != nil {
				t.Fatal(err)
			}
			command, err := ginkgo()
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"--no-color", "--junit-report=j.xml", "--output-dir=" + dir}, run.flags...)
			ginkgo := exec.CommandContext(t.Context(), command, append(args, binary)...)
			ginkgo.Env = append(os.Environ(), environment(p)...)
			if out, err := ginkgo.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if (p.calls.Load() > 0) != run.called {
				t.Errorf("Expected calls: %t, received %d", run.called, p.calls.Load())
			}
			cases := readJUnit(t, filepath.Join(dir, "j.xml"))
			for _, r := range rule.All() {
				i := slices.IndexFunc(cases, func(c testCase) bool { return strings.Contains(c.Name, " "+r.ID+": ") })
				switch {
				case i < 0:
					t.Errorf("Expected a test case of %s, received none", r.ID)
				case !run.runs(r) && cases[i].Skipped == nil:
					t.Errorf("Expected %s to be left out", r.ID)
				case run.runs(r) && cases[i].Skipped != nil && !run.called:
					t.Errorf("Expected %s among the specs that would run", r.ID)
				}
			}
			if extra := len(cases) - len(rule.All()); extra > 3 { // the nodes around the specs
				t.Errorf("Expected the rules alone, received %d more cases", extra)
			}
		})
	}
}

// recipe is the recipe for CI that runs the specs.
const recipe = "examples/ci/ginkgo.yml"

func TestTheRecipeForCIJudgesAPartnerAndWritesATestCaseForEachRule(t *testing.T) {
	t.Parallel()
	skipIfShort(t)
	_, step, found := strings.Cut(sourcetest.Read(t, recipe), "        run: |\n")
	step, _, closed := strings.Cut(step, "      - uses:")
	if !found || !closed {
		t.Fatalf("Expected a step that runs the specs in %s", recipe)
	}
	clone, err := filepath.Abs(sourcetest.Root())
	if err != nil {
		t.Fatal(err)
	}
	workspace := t.TempDir()
	step = strings.Replace(step, "cd partnerkit/", "cd "+clone+"/", 1)
	p := startPartner(t, "second-confirm-books-again")
	run := exec.CommandContext(t.Context(), "bash", "-ec", step)
	run.Dir, run.Env = workspace, append(os.Environ(), append(environment(p), "GITHUB_WORKSPACE="+workspace)...)
	if out, err := run.CombinedOutput(); err == nil || !strings.Contains(string(out), "confirm.repeat.booking (MUST, CNF-4)") {
		t.Errorf("Expected the job to fail with the breach, received %v\n%s", err, out)
	}
	if cases := readJUnit(t, filepath.Join(workspace, "contract.xml")); len(cases) < len(rule.All()) {
		t.Errorf("Expected a test case for each rule, received %d", len(cases))
	}
}

func TestTwoRunsInOneProcessJudgeTheirPartnersAtTheSameTime(t *testing.T) {
	t.Parallel()
	partners := []*partner{startPartner(t), startPartner(t, "second-confirm-books-again")}
	outcomes := make([]*suite.Outcome, len(partners))
	var running sync.WaitGroup
	for i, p := range partners {
		running.Go(func() {
			outcomes[i], _ = suite.Run(t.Context(), suite.Config{BaseURL: p.url, AuthKey: key, HandlesTicketDelivery: true, Depth: "quick", Explore: 3})
		})
	}
	running.Wait()
	for i, outcome := range outcomes {
		if outcome == nil {
			t.Fatal("Expected two runs")
		}
		var failed []string
		for _, r := range outcome.Result.Rules {
			if r.Outcome == report.Failed {
				failed = append(failed, r.ID)
			}
		}
		want := [][]string{nil, {"confirm.repeat.booking"}}[i]
		if !slices.Equal(failed, want) {
			t.Errorf("run %d: Expected %q to fail, received %q", i, want, failed)
		}
	}
}

func TestARunIsNarrowedByEverySettingThatLeavesSomethingOut(t *testing.T) {
	t.Parallel()
	nowhere := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	for flag, config := range map[string]suite.Config{
		"":                 {Strict: true, Explore: 5},
		"--rule":           {Rules: []string{"reserve.code"}},
		"--label":          {LabelFilter: "MUST"},
		"--product":        {Bounds: suite.Bounds{Products: []string{"p"}}},
		"--option":         {Bounds: suite.Bounds{Options: []string{"o"}}},
		"--read-only":      {Bounds: suite.Bounds{ReadOnly: true}},
		"--max-holds 0":    {Bounds: suite.Bounds{MaxHolds: new(0)}},
		"--max-bookings 0": {Bounds: suite.Bounds{MaxBookings: new(0)}},
		"--no-races":       {NoRaces: true},
		"--fail-fast":      {FailFast: true},
		"--depth quick":    {Depth: "quick"},
	} {
		config.BaseURL, config.AuthKey = nowhere, key
		outcome, err := suite.Run(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(outcome.Result.NarrowedBy, ", "); got != flag {
			t.Errorf("Expected the run narrowed by %q, received %q", flag, got)
		}
	}
}

func TestARunOfRulesAboutReadsHoldsNothing(t *testing.T) {
	t.Parallel()
	p := startPartner(t)
	outcome, err := suite.Run(t.Context(), suite.Config{BaseURL: p.url, AuthKey: key, Depth: "standard", Rules: []string{"products.status", "availability.empty"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome.Result.Coverage; got.Holds != 0 || got.Bookings != 0 {
		t.Errorf("Expected no hold and no booking, received %d and %d", got.Holds, got.Bookings)
	}
}
