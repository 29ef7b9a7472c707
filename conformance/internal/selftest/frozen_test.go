package selftest_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/selftest"
)

// frozenMatrix is the kill matrix: for each partner and depth, the outcome, the rules that the run found broken, and
// those that a recording of it shows to be broken; of deep defects the outcome. go test -run KillMatrix -update plays
// the partners that have no line; SOAK=1 go test -run KillMatrix -timeout 2h -update plays all.
const frozenMatrix = "testdata/matrix.tsv"

var update = flag.Bool("update", false, "write the kill matrix")

// sampled is the interval of the lines that are tried without SOAK.
const sampled = 150

func TestTheKillMatrixIsAsFrozen(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out the frozen matrix, which takes a minute")
	}
	whole := os.Getenv("SOAK") != ""
	text, err := os.ReadFile(frozenMatrix)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		fields := strings.SplitN(line, "\t", 4)
		known[strings.Join(fields[:3], "\t")] = line
	}
	cases, names := frozenCases(t)
	if *update {
		if whole {
			clear(known)
		}
		writeMatrix(t, cases, names, known)
		return
	}
	if listed := slices.Sorted(maps.Keys(known)); !slices.Equal(listed, slices.Sorted(slices.Values(names))) {
		t.Fatalf("Expected a line for every partner and depth in %s, received %d for %d; write it with -update", frozenMatrix, len(listed), len(names))
	}
	if !whole {
		cases, names = sample(cases), sample(names)
	}
	for i, line := range trials(t, cases) {
		if frozen := known[names[i]]; line != frozen && !killedDeep(line) {
			t.Errorf("Expected %q, received %q", frozen, line)
		}
	}
}

// killedDeep reports whether a line is of a deep defect that was found. Chance decides some of them, such as one at every third
// call: the matrix has those that are always found.
func killedDeep(line string) bool {
	fields := strings.Split(line, "\t")
	return fields[1] == string(selftest.Deep) && fields[3] == string(selftest.Killed)
}

// writeMatrix writes the matrix. It plays the partners whose lines are not known.
func writeMatrix(t *testing.T, cases []frozenCase, names []string, known map[string]string) {
	t.Helper()
	var missing []frozenCase
	for i, c := range cases {
		if known[names[i]] == "" {
			missing = append(missing, c)
		}
	}
	played := trials(t, missing)
	lines := make([]string, len(names))
	for i, name := range names {
		if lines[i] = known[name]; lines[i] == "" {
			lines[i], played = played[0], played[1:]
		}
	}
	if err := os.WriteFile(frozenMatrix, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func sample[T any](all []T) (some []T) {
	for i := sampled / 2; i < len(all); i += sampled {
		some = append(some, all[i])
	}
	return some
}

// frozenCase is a partner at a depth of the matrix.
type frozenCase struct {
	selftest.Case
	depth plan.Depth
}

// frozenCases returns the partners at the depths of the matrix, and the beginnings of their lines: all at standard, and the
// defects at quick too. A race is not lost every time, so deep defects by race are left out.
func frozenCases(t *testing.T) (cases []frozenCase, names []string) {
	t.Helper()
	deep, err := selftest.InDepth()
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(selftest.WholePlan().Cases, slices.DeleteFunc(deep.Cases, func(c selftest.Case) bool { return c.Dimension == "race" }))
	add := func(depth plan.Depth, c selftest.Case) {
		cases = append(cases, frozenCase{c, depth})
		names = append(names, fmt.Sprintf("%s\t%s\t%s", depth, c.Kind, c.Name))
	}
	for _, c := range all {
		if c.Kind == selftest.Defect {
			add(plan.Quick, c)
		}
	}
	for _, c := range all {
		add(plan.Standard, c)
	}
	return cases, names
}

// trials judges the partners and returns their lines.
func trials(t *testing.T, cases []frozenCase) (lines []string) {
	t.Helper()
	for len(cases) > 0 {
		first, same := cases[0], []selftest.Case{}
		for len(cases) > 0 && cases[0].depth == first.depth && (cases[0].Kind == selftest.Deep) == (first.Kind == selftest.Deep) {
			same, cases = append(same, cases[0].Case), cases[1:]
		}
		matrix, err := selftest.Run(t.Context(), selftest.Plan{Cases: same, Depth: string(first.depth)}, selftest.Config{
			Now: selftest.Begin, Dir: t.TempDir(), Parallel: runtime.NumCPU(), Recorded: first.Kind != selftest.Deep, Progress: func(selftest.Trial) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]selftest.Trial{}
		for _, trial := range slices.Concat(matrix.Lawful, matrix.Defects, matrix.Deep) {
			found[trial.Name] = trial
			for _, problem := range trial.Problems {
				if strings.HasPrefix(problem, selftest.Contradiction) {
					t.Errorf("%s: %s", trial.Name, problem)
				}
			}
		}
		for _, c := range same {
			lines = append(lines, line(first.depth, found[c.Name]))
		}
	}
	return lines
}

func line(depth plan.Depth, trial selftest.Trial) string {
	list := func(ids []string) string { return cmp.Or(strings.Join(slices.Sorted(slices.Values(ids)), ","), "-") }
	broken, recorded := slices.Concat(trial.Failed, trial.Warned), []string(nil)
	if trial.Recorded != nil {
		recorded = *trial.Recorded
	}
	if trial.Kind == selftest.Deep {
		broken = nil
	}
	return strings.Join([]string{string(depth), string(trial.Kind), trial.Name, string(trial.Outcome), list(broken), list(recorded)}, "\t")
}
