package selftest_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/mockpartner"
)

// try runs the selftest on one case, with nothing to prove but it.
func try(t *testing.T, c selftest.Case) (*selftest.Matrix, string) {
	t.Helper()
	dir := t.TempDir()
	matrix, err := selftest.Run(t.Context(), selftest.Plan{Cases: []selftest.Case{c}}, selftest.Config{
		Now: selftest.Begin, Dir: dir, Parallel: 2, Progress: func(selftest.Trial) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return matrix, dir
}

func TestATrialStatesWhatTheSuiteFound(t *testing.T) {
	t.Parallel()
	broken := func(names ...string) mockpartner.Options { return mockpartner.Options{Defects: names} }
	few := []string{"--max-holds", "30"} // a run without a bound takes ten times as long
	plays := func(scenario string) mockpartner.Options {
		s, err := mockpartner.ParseScenario("tried.yaml", []byte(scenario))
		if err != nil {
			t.Fatal(err)
		}
		return mockpartner.Options{Scenario: s}
	}
	for _, test := range []struct {
		name    string
		tried   selftest.Case
		want    selftest.Outcome
		problem string // "" if there is no problem
	}{
		{"a defect that the suite finds is killed",
			selftest.Case{Kind: selftest.Defect, Rule: "reserve.code", Options: broken("hold-without-code")}, selftest.Killed, ""},
		{"a defect that is switched off survives",
			selftest.Case{Kind: selftest.Defect, Rule: "reserve.code"}, selftest.Survived, "reserve.code passed, expected failed"},
		{"a defect that also breaks another rule is found by the wrong one",
			selftest.Case{Kind: selftest.Defect, Rule: "reserve.code", Options: broken("hold-without-code", "probe-without-content")},
			selftest.WrongRule, "products.probe.status failed: "},
		{"a defect whose fault is never reached never fired",
			selftest.Case{Kind: selftest.Defect, Rule: "cancel.status", Options: plays(`faults: [{name: never, match: {endpoint: cancel, method: PUT}, set_status: 500}]`)},
			selftest.NeverFired, "of its faults and quirks, these never fired: never"},
		{"a defect whose quirk is about no case never fired",
			selftest.Case{Kind: selftest.Defect, Rule: "reserve.vacancies.one", Options: plays(`quirks: [{on: reserve, takes: none, product: no-such-product}]`)}, selftest.NeverFired, "of its faults and quirks, these never fired: quirk-1"},
		{"a defect whose quirk shows and is not found survives",
			selftest.Case{Kind: selftest.Defect, Rule: "products.json", Options: plays(`quirks: [{shuffle: true}]`)}, selftest.Survived, "products.json passed, expected failed"},
		{"a lawful partner of which nothing is found is silent",
			selftest.Case{Kind: selftest.Variant, Options: mockpartner.Options{Variants: []string{"no-tickets"}}, Scarce: true, Flags: few}, selftest.Silent, ""},
		{"a lawful partner that breaks a SHOULD rule is flagged",
			selftest.Case{Kind: selftest.Lawful, Options: broken("hold-of-an-hour"), Flags: few}, selftest.Flagged, "reserve.expires-window warned: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.tried.Name = "tried"
			matrix, dir := try(t, test.tried)
			trial := slices.Concat(matrix.Lawful, matrix.Defects)[0]
			if trial.Outcome != test.want || matrix.Summary[test.want] != 1 {
				t.Errorf("want it %s, got %s: %v", test.want, trial.Outcome, trial.Problems)
			}
			if matrix.Proven != (test.problem == "") {
				t.Errorf("want proven %t, got %t: %v", test.problem == "", matrix.Proven, trial.Problems)
			}
			if all := strings.Join(trial.Problems, "\n"); !strings.Contains(all, test.problem) || (test.problem == "") != (all == "") {
				t.Errorf("want the problem %q, got %q", test.problem, all)
			}
			keeps(t, dir, trial, test.problem != "")
		})
	}
}

// keeps fails the test if the report of a run that went wrong is not kept, or anything
// else is.
func keeps(t *testing.T, dir string, trial selftest.Trial, want bool) {
	t.Helper()
	var folders []string
	if want {
		folders = []string{trial.Folder()}
		if _, err := os.Stat(filepath.Join(dir, trial.Folder(), "report.html")); err != nil {
			t.Errorf("want the report kept: %v", err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if !slices.Equal(got, folders) {
		t.Errorf("want %v in the folder, got %v", folders, got)
	}
}

func TestASelftestThatIsInterruptedSaysSo(t *testing.T) {
	t.Parallel()
	plan, err := selftest.SelectedPlan([]string{"hold-without-code", "cancel-fails"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	tried := 0
	_, err = selftest.Run(ctx, plan, selftest.Config{
		Now: selftest.Begin, Dir: t.TempDir(), Parallel: 1, Progress: func(selftest.Trial) { tried++; interrupt() },
	})
	if !errors.Is(err, context.Canceled) || tried != 1 {
		t.Errorf("want the context's error after one trial, got %v after %d", err, tried)
	}
}

func TestTheMatrixIsWrittenForMachinesAndForPeople(t *testing.T) {
	t.Parallel()
	matrix, dir := try(t, selftest.Case{Kind: selftest.Defect, Name: "switched|off", Rule: "reserve.code"})
	written, err := matrix.WriteAll(dir)
	if err != nil || len(written) != 2 {
		t.Fatalf("want two files, got %v and %v", written, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "selftest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var read selftest.Matrix
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if read.Proven || len(read.Defects) != 1 || read.Defects[0].Outcome != selftest.Survived || strings.Contains(string(text), "null") {
		t.Errorf("want the matrix, its lists not null, got\n%s", text)
	}
	page, err := os.ReadFile(filepath.Join(dir, "selftest.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NOT PROVEN in ", ": 0 of 1 defects killed", "## Unexpected results", `| switched\|off | survived | reserve.code passed, expected failed |`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("want %q in\n%s", want, page)
		}
	}
}

// The defects without a rule here are those whose run.har contradicted the run once. SOAK compares them all (KillMatrix).
func TestARecordingOfARunShowsTheSameBreaches(t *testing.T) {
	t.Parallel()
	plan, err := selftest.SelectedPlan([]string{
		"available-without-vacancies", "capacity-as-text", "hold-takes-seats-late", "negative-vacancies", "release-gives-seats-back-twice", "release-gives-seats-of-the-next-slot-back",
	}, []string{"a-fleet"})
	if err != nil {
		t.Fatal(err)
	}
	cases := append(plan.Cases, selftest.Case{Kind: selftest.Lawful, Name: "mock"})
	breaks := map[string]string{
		"second-confirm-books-again": "confirm.repeat.booking", "released-code-is-booked": "confirm.released",
		"slot-ids-drift": "availability.slot.permanent", "second-release-is-gone": "release.repeat.status",
	}
	for name, broken := range breaks {
		cases = append(cases, selftest.Case{Kind: selftest.Defect, Name: name, Rule: broken, Options: mockpartner.Options{Defects: []string{name}}})
	}
	if testing.Short() {
		cases = cases[:2] // the others take the same paths
	}
	matrix, err := selftest.Run(t.Context(), selftest.Plan{Cases: cases, Depth: "quick"}, selftest.Config{
		Now: selftest.Begin, Dir: t.TempDir(), Recorded: true, Parallel: 2, Progress: func(selftest.Trial) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range slices.Concat(matrix.Lawful, matrix.Defects) {
		for _, problem := range trial.Problems {
			if strings.HasPrefix(problem, "judged from a recording") || strings.HasPrefix(problem, selftest.Contradiction) || trial.Kind == selftest.Defect {
				t.Errorf("%s: %s", trial.Name, problem)
			}
		}
		if want := breaks[trial.Name]; want != "" && !slices.Contains(*trial.Recorded, want) {
			t.Errorf("%s: want %s broken in the recording, got %v", trial.Name, want, *trial.Recorded)
		}
	}
}
