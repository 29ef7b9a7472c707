package examples_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
)

// twinKey is the key of these tests' partners and twins.
const twinKey = "a-key-of-partners-and-twins"

// unlearned are defects whose twins get another report. With some of them the catalog cannot be
// read. Others show only in the last slot or window of one option, or in calls
// that no marketplace sends.
var unlearned = []string{
	"availability-knows-every-field", "cancel-before-the-key-is-checked", "catalog-behind-a-redirect", "catalog-cut-short",
	"catalog-is-null", "catalog-with-trailing-comma", "confirm-before-the-key-is-checked", "contact-is-demanded",
	"empty-window-not-found", "freesale-with-vacancies", "full-slot-stays-shut",
	"hold-takes-seats-of-the-next-slot", "long-window-without-its-end", "negative-vacancies", "null-among-slots",
	"only-first-guest-type-counts", "registered-key-refused", "release-before-the-key-is-checked",
	"release-gives-one-seat-back", "release-gives-seats-back-twice", "release-gives-seats-of-the-next-slot-back",
	"reserve-for-strangers-takes-a-seat", "reserve-knows-every-field", "slot-ids-drift-from-day-50", "slot-ids-shared",
	"slot-outside-the-window", "slots-cut-short", "text-among-products", "unit-ids-drift", "unit-without-id", "window-without-its-end",
}

// The suite has the same findings for a partner and its twin, rule by rule.
func TestATwinGetsTheReportOfItsPartner(t *testing.T) {
	t.Parallel()
	bin := commands(t)
	try := func(name string, start func(t *testing.T) (address, clock string)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, clock := start(t)
			original := runSuite(t, bin, address, clock)
			twin := filepath.Join(t.TempDir(), "twin.yaml")
			learn(t, bin, address, original.folder, twin)
			compareReports(t, original, judgedTwin(t, bin, twin))
		})
	}
	mock := func(o mockpartner.Options) func(*testing.T) (string, string) {
		return func(t *testing.T) (string, string) {
			o.AuthKey = twinKey
			partner := mocktest.Start(t, o)
			return partner.URL, partner.URL + "/_mock/clock"
		}
	}
	try("plain", mock(mockpartner.Options{}))
	try("minimal", func(t *testing.T) (string, string) {
		return serve(t, t.TempDir(), twinKey, "sh", "-c", `exec "$0" -addr 127.0.0.1:$PORT`, filepath.Join(bin, "minimal-partner")), ""
	})
	var variants, defects []string // their peculiarities are learned from a few days' slots
	if os.Getenv("SOAK") != "" {
		for _, v := range mockpartner.Variants() {
			if !v.Webhooks {
				variants = append(variants, v.Name)
			}
		}
		for _, d := range mockpartner.Defects() {
			if d.Webhooks {
				continue // a twin answers calls, and sends no webhooks
			}
			late := strings.HasSuffix(d.Name, "-late") || strings.HasSuffix(d.Name, "-slow") // these differ only in answer times
			// Holds for parties without guests are not learned, either.
			if !late && !strings.HasPrefix(d.Name, "hold-for-") && !slices.Contains(unlearned, d.Name) {
				defects = append(defects, d.Name)
			}
		}
	}
	for _, name := range variants {
		try("variant "+name, mock(mockpartner.Options{Variants: []string{name}}))
	}
	for _, name := range defects {
		try("defect "+name, mock(mockpartner.Options{Defects: []string{name}}))
	}
}

// judgement is a report and its folder.
type judgement struct {
	folder string
	result report.Result
}

// runSuite runs the suite against a partner.
func runSuite(t testing.TB, bin, address, clock string) (j judgement) {
	t.Helper()
	j.folder = t.TempDir()
	arguments := []string{"run", "--base-url", address, "--handles-ticket-delivery", "--depth", "quick", "--report-dir", j.folder}
	if clock != "" {
		arguments = append(arguments, "--clock-url", clock)
	}
	suite := exec.CommandContext(t.Context(), filepath.Join(bin, "conformance"), arguments...)
	suite.Env = append(os.Environ(), "CONFORMANCE_AUTH_KEY="+twinKey)
	output, err := suite.CombinedOutput() // a breach also causes an error
	text, failed := os.ReadFile(filepath.Join(j.folder, "report.json"))
	if failed == nil {
		failed = json.Unmarshal(text, &j.result)
	}
	if failed != nil {
		t.Fatalf("%v: %v\n%s", failed, err, output)
	}
	return j
}

// learn creates a twin from the suite's records of a partner.
func learn(t testing.TB, bin, address, recorded, twin string) {
	t.Helper()
	run(t, t.TempDir(), []string{"PARTNER_AUTH_KEY=" + twinKey}, filepath.Join(bin, "mockpartner"), "learn",
		"--base-url", address, "--har", filepath.Join(recorded, "run.har"), "--max-rps", "0", "--out", twin)
	text, err := os.ReadFile(twin)
	check(t, err)
	for _, secret := range []string{twinKey, "Conformance Test", "conformance@example.com", "+10000000000"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("Expected no key and no guest in the twin, received %s", secret)
		}
	}
}

// judgedTwin runs the suite against a twin that the command plays.
func judgedTwin(t testing.TB, bin, twin string) judgement {
	t.Helper()
	address := serveScenario(t, bin, twin)
	return runSuite(t, bin, address, address+"/_mock/clock")
}

// serveScenario starts a mock that plays a scenario.
func serveScenario(t testing.TB, bin, scenario string) (address string) {
	t.Helper()
	return serve(t, t.TempDir(), twinKey, "sh", "-c", `exec "$0" serve --addr 127.0.0.1:$PORT --auth-key `+twinKey+` --scenario "$1"`, filepath.Join(bin, "mockpartner"), scenario)
}

// compareReports compares two reports as `conformance diff` does. It ignores answer times and rules that only
// one report could judge, because only one partner's clock can be moved.
func compareReports(t *testing.T, original, twin judgement) {
	t.Helper()
	is := map[string]report.RuleResult{}
	for _, r := range twin.result.Rules {
		is[r.ID] = r
	}
	for _, was := range original.result.Rules {
		if r := is[was.ID]; r.Outcome != was.Outcome && !strings.HasPrefix(was.Clause, "LIM") && was.Outcome != report.Skipped {
			t.Errorf("%s: Expected %s as at the partner (%s), received %s: %s", was.ID, was.Outcome, was.Message, r.Outcome, r.Message)
		}
	}
}
